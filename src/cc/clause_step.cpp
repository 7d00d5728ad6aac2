#include "cc/clause_step.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cc/clause_replacing.hpp"
#include "cc/comments.hpp"
#include "process/child.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;

// A file without a name, that the programs that this one starts or becomes may open by path().
class unnamed_file {
 public:
  unnamed_file() : descriptor_(memfd_create("doall", 0)) {
    if (descriptor_ < 0)
      throw failure(failed, fmt::format("no memory for a source: {}", std::strerror(errno)));
  }

  int descriptor() const { return descriptor_; }
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

  void write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = write(descriptor_, text.data(), text.size());
      if (n < 0)
        throw failure(failed, fmt::format("no memory for a source: {}", std::strerror(errno)));
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }

 private:
  int descriptor_;  // stays open for the program that this one becomes
};

std::string text_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw failure(failed, fmt::format("{}: {}", path, std::strerror(errno)));
  std::string text;
  char part[1 << 16];
  for (ssize_t n = 0; (n = read(file, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(n));
  close(file);
  return text;
}

void name_schedules(arguments& command, const named_source& made) {
  for (std::string name : made.names) {
    // GCC takes what is behind another = for the value.
    std::ranges::replace(name, '=', name.starts_with('!') ? '\1' : ':');
    command.push_back("-fplugin-arg-doall-schedule=" + name);
  }
}

// Whether the compiler is asked to warn of cases that fall through, but where a comment says so.
bool heeds_comments(const arguments& command) {
  return std::ranges::any_of(command, [](const std::string& arg) {
    return arg == "-Wextra" || arg == "-W" || arg.starts_with("-Wimplicit-fallthrough");
  });
}

// Runs the preprocessor. The text goes to that file, or to where the command line says.
outcome preprocess(arguments command, const unnamed_file* into = nullptr) {
  launch what;
  what.file = command.front();
  const auto output = std::ranges::find(command, "-o");
  if (into != nullptr && output != command.end() && output + 1 != command.end())
    output[1] = into->path();
  what.command = std::move(command);
  const int nowhere = into != nullptr ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
  what.errors = nowhere;
  const outcome end = supervisor().run(what);
  if (nowhere >= 0) close(nowhere);
  return end;
}

// Runs the preprocessor so that it leaves comments in, where the compiler heeds them. A comment
// before a directive makes of it a line like any other then, so this is done beside a run without
// comments, and only a text of the same program is taken. Returns the end of the last run.
outcome preprocess_with_comments(const arguments& command) {
  const auto output = std::ranges::find(command, "-o");
  arguments with_comments = command;
  with_comments.insert(std::ranges::find(with_comments, "-E") + 1, "-C");
  const unnamed_file text;
  const outcome commented = preprocess(with_comments, &text);
  const outcome end = preprocess(command);  // it says what there is to say
  if (!end.succeeded() || !commented.succeeded()) return end;
  const std::string all = text_of(text.path());
  if (!same_but_comments(all, text_of(output[1]))) return end;
  std::ofstream(output[1], std::ios::binary | std::ios::trunc) << all;
  return end;
}

// Whether what is read from it may be read again: not standard input, a pipe or a terminal.
bool may_be_read_twice(std::string_view input) {
  std::error_code ignored;
  const fs::file_status status = fs::status(input, ignored);
  return input != "-" && (!fs::exists(status) || fs::is_regular_file(status) ||
                          fs::is_directory(status) || input == "/dev/null");
}

// Whether the preprocessor may be run twice: on files alone, into a file alone.
bool preprocesses_files(const arguments& command) {
  const auto output = std::ranges::find(command, "-o");
  if (std::ranges::find(command, "-E") == command.end() || output == command.end() ||
      output + 1 == command.end() || output[1] == "-")
    return false;
  std::error_code ignored;
  if (fs::exists(output[1], ignored) && !fs::is_regular_file(output[1], ignored)) return false;
  return std::ranges::all_of(command, [](std::string_view input) {
    for (const std::string_view option : {"-include", "-imacros"}) {
      if (input.starts_with(option)) input.remove_prefix(option.size());
    }
    return may_be_read_twice(input);
  });
}

// Where the preprocessor is run apart, GCC 12 writes C's options that count a program's parts
// without the blank behind the last: "-fprofile-update=prefer-atomic-fasynchronous-unwind-tables".
void cut_joined_options(arguments& command) {
  constexpr std::string_view joined = "-fprofile-update=prefer-atomic";
  for (std::size_t i = 1; i < command.size(); ++i) {
    if (!command[i].starts_with(joined) || command[i].size() == joined.size()) continue;
    std::string next = command[i].substr(joined.size());
    command[i].resize(joined.size());
    command.insert(command.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(next));
  }
}

// C and C++: GCC's driver has run the preprocessor before.
arguments with_clauses_of_c(arguments command) {
  for (std::size_t i = 1; i + 1 < command.size(); ++i) {
    if (command[i] != "-fpreprocessed" || command[i + 1].starts_with('-')) continue;
    std::string& source = command[i + 1];
    const named_source made = replace_clauses(text_of(source), source_form::c, source);
    if (made.names.empty() && may_be_read_twice(source)) return command;
    const unnamed_file replaced;
    replaced.write_all(made.text);
    source = replaced.path();
    name_schedules(command, made);
    return command;
  }
  return command;
}

bool is_fixed_form(const arguments& command, const std::string& source) {
  for (const std::string& arg : command) {
    if (arg == "-ffixed-form") return true;
    if (arg == "-ffree-form") return false;
  }
  const std::string ending = fs::path(source).extension().string();
  for (const char* fixed : {".f", ".for", ".ftn", ".fpp"}) {
    if (strcasecmp(ending.c_str(), fixed) == 0) return true;
  }
  return false;
}

// The source's text behind the preprocessor, which Fortran's compiler has inside.
std::string preprocessed(arguments command) {
  const auto output = std::ranges::find(command, "-o");
  if (output != command.end()) command.erase(output, std::min(output + 2, command.end()));
  command.insert(command.begin() + 2, {"-E", "-fsyntax-only"});
  const unnamed_file text;
  launch what;
  what.file = command.front();
  what.command = command;
  what.output = text.descriptor();
  const outcome end = supervisor().run(what);
  if (!end.succeeded()) end_as(end.wait_status);
  std::string all = text_of(text.path());
  close(text.descriptor());
  return all;
}

// Whether the option is the preprocessor's, which Fortran's compiler takes only if it runs that;
// `with_value`: the next argument belongs to it.
bool is_of_preprocessor(const std::string& arg, bool& with_value) {
  with_value = arg == "-MD" || arg == "-MMD" || arg == "-MF" || arg == "-MT" || arg == "-MQ" ||
               arg == "-D" || arg == "-U";
  return with_value || arg.starts_with("-M") || arg.starts_with("-D") || arg.starts_with("-U") ||
         arg.starts_with("-cpp") || arg == "-E";
}

// Writes the list that -MD asks for: what Fortran's own include lines and modules add to it is
// found behind the preprocessor alone. Errors, as of names of schedules, do not keep it from that.
void list_dependencies(arguments command) {
  std::erase_if(command, [](const std::string& arg) { return arg.starts_with("-fplugin"); });
  command.insert(command.end(), {"-fsyntax-only", "-fmax-errors=0", "-Wno-fatal-errors"});
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  launch what;
  what.file = command.front();
  what.command = std::move(command);
  what.output = nowhere;
  what.errors = nowhere;
  supervisor().run(what);
  close(nowhere);
}

arguments with_clauses_of_fortran(const arguments& command) {
  if (command.size() < 2 || command[1].starts_with('-')) return command;
  const std::string source = command[1];
  bool preprocesses = false;
  bool lists = false;
  for (const std::string& arg : command) {
    if (arg == "-E") return command;
    if (arg.starts_with("-cpp")) preprocesses = true;
    if (arg == "-MD" || arg == "-MMD") lists = true;
  }
  const std::string text =
      preprocesses
          ? preprocessed(command)
          : fmt::format("# 1 \"{0}\"\n# 1 \"<built-in>\"\n# 1 \"{0}\"\n", source) + text_of(source);
  const bool fixed = is_fixed_form(command, source);
  const named_source made =
      replace_clauses(text, fixed ? source_form::fixed_fortran : source_form::free_fortran, source);
  if (made.names.empty() && may_be_read_twice(source)) return command;
  if (lists && may_be_read_twice(source)) list_dependencies(command);
  const unnamed_file replaced;
  replaced.write_all(made.text);
  arguments changed = {command[0], replaced.path(), "-fpreprocessed",
                       fixed ? "-ffixed-form" : "-ffree-form"};
  for (std::size_t i = 2; i < command.size(); ++i) {
    bool with_value = false;
    if (is_of_preprocessor(command[i], with_value)) {
      if (with_value) ++i;
    } else if (command[i] != source || command[i - 1].starts_with("-dumpbase")) {
      changed.push_back(command[i]);
    }
  }
  if (!fixed) changed.emplace_back("-ffree-line-length-none");  // some lines have become longer
  name_schedules(changed, made);
  return changed;
}

}  // namespace

arguments options_of_clause_step() {
  const std::string self = fs::canonical("/proc/self/exe").string();
  if (self.find(',') != std::string::npos) return {};
  return {"-no-integrated-cpp", "-wrapper", self + ',' + clause_step};
}

int run_clause_step(const arguments& command) {
  if (command.empty()) return bad_usage;
  const std::string program = fs::path(command.front()).filename().string();
  launch what;
  what.command = command;
  if (program == "cc1" || program == "cc1plus") {
    if (preprocesses_files(command) && heeds_comments(command))
      end_as(preprocess_with_comments(command).wait_status);
    cut_joined_options(what.command);
    what.command = with_clauses_of_c(std::move(what.command));
  }
  if (program == "f951") what.command = with_clauses_of_fortran(command);
  what.file = command.front();
  become(what);
}

}  // namespace doall::cli
