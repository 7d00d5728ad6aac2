// Short ways to run a loop in virtual time (src/sim).
#pragma once

#include <string_view>
#include <utility>

#include "sim/virtual_time.hpp"
#include "support/hand_driver.hpp"

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

}  // namespace doall::tests
