// A workload: loops by what their iterations cost in nanoseconds, as `doall simulate` runs them on
// a machine's model. Its file is JSON with comments:
//
//   {"format": "doall-workload/1",
//    "loops": [{"name": "rows", "iterations": 1000, "cost_ns": 250},
//              {"name": "spmv", "iterations": 8, "calls": 20, "costs_ns": [[6, 40], [2, 900.5]]}]}
//
// cost_ns: of each iteration. costs_ns: pairs of a number of iterations and what each of them
// costs, in the loop's order. calls: how often the loop is run; 1 if it is not there. bytes: of
// data, which each iteration reads and writes, its own and the same ones in every call; 0 if it is
// not there. A loop that was recorded (`doall run --record`) also has how it ran, a call's mean
// time:
//   "ran": {"schedule": "static", "workers": 2, "ns": 131072.5}
// and there "chunk": 64, if its source names one, which stays whole under a schedule that names
// none, and "in_source": true, if only the source can give it another schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/program.hpp"

namespace doall::sim {

struct past_run {
  std::string schedule;
  std::uint32_t workers = 1;
  double ns = 0;           // of a call
  u64 chunk = 0;           // that its source names; 0: none
  bool in_source = false;  // only that can change the schedule
};

struct workload_loop {
  std::string name;
  u64 iterations = 0;
  u64 calls = 1;
  iteration_costs costs{};  // nanoseconds
  double bytes = 0;         // of an iteration's data
  std::optional<past_run> ran = {};

  double serial_ns() const;  // of one call
};

struct workload {
  std::string name;
  std::vector<workload_loop> loops = {};
};

// A loop whose costs have that shape (costs.hpp); its mean iteration takes `mean_ns`.
workload shaped_workload(const cost_shape& shape, u64 iterations, double mean_ns);

// A loop over the vertices of a graph whose degrees follow a power law with the exponent 2.3, as
// those of many webs and social networks do, in random order, by `seed`. A vertex costs its degree;
// the mean is `mean_ns`. No degree is above twice the root of the number of vertices: in a simple
// graph vertices of more would have to be neighbours more than once.
workload power_law_workload(u64 vertices, double mean_ns, u64 seed);

// Reads a file's text. Throws std::invalid_argument: names the loop, the line on which it begins
// and the field, or line and column, and what was expected. O(iterations).
workload read_workload(std::string_view name, std::string_view text);

// One loop as a program, all its calls: its iterations take what the workload says, whatever the
// machine's `unit` is.
program program_of(const workload_loop& loop);
machine in_nanoseconds(machine of);

// A schedule, and what it was predicted to take.
struct alternative {
  schedules::spec schedule;
  double time = 0;
};

// Predictions do not tell schedules apart whose times are that near.
inline constexpr double alike = 1.02;

// The best one: of those that are alike the best the first that keeps iterations with
// their workers, or else the first. A recording does not tell what an iteration loses whose data
// lie in another core's cache.
std::size_t best_of(std::span<const alternative> all);

}  // namespace doall::sim
