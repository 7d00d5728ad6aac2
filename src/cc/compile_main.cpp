// doall-cc, doall-c++ and doall-fortran: the compiler drivers as a program of its own. A build
// starts one for each file, and the command's libraries (of topology, of debug information) would
// be a hundredth of what compiling a small file takes.
#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "cc/clause_step.hpp"
#include "cc/compile.hpp"
#include "process/failure.hpp"
#include "process/say.hpp"

namespace {

int drive(const char* program, const doall::cli::arguments& args) {
  using namespace doall::cli;
  if (!args.empty() && args.front() == clause_step)
    return run_clause_step(arguments(args.begin() + 1, args.end()));
  if (const auto status = compile_as(program, args)) return *status;
  throw failure(bad_usage, fmt::format("this program is called \"{}\", expected doall-cc, "
                                       "doall-c++ or doall-fortran; nothing was compiled",
                                       program));
}

}  // namespace

int main(int argc, char** argv) {
  const char* program = argc > 0 ? argv[0] : "";
  try {
    return drive(program, doall::cli::arguments(argv + std::min(argc, 1), argv + argc));
  } catch (const doall::cli::failure& f) {
    doall::cli::say("doall: {}\n", f.what());
    return f.status;
  } catch (const std::exception& e) {
    doall::cli::say("doall: {}\n", e.what());
    return doall::cli::failed;
  }
}
