// doall cc, doall c++, doall fortran: the user's GCC with doall's plugin, which makes OpenMP loops
// steerable; or Clang or flang with doall's pass plugin, which finds what iterations cost. As
// doall-cc, doall-c++ and doall-fortran, links to the command, they serve build systems that want
// one word; doall-gcc-ar and its like are what those look for beside them.
//
// Without -fopenmp, or without a plugin for that GCC, the command line goes to GCC as it is.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "cc/compile.hpp"
#include "process/child.hpp"

#include "cc/clause_step.hpp"
#include "cc/compiler_line.hpp"
#include "cc/explain.hpp"
#include "cc/pass_options.hpp"
#include "cc/price_table.hpp"
#include "process/say.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;

struct language {
  std::string_view command;  // of doall
  const char* variable;      // names the compiler
  const char* usual;         // compiler
  std::string_view for_what;
};
constexpr language languages[] = {
    {"cc", "DOALL_CC", "gcc", "C"},
    {"c++", "DOALL_CXX", "g++", "C++"},
    {"fortran", "DOALL_FC", "gfortran", "Fortran"},
};

const language& language_of(std::string_view command) {
  for (const language& l : languages) {
    if (l.command == command) return l;
  }
  return languages[0];
}

void print_help(const language& l) {
  fmt::print(
      "Usage: doall {0} [GCC'S ARGUMENTS...]\n"
      "Compiles {1} with GCC and makes its OpenMP loops steerable: 'doall run --schedule'\n"
      "reaches loops without a schedule clause, too. Unless somebody steers them they are\n"
      "static, as before, also on plain libgomp.\n\n"
      "Options beside GCC's:\n"
      "  -fdoall-static    loops with schedule(static), too\n"
      "  -fdoall-nowait    loops between which there is no barrier, too, though one may rely\n"
      "                    on the threads of the other\n"
      "  -fno-doall-runtime\n"
      "                    loops with schedule(runtime), dynamic and guided stay as GCC has them,\n"
      "                    and tell no costs\n"
      "  -fdoall-report=FILE\n"
      "                    what was found of each loop, as JSON\n"
      "  -fdoall-prices=STATEMENT,LOAD,DIVISION,CALL,ROUND,ATOMIC or FILE\n"
      "                    what these cost, in cycles: by default what 'doall calibrate' found\n"
      "                    on this machine, or else 1,2,12,40,1,8\n"
      "  -fdoall-names     names of doall's schedules are looked for behind the preprocessor,\n"
      "                    whatever the sources look like; by default if one may have some\n"
      "  -fno-doall-kept, -fno-doall-uniform, -fno-doall-guards\n"
      "                    without COWS's Opt1, Opt2, Opt3, to measure what they save\n"
      "  -fdoall-identity  prints which GCC, plugin and prices would be used, for ccache\n"
      "  -Wdoall           a note for each loop that is left as it is, and why; -Wno-doall: also\n"
      "                    without a line where there is no plugin for the compiler\n"
      "  --explain         for each loop of the files: whether it can be steered, and what\n"
      "                    its iterations cost; nothing is compiled\n\n"
      "{2} names the compiler, by default {3}; Clang gets doall's pass plugin, for costs. "
      "'doall-{0}' is the same in one word,\n"
      "for build systems.\n\n"
      "Examples:\n"
      "  doall {0} -O2 -fopenmp FILE -o app\n"
      "  make CC=doall-cc CXX=doall-c++ FC=doall-fortran\n",
      l.command, l.for_what, l.variable, l.usual);
}

// The first line that the program prints; nothing if it fails.
std::optional<std::string> first_line_of(const fs::path& program, const char* argument) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execl(program.c_str(), program.c_str(), argument, static_cast<char*>(nullptr));
    _exit(not_found);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 256> part{};
  for (ssize_t n = 0; child > 0 && (n = read(ends[0], part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return {};
  return text.substr(0, text.find('\n'));
}

// The name of the compiler's own file, behind all links.
std::string own_name_of(const fs::path& compiler) {
  std::error_code ignored;
  return fs::canonical(compiler, ignored).filename().string();
}

// The version that the compiler's file says with its name, as "x86_64-linux-gnu-gcc-12" does, or
// that it tells itself: that takes a process.
std::string version_of(const fs::path& compiler) {
  const std::string name = own_name_of(compiler);
  const std::size_t number = name.find_last_not_of("0123456789") + 1;
  for (const std::string_view of_gcc : {"gcc-", "g++-", "gfortran-"}) {
    if (number < name.size() && name.substr(0, number).ends_with(of_gcc))
      return name.substr(number);
  }
  if (is_of_llvm(name)) return {};  // its versions are no GCC's
  return first_line_of(compiler, "-dumpversion").value_or("");
}

// As the names of targets begin: a plugin is of the GCC that compiles for this processor. Empty: no
// target is told from another.
constexpr std::string_view processor =
#if defined(__x86_64__)
    "x86_64";
#elif defined(__aarch64__)
    "aarch64";
#else
    "";
#endif

bool is_own_target(std::string_view target) {
  return target.substr(0, target.find('-')) == processor &&
         target.find("linux") != std::string_view::npos;
}

// What the compiler compiles for, if that is not what plugins are for; empty: it is. Its name says
// it, as "x86_64-linux-gnu-gcc-12" does, or it tells itself.
std::string foreign_target_of(const fs::path& compiler) {
  if (processor.empty() || is_own_target(own_name_of(compiler))) return {};
  const std::string target = first_line_of(compiler, "-dumpmachine").value_or("");
  return is_own_target(target) ? std::string() : target;
}

// Where plugins are, each in a folder of its version of GCC: "gcc-12".
std::array<fs::path, 2> plugin_folders() {
  const fs::path folder = command_folder();
  return {(folder / DOALL_BIN_TO_LIB / "doall").lexically_normal(),
          (folder / "../lib/doall").lexically_normal()};
}

std::string major_of(const std::string& version) { return version.substr(0, version.find('.')); }

// The plugin for that major version of the compilers "gcc-" or "llvm-"; nothing if there is none.
std::optional<fs::path> find_plugin(const std::string& version, std::string_view of = "gcc-") {
  for (const fs::path& folder : plugin_folders()) {
    std::error_code ignored;
    const fs::path candidate = folder / (std::string(of) + major_of(version)) / "doall.so";
    if (fs::exists(candidate, ignored)) return candidate;
  }
  return {};
}

// The pass plugin, if the compiler is one of LLVM's that there is one for.
std::optional<fs::path> find_pass(const fs::path& compiler) {
  if (!is_of_llvm(own_name_of(compiler))) return {};
  return find_plugin(first_line_of(compiler, "-dumpversion").value_or(""), "llvm-");
}

// "GCC 12, 16": the versions that there are plugins for.
std::string versions_with_plugins() {
  std::set<int> found;
  constexpr std::string_view before = "gcc-";
  for (const fs::path& folder : plugin_folders()) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(before) && fs::exists(entry.path() / "doall.so", ignored))
        found.insert(std::atoi(name.c_str() + before.size()));
    }
  }
  return found.empty() ? "none" : fmt::format("GCC {}", fmt::join(found, ", "));
}

// What to say where there is no plugin: what happens now, and what to do.
std::string no_plugin(const fs::path& compiler, const std::string& version,
                      std::string_view what_now) {
  const std::string itself = first_line_of(compiler, "--version").value_or("");
  if (is_of_llvm(itself))
    return fmt::format(
        "there is no pass plugin for {}, which is \"{}\": {}. What it makes of loops without a "
        "schedule clause doall steers without one, but knows no costs of theirs. A pass plugin is "
        "built where LLVM's headers are (Debian: llvm-19-dev)",
        compiler.string(), itself, what_now);
  if (find_plugin(version))
    return fmt::format(
        "there is no plugin for {}, which compiles for \"{}\", expected {} and Linux: {}",
        compiler.string(), foreign_target_of(compiler), processor, what_now);
  return fmt::format(
      "there is no plugin for {}, which says that it is version \"{}\": {}. Plugins are here for "
      "{}. Install the package gcc-{}-plugin-doall; or run, in doall's source, make plugin GCC={}, "
      "which needs that GCC's headers for plugins (Debian: gcc-{}-plugin-dev, Fedora: "
      "gcc-plugin-devel)",
      compiler.string(), version, what_now, versions_with_plugins(), major_of(version),
      major_of(version), major_of(version));
}

// What the command line says, or this machine's table; empty: the plugin has its own.
std::string prices_for(const compiler_line& line) {
  if (!line.prices.empty()) return line.prices;
  const auto table = usual_price_table();
  std::error_code ignored;
  if (!table || !fs::exists(*table, ignored)) return {};
  try {
    return read_price_table(*table);
  } catch (const failure& bad) {
    say("doall: {}; the plugin's own prices are used\n", bad.what());
    return {};
  }
}

void add_plugin(arguments& command, const fs::path& compiler, const compiler_line& line) {
  if (const auto pass = find_pass(compiler)) {
    const arguments options = options_of_pass(*pass, is_flang(own_name_of(compiler)), line.plugin,
                                              prices_for(line), line.explains);
    command.insert(command.end(), options.begin(), options.end());
    return;
  }
  const std::string version = version_of(compiler);
  const auto plugin = find_plugin(version);
  if (!plugin || !foreign_target_of(compiler).empty()) {
    if (line.explains)
      throw failure(failed, no_plugin(compiler, version, "nothing can be said of the loops"));
    if (line.warns.value_or(true))
      say("doall: {} (-Wno-doall: without this line)\n",
          no_plugin(compiler, version, "it compiles as it is"));
    return;
  }
  command.push_back("-D__DOALL__=1");
  if (line.names ? *line.names : needs_clause_step(line.rest)) {
    const arguments step = options_of_clause_step();
    command.insert(command.end(), step.begin(), step.end());
  }
  command.push_back("-fplugin=" + plugin->string());
  if (const std::string prices = prices_for(line); !prices.empty())
    command.push_back("-fplugin-arg-doall-prices=" + prices);
  for (const std::string& option : line.plugin) command.push_back("-fplugin-arg-doall-" + option);
}

// What objects depend on besides the source and the command line, for caches of objects to ask: it
// says another thing when GCC, the plugin, these drivers or the prices have changed.
int print_identity(const fs::path& compiler, const compiler_line& line) {
  const std::string version = version_of(compiler);
  std::error_code ignored;
  const auto pass = find_pass(compiler);
  const auto of_gcc = foreign_target_of(compiler).empty() ? find_plugin(version) : std::nullopt;
  const fs::path plugin = pass ? *pass : of_gcc.value_or("");
  for (const fs::path& file : {compiler, plugin, fs::path("/proc/self/exe")}) {
    const fs::path real = fs::canonical(file, ignored);
    if (real.empty()) continue;
    fmt::print("{} {} {}\n", real.string(), fs::file_size(real, ignored),
               fs::last_write_time(real, ignored).time_since_epoch().count());
  }
  fmt::print("version {}, prices {}\n", version, prices_for(line));
  return succeeded;
}

// The compiler that the variable names, or the usual one.
std::string name_of_compiler(const language& l) {
  const char* named = std::getenv(l.variable);
  return named != nullptr && *named != '\0' ? named : l.usual;
}

// Has the compiler that a driver runs, for drivers that this one starts.
constexpr const char* started_variable = "DOALL_DRIVER_STARTED";

// Finds the program. Throws failure if it is one of these drivers or a script that starts one for
// the same program again: they would start each other for ever.
fs::path find_compiler(const language& l, const std::string& name) {
  fs::path compiler = find_program(name);
  const std::string itself = own_name_of(compiler);
  const char* before = std::getenv(started_variable);
  std::error_code ignored;
  const bool is_driver = itself == "doall" || itself == "doall-cc" ||
                         fs::equivalent(compiler, "/proc/self/exe", ignored);
  if (is_driver || (before != nullptr && fs::equivalent(compiler, before, ignored)))
    throw failure(failed,
                  fmt::format("the compiler \"{}\" ({}) {}, expected one such as {} or its path in "
                              "{}; nothing was compiled",
                              name, compiler.string(),
                              is_driver ? "is doall's own driver" : "starts doall's driver again",
                              l.usual, l.variable));
  setenv(started_variable, fs::absolute(compiler, ignored).c_str(), 1);
  return compiler;
}

int compile(const language& l, const arguments& args) {
  compiler_line line = read_compiler_line(args);
  if (line.explains) {
    line.rest = writing_nothing(line.rest);
    line.openmp = true;
  }
  const std::string name = name_of_compiler(l);
  launch what;
  what.file = find_compiler(l, name);
  what.command = {name};
  if (line.explains) what.environment = variables_writing_nothing();
  if (line.identifies) return print_identity(what.file, line);
  if (line.openmp) add_plugin(what.command, what.file, line);
  what.command.insert(what.command.end(), line.rest.begin(), line.rest.end());
  if (line.explains && std::ranges::count_if(what.command, is_source) > 1)
    end_as(run_for_each_source(what));
  become(what);
}

// GCC's tools for archives of objects that LTO is to see, which CMake and others look for beside
// the compiler, by the beginning of its name: those of the compiler that the drivers run.
constexpr std::string_view tools[] = {"gcc-ar", "gcc-nm", "gcc-ranlib"};

int run_tool(std::string_view tool, const arguments& args) {
  std::string name = name_of_compiler(languages[0]);
  const std::size_t at = name.rfind("gcc");
  if (at == std::string::npos)
    name = tool;
  else
    name.replace(at, 3, tool);
  launch what;
  what.file = find_compiler(languages[0], name);
  what.command = {name};
  what.command.insert(what.command.end(), args.begin(), args.end());
  become(what);
}

int command_of(std::string_view name, const arguments& args) {
  const language& l = language_of(name);
  if (args.empty() || args.front() == "--help") {
    print_help(l);
    return args.empty() ? bad_usage : succeeded;
  }
  return compile(l, args);
}

}  // namespace

int cc_command(const arguments& args) { return command_of("cc", args); }
int cxx_command(const arguments& args) { return command_of("c++", args); }
int fortran_command(const arguments& args) { return command_of("fortran", args); }

std::optional<int> compile_as(std::string_view program, const arguments& args) {
  constexpr std::string_view prefix = "doall-";
  program.remove_prefix(program.rfind('/') == std::string_view::npos ? 0 : program.rfind('/') + 1);
  if (!program.starts_with(prefix)) return {};
  program.remove_prefix(prefix.size());
  for (const language& l : languages) {
    if (l.command == program) return compile(l, args);
  }
  for (const std::string_view tool : tools) {
    if (tool == program) return run_tool(tool, args);
  }
  return {};
}

}  // namespace doall::cli
