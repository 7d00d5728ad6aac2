// doall-bench: what `doall bench` hands over to.
//
//   doall-bench                 the names of all experiments, one a line
//   doall-bench NAME [ARGS...]  runs one
#include <fmt/format.h>
#include <signal.h>

#include <clocale>
#include <string_view>

#include "driver/experiment.hpp"

namespace {

using namespace doall;
using namespace doall::bench;

// What it throws becomes a message, "doall bench NAME: ...", and a status.
int status_of(std::string_view name, experiment::body run, const cli::arguments& args) {
  try {
    run(args);
    return cli::succeeded;
  } catch (const std::exception& failed) {
    fmt::print(stderr, "doall bench {}: {}\n", name, failed.what());
    const auto* const told = dynamic_cast<const cli::failure*>(&failed);
    return told != nullptr ? told->status : cli::failed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const auto& [name, run] : all_experiments()) fmt::print("{}\n", name);
    return cli::succeeded;
  }
  const auto asked = all_experiments().find(argv[1]);
  if (asked == all_experiments().end()) {
    fmt::print(stderr, "doall-bench: unknown benchmark \"{}\"; without a name it lists all\n",
               argv[1]);
    return cli::bad_usage;
  }
  std::setlocale(LC_CTYPE, "C.UTF-8");
  signal(SIGPIPE, SIG_IGN);  // a lane that is gone is reported by name
  return status_of(asked->first, asked->second, {argv + 2, argv + argc});
}
