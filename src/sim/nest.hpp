// A program as nested loops, for virtual time: how often each iterates, what an iteration costs,
// and which loops it runs.
//
// Equal loops are one: the n columns of each of n rows are two loops, not n + 1.
#pragma once

#include <cstdint>
#include <vector>

namespace doall::sim {

struct nested_loop {
  std::uint64_t iterations = 0;
  double cost = 0;                              // of an iteration, without the loops in it
  std::vector<double> costs = {};               // or of each
  std::vector<std::uint32_t> inner = {};        // the loops that every iteration runs, in turn
  std::vector<std::uint32_t> inner_begin = {};  // or the first of those of each, in `inner`;
                                                // iterations + 1 of them

  double cost_of(std::uint64_t i) const { return costs.empty() ? cost : costs[i]; }
  bool is_leaf() const { return inner.empty(); }
};

// Loop 0 is the program: it has one iteration, and is no loop. Every loop comes before those in it.
struct nest {
  std::vector<nested_loop> loops;

  // The cost of each loop on one worker without a runtime, with all that is in it. O(size).
  std::vector<double> works() const;
};

}  // namespace doall::sim
