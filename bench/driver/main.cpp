// doall-bench: what `doall bench` hands over to.
//
//   doall-bench                 the names of all experiments, one a line
//   doall-bench NAME [ARGS...]  runs one
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <filesystem>
#include <string_view>

#include "driver/experiments.hpp"

namespace {

using namespace doall;
using namespace doall::bench;

// A program of its own, in C: nobody else tells small loops apart.
void run_sites(const cli::arguments& args) {
  const auto file = std::filesystem::canonical("/proc/self/exe").replace_filename("lane-sites");
  std::vector<std::string> words{"sites"};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(file.c_str(), argv.data());
  throw cli::failure(cli::failed, file.string() + " cannot be started");
}

struct experiment {
  std::string_view name;
  void (*run)(const cli::arguments& args);
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
                                      {"omp", run_omp},
                                      {"oversubscribed", run_oversubscribed},
                                      {"programs", run_programs},
                                      {"recursion", run_recursion},
                                      {"reduce", run_reduce},
                                      {"sites", run_sites},
                                      {"tasks", run_tasks},
                                      {"variability", run_variability}};

// What it throws becomes a message, "doall bench NAME: ...", and a status.
int status_of(const experiment& e, const cli::arguments& args) {
  int status = cli::failed;
  try {
    e.run(args);
    return cli::succeeded;
  } catch (const cli::failure& failed) {
    status = failed.status;
    fmt::print(stderr, "doall bench {}: {}\n", e.name, failed.what());
  } catch (const std::exception& failed) {
    fmt::print(stderr, "doall bench {}: {}\n", e.name, failed.what());
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const experiment& e : experiments) fmt::print("{}\n", e.name);
    return cli::succeeded;
  }
  const auto* const asked =
      std::ranges::find(experiments, std::string_view(argv[1]), &experiment::name);
  if (asked == std::end(experiments)) {
    fmt::print(stderr, "doall-bench: unknown benchmark \"{}\"; without a name it lists all\n",
               argv[1]);
    return cli::bad_usage;
  }
  std::setlocale(LC_CTYPE, "C.UTF-8");
  signal(SIGPIPE, SIG_IGN);  // a lane that is gone is reported by name
  return status_of(*asked, {argv + 2, argv + argc});
}
