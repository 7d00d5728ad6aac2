// Short ways to run a loop in virtual time (src/sim).
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "sim/virtual_time.hpp"
#include "support/hand_driver.hpp"
#include "support/ledger.hpp"

namespace doall::tests {

inline sim::loop_setup loop_of(std::string_view schedule, loop_shape shape,
                               sim::iteration_costs costs = {}) {
  return {.schedule = spec_of(schedule), .shape = shape, .costs = std::move(costs)};
}

inline sim::execution run_of(std::string_view schedule, loop_shape shape,
                             sim::iteration_costs costs = {}) {
  return sim::run_once(loop_of(schedule, shape, std::move(costs)));
}

// One worker comes at a time of its own, the others at 0.
inline std::vector<double> arrival_of(std::uint32_t worker, double time) {
  std::vector<double> arrivals(worker + 1);
  arrivals[worker] = time;
  return arrivals;
}

inline void expect_exactly_once(const sim::execution& e, u64 iterations) {
  ledger dealt(iterations);
  for (const sim::dealt_chunk& d : e.chunks) dealt.record(d.what);
  dealt.expect_exactly_once();
}

// In whose queue a chunk was, where each worker has one.
inline std::uint32_t queue_of(const sim::dealt_chunk& d) {
  return d.what.from == schedules::origin::stolen ? d.what.victim : d.worker;
}

// How many iterations were run by somebody else.
inline u64 moved_in(const sim::execution& e) {
  u64 moved = 0;
  for (const sim::dealt_chunk& d : e.chunks) moved += queue_of(d) == d.worker ? 0 : d.what.size();
  return moved;
}

}  // namespace doall::tests
