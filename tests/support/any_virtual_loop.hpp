// Random loops in virtual time: costs, prices and arrivals.
#pragma once

#include <vector>

#include "support/any_loop.hpp"
#include "support/virtual_run.hpp"

namespace doall::tests {

// Times are quarters of small numbers, so that their sums are exact.
inline double any_time(base::rng& random, u64 most) {
  return static_cast<double>(random.below(4 * most + 1)) / 4;
}

// All alike, falling, or alike in blocks.
inline sim::iteration_costs any_iteration_costs(base::rng& random, u64 iterations) {
  if (random.below(3) == 0) return sim::iteration_costs(any_time(random, 8));
  const bool falling = random.below(2) == 0;
  const u64 block = random.below(2) == 0 ? 1 : 1 + random.below(iterations + 1);
  std::vector<double> each(iterations);
  for (u64 i = 0; i < iterations; ++i) {
    each[i] = falling          ? static_cast<double>(iterations - i)
              : i % block == 0 ? any_time(random, 16)
                               : each[i - 1];
  }
  return sim::iteration_costs(each);
}

// Some come late.
inline std::vector<double> any_arrivals(base::rng& random, std::uint32_t workers) {
  std::vector<double> arrivals(random.below(workers + 1));
  for (double& time : arrivals) time = random.below(2) == 0 ? 0 : any_time(random, 200);
  return arrivals;
}

// The schedule's loop with all that is not the schedule drawn anew.
inline sim::loop_setup any_setup(base::rng& random, const schedules::spec& schedule,
                                 loop_shape shape) {
  return {.schedule = schedule,
          .shape = shape,
          .costs = any_iteration_costs(random, shape.iterations),
          .prices = {any_time(random, 4), any_time(random, 4), any_time(random, 4)},
          .arrivals = any_arrivals(random, shape.workers)};
}

inline sim::loop_setup any_setup(base::rng& random, const schedules::entry& which) {
  const std::uint32_t workers = any_workers(random);
  const loop_shape shape{any_iterations(random, workers), workers};
  return any_setup(random, any_spec(random, which, shape), shape);
}

}  // namespace doall::tests
