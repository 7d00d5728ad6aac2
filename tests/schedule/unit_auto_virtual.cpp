// auto on more workers than this machine has, in virtual time: how near it comes to whichever
// schedule is best for a loop, of those that are told nothing and remember nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "schedule/registry.hpp"
#include "support/virtual_run.hpp"

namespace doall::tests {
namespace {

constexpr double iteration_ns = 1'000;

double makespan_ns(const schedules::entry& e, const loop_shape& shape,
                   const sim::iteration_costs& costs) {
  const double mean = costs.of({0, shape.iterations}) / static_cast<double>(shape.iterations);
  const bool by_ones = &e == &schedules::for_runtime_loops();
  return sim::run_once({.schedule = {&e, schedules::params::of_first(by_ones ? 1U : 0U)},
                        .shape = shape,
                        .costs = costs,
                        .unit = iteration_ns / mean,
                        .prices = {.own = 12, .central = 100, .stolen = 200}})
      .makespan();
}

double over_best(const loop_shape& shape, const sim::iteration_costs& costs) {
  double best_ns = makespan_ns(schedules::for_native_loops(), shape, costs);
  const double ours_ns = best_ns;
  for (const schedules::entry& e : schedules::registry()) {
    if (e.has(schedules::uses_costs) || e.has(schedules::remembers)) continue;
    best_ns = std::min(best_ns, makespan_ns(e, shape, costs));
  }
  return ours_ns / best_ns;
}

// AFS's shapes of costs (section 4.4), a microsecond an iteration in the mean.
TEST(AutoInVirtualTime, IsNearTheBestScheduleOfEachLoop) {
  double product = 1;
  double worst = 0;
  int loops = 0;
  for (const sim::cost_shape& shape : sim::cost_shapes()) {
    for (const u64 iterations : {1'000U, 10'000U, 100'000U}) {
      const sim::iteration_costs costs = sim::costs_of(shape, iterations);
      for (const std::uint32_t workers : {8U, 32U, 128U}) {
        if (iterations / workers < 8) continue;
        const double ratio = over_best({iterations, workers}, costs);
        EXPECT_LE(ratio, 1.15) << shape.name << ", " << iterations << " on " << workers;
        product *= ratio;
        worst = std::max(worst, ratio);
        ++loops;
      }
    }
  }
  const double mean = std::pow(product, 1.0 / loops);
  RecordProperty("mean", std::to_string(mean));
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LE(mean, 1.05);
}

}  // namespace
}  // namespace doall::tests
