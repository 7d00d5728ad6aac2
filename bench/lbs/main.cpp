// doall bench lbs: loops inside of loops, and recursion made of loops, with the peers.
#include "stealing/benchmark.hpp"

namespace {

using namespace doall::bench;

// Untuned, lbs must not be slower than whoever was searched for. The other splitting schedules
// are there to be looked at.
std::optional<double> most(const std::string&, const entrant& e) {
  constexpr double searched = 1.03;
  if (e.who->door == one_worker_door) return {};
  if (e.is_ours() && !e.schedule.starts_with("ebs-simple,")) return {};
  return searched;
}

}  // namespace

int main(int argc, char** argv) {
  return run_stealing_benchmark(
      {.name = "lbs",
       .purpose =
           "LBS's eight programs of nested and recursive loops: lazy binary splitting, untuned,\n"
           "against the other splitting schedules at every threshold, and against what OpenMP\n"
           "and oneTBB have for nests; everybody in turn in one run, with what one worker costs.",
       .title = "Nested loops",
       .schedule = "lbs",
       .runs_by_default = [](const std::string&) { return true; },
       .most = most},
      argc, argv);
}
