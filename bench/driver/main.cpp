// doall-bench: what `doall bench` hands over to.
//
//   doall-bench                 the names of all experiments, one a line
//   doall-bench NAME [ARGS...]  runs one
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "cli/options.hpp"
#include "driver/experiments.hpp"

namespace {

using namespace doall::bench;

// A program of its own, in C: nobody else tells small loops apart.
int run_sites(int, char** argv) {
  const auto file = std::filesystem::canonical("/proc/self/exe").replace_filename("lane-sites");
  execv(file.c_str(), argv);
  fmt::print(stderr, "doall bench sites: {} cannot be started\n", file.string());
  return doall::cli::failed;
}

struct experiment {
  std::string_view name;
  int (*run)(int argc, char** argv);
};

constexpr experiment experiments[] = {{"afs", run_afs},
                                      {"burden", run_burden},
                                      {"cows", run_cows},
                                      {"envelope", run_envelope},
                                      {"hybrid", run_hybrid},
                                      {"idle", run_idle},
                                      {"lbs", run_lbs},
                                      {"nests", run_nests_experiment},
                                      {"noisy", run_noisy},
                                      {"oversubscribed", run_oversubscribed},
                                      {"programs", run_programs},
                                      {"recursion", run_recursion},
                                      {"reduce", run_reduce},
                                      {"sites", run_sites},
                                      {"variability", run_variability}};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const experiment& e : experiments) fmt::print("{}\n", e.name);
    return doall::cli::succeeded;
  }
  const auto* const asked =
      std::ranges::find(experiments, std::string_view(argv[1]), &experiment::name);
  if (asked == std::end(experiments)) {
    fmt::print(stderr, "doall-bench: unknown benchmark \"{}\"; without a name it lists all\n",
               argv[1]);
    return doall::cli::bad_usage;
  }
  return asked->run(argc - 1, argv + 1);
}
