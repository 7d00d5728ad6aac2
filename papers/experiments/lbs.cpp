// doall bench lbs: loops inside of loops, and recursion made of loops, with the peers.
#include <algorithm>
#include <map>

#include "driver/compare.hpp"
#include "driver/experiment.hpp"
#include "driver/verdict.hpp"
#include "kernels/harness.hpp"
#include "kernels/inner_loops.hpp"

namespace doall::bench {
namespace {

// Everybody's whom the subject has a bar against, but for ours.
std::vector<std::string> peer_families(const comparison& b,
                                       const std::vector<program_result>& all) {
  std::vector<std::string> found;
  for (const program_result& r : all) {
    for (const series& s : r.all) {
      const std::string family = family_of(s.of);
      if (s.of.is_ours() || !b.most(r.program, s.of)) continue;
      if (std::ranges::count(found, family) == 0) found.push_back(family);
    }
  }
  return found;
}

// A worker's nanoseconds for each inner loop: by how much longer the nest takes than the one with
// plain inner loops in the same round, while all workers are busy.
std::optional<verdict> inner_loop_verdict(const program_result& r, size s) {
  constexpr double most_ns = 20;
  const series* met = r.fastest("doall native lbs");
  const series* plain = r.fastest("doall native lbs/plain");
  if (met == nullptr || plain == nullptr) return {};
  const double loops_a_worker = static_cast<double>(inner_loops::loops(s)) /
                                static_cast<double>(met->of.who->lane->threads());
  std::vector<double> costs_ns;
  for (std::size_t i = 0; i < r.serial.rounds_ns.size(); ++i) {
    costs_ns.push_back((met->rounds_ns[i] - plain->rounds_ns[i]) / loops_a_worker);
  }
  verdict v{.of = "an inner loop, nobody idle, ns", .limit = "< 20", .where = r.program};
  v.found = median_ratio(costs_ns);
  if (v.found.interval) v.held = v.found.median < most_ns;
  return v;
}

// What is asked of lbs besides its time over others' in each program: ahead of each peer at the
// geometric mean; the work efficiency; what an inner loop costs when nobody is idle.
std::vector<verdict> judge_lbs(const comparison& b, const std::vector<program_result>& programs,
                               const std::vector<program_result>& side,
                               const std::string& size_name) {
  constexpr double efficiency_least = 0.98;
  std::vector<verdict> made;
  for (const std::string& family : peer_families(b, programs)) {
    add_to(made, mean_verdict(b, programs, family));
  }
  add_to(made, efficiency_verdict(programs, efficiency_least));
  const size s = size_of(size_name);
  for (const program_result& r : side) {
    add_to(made, inner_loop_verdict(r, s));
  }
  return made;
}

// Untuned, lbs must not be slower than whoever was searched for. The other splitting schedules
// are there to be looked at.
std::optional<bar> most(const std::string&, const entrant& e) {
  constexpr bar searched{.most = 1.03};
  if (e.who->door == one_worker_door) return {};
  if (e.is_ours() && !e.schedule.starts_with("ebs-simple,")) return {};
  return searched;
}

// LBS's Table 2 (kernels/programs.hpp), and inner_loops.hpp.
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
  all.add(lane_plan{.runtime = "doall",
                    .door = "native",
                    .program = "lane-kernels-doall",
                    .arguments = {"inner", size}});
}

void run_lbs(const cli::arguments& args) {
  run_comparison(
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
      args);
}

const experiment here{"lbs", run_lbs};

}  // namespace
}  // namespace doall::bench
