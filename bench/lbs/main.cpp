// doall bench lbs: loops inside of loops, and recursion made of loops, with the peers.
#include <map>

#include "lbs/judgement.hpp"
#include "stealing/benchmark.hpp"

namespace {

using namespace doall::bench;

// Untuned, lbs must not be slower than whoever was searched for. The other splitting schedules
// are there to be looked at.
std::optional<bar> most(const std::string&, const entrant& e) {
  constexpr bar searched{.most = 1.03};
  if (e.who->door == one_worker_door) return {};
  if (e.is_ours() && !e.schedule.starts_with("ebs-simple,")) return {};
  return searched;
}

// LBS's Table 2 (kernels/nested_programs.hpp), and inner_loops.hpp.
std::string input(const std::string& program, const std::string& size) {
  struct sizes {
    const char* training;
    const char* execution;
  };
  static const std::map<std::string, sizes> all{
      {"matmult", {"64 x 64", "512 x 512"}},
      {"convolution", {"64 x 64, filter 16 x 16", "1024 x 1024, filter 16 x 16"}},
      {"floyd-warshall", {"64 nodes", "512 nodes"}},
      {"quicksort", {"10,000 integers", "1,000,000 integers"}},
      {"breadth-first", {"10,000 nodes, 200,000 edges", "10,000 nodes, 8,000,000 edges"}},
      {"spmv", {"30,000 x 100, 60,000 non-zeros", "80,000 x 5,000, 40,000,000 non-zeros"}},
      {"tsp", {"9 nodes", "11 nodes"}},
      {"queens", {"9 x 9", "11 x 11"}},
      {"inner-loops", {"20,000 inner loops of 4", "1,000,000 inner loops of 4"}},
  };
  const sizes& one = all.at(program);
  return size == "small" ? one.training : one.execution;
}

void add_inner_loops(roster& all, const contest& c, const std::string& size) {
  if (!c.wants("doall")) return;
  all.add({.runtime = "doall", .door = "native", .program = "lbs-lane-inner", .arguments = {size}});
}

}  // namespace

int main(int argc, char** argv) {
  return run_stealing_benchmark(
      {.name = "lbs",
       .purpose =
           "LBS's eight programs of nested and recursive loops: lazy binary splitting, untuned,\n"
           "against the other splitting schedules at every threshold, and against what OpenMP\n"
           "and oneTBB have for nests; everybody in turn in one run, with what one worker and an\n"
           "inner loop cost. The paper's sizes are its execution set, the small ones its training\n"
           "set (Table 2).",
       .title = "Nested loops",
       .schedule = "lbs",
       .runs_by_default = [](const std::string&) { return true; },
       .input = input,
       .most = most,
       .add_side_lanes = add_inner_loops,
       .judge = judge_lbs},
      argc, argv);
}
