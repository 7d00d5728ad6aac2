#include "cc/explain.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "cc/clause_step.hpp"
#include "cc/compiler_line.hpp"

namespace doall::cli {
namespace {

// What the compiler ends with, and files that it writes beside that.
constexpr std::string_view outputs[] = {
    "-c", "-S", "-E", "--compile", "--assemble", "--preprocess", "-ftest-coverage", "-fstack-usage",
    "-ftime-trace", "-fsave-optimization-record",
    // what the source includes
    "-M", "-MM", "-MD", "-MMD", "-MP", "-MG", "--dependencies", "--user-dependencies",
    "--write-dependencies", "--write-user-dependencies", "--print-missing-file-dependencies"};
// More of these, by how they begin.
constexpr std::string_view beginnings[] = {"--output=",
                                           "-save-temps",
                                           "--save-temps",
                                           "-save-stats",
                                           "--save-stats",
                                           "-fdump-",
                                           "--dump=",
                                           "-aux-info=",
                                           "-fcallgraph-info",
                                           "-ftime-trace=",
                                           "-fsave-optimization-record=",
                                           "-foptimization-record-file=",
                                           "-fdiagnostics-add-output=",
                                           "-fdiagnostics-set-output=",
                                           "-time=",
                                           "--serialize-diagnostics="};
// With a value that follows, or that is in the same argument.
constexpr std::string_view with_value[] = {"-o", "-MF", "-MT", "-MQ", "-MJ"};
// With a value that follows.
constexpr std::string_view with_next[] = {"--output",
                                          "--dump",
                                          "-aux-info",
                                          "-dependency-file",
                                          "--serialize-diagnostics",
                                          "-serialize-diagnostics"};

// "-da": dumps of passes.
bool is_letters_of_dumps(std::string_view arg) {
  return arg.size() > 2 && arg.starts_with("-d") && !arg.starts_with("-dump") &&
         !arg.starts_with("-dependency");
}

// Whether the option says what is written, and where; `takes_next`: its value is the next one.
bool is_of_output(std::string_view arg, bool for_preprocessor, bool& takes_next) {
  const auto begins = [&](std::string_view option) { return arg.starts_with(option); };
  const auto is = [&](std::string_view option) { return arg == option; };
  // The preprocessor alone has the file behind these.
  takes_next = std::ranges::any_of(with_value, is) || std::ranges::any_of(with_next, is) ||
               (for_preprocessor && (arg == "-MD" || arg == "-MMD"));
  return takes_next || std::ranges::any_of(outputs, is) ||
         std::ranges::any_of(beginnings, begins) || std::ranges::any_of(with_value, begins) ||
         is_letters_of_dumps(arg) ||
         (arg.starts_with("-fopt-info") && arg.find('=') != std::string_view::npos) ||
         (arg.starts_with("-fdiagnostics-format=") && arg.ends_with("-file"));
}

arguments without_outputs(const arguments& args, bool for_preprocessor) {
  arguments rest;
  for (std::size_t i = 0; i < args.size(); ++i) {
    bool takes_next = false;
    if (!is_of_output(args[i], for_preprocessor, takes_next)) {
      // What it writes is named otherwise; what it does to the code stays.
      rest.push_back(args[i] == "--coverage" || args[i] == "-coverage" ? "-fprofile-arcs"
                                                                       : args[i]);
    } else if (takes_next) {
      ++i;
    }
  }
  return rest;
}

// What is between the commas behind "-Wp,".
void add_parts(arguments& into, std::string_view text) {
  for (std::size_t comma = 0; comma != std::string_view::npos; text.remove_prefix(comma + 1)) {
    comma = text.find(',');
    into.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return;
  }
}

}  // namespace

arguments writing_nothing(const arguments& given) {
  constexpr std::string_view to_preprocessor = "-Wp,";
  const arguments args = with_responses(given);
  arguments driver;
  arguments preprocessor;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].starts_with(to_preprocessor))
      add_parts(preprocessor, std::string_view(args[i]).substr(to_preprocessor.size()));
    else if (args[i] == "-Xpreprocessor" && i + 1 < args.size())
      preprocessor.push_back(args[++i]);
    else
      driver.push_back(args[i]);
  }
  arguments all = {"-O2", "-fopenmp"};
  std::ranges::copy(without_outputs(driver, false), std::back_inserter(all));
  for (const std::string& option : without_outputs(preprocessor, true))
    all.insert(all.end(), {"-Xpreprocessor", option});
  all.insert(all.end(), {"-S", "-o", "/dev/null"});
  return all;
}

environment_changes variables_writing_nothing() {
  return {{"DEPENDENCIES_OUTPUT", {}}, {"SUNPRO_DEPENDENCIES", {}}};
}

int run_for_each_source(const launch& what) {
  const arguments& all = what.command;
  int status = 0;
  for (std::size_t source = 0; source < all.size(); ++source) {
    if (!is_source(all[source])) continue;
    launch one = what;
    one.command.clear();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i == source || !is_source(all[i])) one.command.push_back(all[i]);
    }
    const outcome end = supervisor().run(one);
    if (status == 0) status = end.wait_status;
  }
  return status;
}

}  // namespace doall::cli
