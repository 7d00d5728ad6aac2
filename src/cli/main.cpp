// The command `doall`: finds the subcommand, and turns its exceptions into messages and exit
// statuses.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>
#include <system_error>

#include "cc/clause_step.hpp"
#include "cc/compile.hpp"
#include "cli/command.hpp"
#include "process/child.hpp"
#include "process/say.hpp"
#include "text/version.hpp"

namespace doall::cli {
namespace {

struct subcommand {
  std::string_view name;
  std::string_view summary;
  int (*run)(const arguments&);
};

constexpr subcommand subcommands[] = {
    {"run", "run an unmodified OpenMP program on doall's runtime", run_command},
    {"report", "make a page of a run's report", report_command},
    {"diff", "compare two runs' reports loop by loop", diff_command},
    {"top", "show what a program's loops do, each second", top_command},
    {"compare", "find out which schedule is best for a program", compare_command},
    {"schedules", "list the schedules", schedules_command},
    {"chunks", "show how a schedule cuts a loop", chunks_command},
    {"simulate", "show how loops would do on a larger machine", simulate_command},
    {"advise", "name the best schedule of each recorded loop", advise_command},
    {"doctor", "show what doall sees of this machine and of a program", doctor_command},
    {"show", "show the reports that processes left in a folder", show_command},
    {"bench", "run a benchmark of the runtime itself", bench_command},
    {"paper", "check what a paper prints against doall's schedules", paper_command},
    {"cc", "compile C with GCC, with every OpenMP loop steerable", cc_command},
    {"c++", "the same for C++", cxx_command},
    {"fortran", "the same for Fortran", fortran_command},
    {"calibrate", "measure what statements and loops cost on this machine", calibrate_command},
};

void print_help() {
  fmt::print(
      "doall runs parallel loops: of unmodified OpenMP programs, under any schedule.\n\n"
      "Usage: doall COMMAND [ARGS...]\n\nCommands:\n");
  for (const subcommand& s : subcommands) fmt::print("  {:<11} {}\n", s.name, s.summary);
  fmt::print(
      "\nOptions:\n"
      "  -h, --help  this text; 'doall COMMAND --help' for a command's own\n"
      "  --version   the version, and the commit that it was built from\n\n"
      "Examples:\n"
      "  doall run --report ./app             where does its time go?\n"
      "  doall compare -- ./app               which schedule suits it?\n"
      "  doall run --schedule=guided,k=2 ./app\n"
      "  doall chunks guided -n 1000 -p 4     what does a schedule do?\n"
      "  doall doctor ./app                   can doall steer it?\n");
}

int dispatch(const arguments& args) {
  if (args.empty()) throw failure(bad_usage, "no command given\nTry 'doall --help'.");
  const std::string& name = args.front();
  if (name == clause_step) return run_clause_step(arguments(args.begin() + 1, args.end()));
  if (name == "--help" || name == "-h") {
    print_help();
    return succeeded;
  }
  if (name == "--version") {
    fmt::print("{}\n", version_text());
    return succeeded;
  }
  for (const subcommand& s : subcommands) {
    if (s.name == name) return s.run(arguments(args.begin() + 1, args.end()));
  }
  throw failure(bad_usage, fmt::format("unknown {} \"{}\"\nTry 'doall --help'.",
                                       name.starts_with('-') ? "option" : "command", name));
}

// Reports a failed write, unless the reader has left.
int output_failed(int error) {
  if (error != EPIPE) {
    say("doall: cannot write to standard output: {}\n", std::strerror(error));
  }
  return failed;
}

// Flushes standard output. Returns `status`, or the status of a failed write.
int finish_output(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  return output_failed(errno);
}

int guarded(const arguments& args) {
  try {
    return finish_output(dispatch(args));
  } catch (const interrupted& i) {
    end_by_signal(i.signal);
  } catch (const failure& f) {
    say("doall: {}\n", f.what());
    return f.status;
  } catch (const std::system_error& e) {
    // fmt reports a failed write this way when it prints more than stdio buffers.
    const int error = e.code().value();
    if (error == EPIPE || std::ferror(stdout) != 0) return output_failed(error);
    say("doall: {}\n", e.what());
    return failed;
  } catch (const std::exception& e) {
    say("doall: {}\n", e.what());
    return failed;
  }
}

}  // namespace
}  // namespace doall::cli

int main(int argc, char** argv) {
  // Paths and symbols are UTF-8; tables ask how wide their characters are.
  std::setlocale(LC_CTYPE, "C.UTF-8");
  return doall::cli::guarded(doall::cli::arguments(argv + std::min(argc, 1), argv + argc));
}
