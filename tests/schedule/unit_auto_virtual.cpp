// auto on more workers than this machine has, in virtual time: how near it comes to whichever
// schedule is best for a loop, of those that are told nothing and remember nothing; and what it
// gains by what it remembers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.hpp"
#include "schedule/registry.hpp"
#include "support/virtual_run.hpp"

namespace doall::tests {
namespace {

constexpr double iteration_ns = 1'000;

sim::loop_setup setup_of(const schedules::entry& e, const loop_shape& shape,
                         const sim::iteration_costs& costs) {
  const double mean = costs.of({0, shape.iterations}) / static_cast<double>(shape.iterations);
  const bool by_ones = &e == &schedules::for_runtime_loops();
  return {.schedule = {&e, schedules::params::of_first(by_ones ? 1U : 0U)},
          .shape = shape,
          .costs = costs,
          .unit = iteration_ns / mean,
          .prices = {.own = 12, .central = 100, .stolen = 200}};
}

double makespan_ns(const schedules::entry& e, const loop_shape& shape,
                   const sim::iteration_costs& costs) {
  return sim::run_once(setup_of(e, shape, costs)).makespan();
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

// The part of the iterations that went to a worker by theft: all that it runs from its first one
// on.
double stolen_part(const sim::execution& e, u64 iterations) {
  std::vector<bool> is_thief(e.workers.size());
  u64 stolen = 0;
  for (const sim::dealt_chunk& d : e.chunks) {
    if (d.what.from == schedules::origin::stolen) is_thief[d.worker] = true;
    if (is_thief[d.worker]) stolen += d.what.size();
  }
  return static_cast<double>(stolen) / static_cast<double>(iterations);
}

constexpr std::uint32_t many_workers[] = {8, 32, 128};
constexpr u64 many_iterations = 20'000;
constexpr int runs_to_learn = 16;

// Uneven in the same way in each run: the partitions are cut where they cost the same. Less is
// stolen, in as short a time.
TEST(AutoInVirtualTime, CutsWhatIsUnevenInEachRun) {
  for (const sim::cost_shape& shape : sim::cost_shapes()) {
    const sim::iteration_costs costs = sim::costs_of(shape, many_iterations);
    for (const std::uint32_t workers : many_workers) {
      SCOPED_TRACE(std::string(shape.name) + " on " + std::to_string(workers));
      sim::virtual_loop loop(
          setup_of(schedules::for_native_loops(), {many_iterations, workers}, costs));
      const sim::execution first = loop.run();
      for (int run = 1; run < runs_to_learn; ++run) loop.run();
      const sim::execution last = loop.run();
      expect_exactly_once(last, many_iterations);
      EXPECT_LE(stolen_part(last, many_iterations), 0.7 * stolen_part(first, many_iterations));
      EXPECT_LE(last.makespan(), 1.02 * first.makespan());
      if (workers >= 32) EXPECT_LE(last.total().remote, 0.6 * first.total().remote);
    }
  }
}

// Uneven elsewhere in each run: cuts would not help, and are given up.
TEST(AutoInVirtualTime, LeavesAloneWhatIsUnevenElsewhereEachTime) {
  constexpr u64 stretch = 500;
  constexpr int runs = 300;
  base::rng random(11);
  const auto any_costs = [&] {
    std::vector<double> each(many_iterations);
    for (u64 i = 0; i < many_iterations; ++i) {
      each[i] = i % stretch == 0 ? static_cast<double>(1 + random.below(40)) : each[i - 1];
    }
    return sim::iteration_costs(each);
  };
  for (const std::uint32_t workers : many_workers) {
    const loop_shape shape{many_iterations, workers};
    const schedules::entry& ours = schedules::for_native_loops();
    sim::virtual_loop loop(setup_of(ours, shape, any_costs()));
    double sum_ns = 0;
    double forgetful_ns = 0;
    for (int run = 0; run < runs; ++run) {
      const sim::loop_setup now = setup_of(ours, shape, any_costs());
      loop.change(now);
      sum_ns += loop.run().makespan();
      forgetful_ns += sim::run_once(now).makespan();
    }
    EXPECT_LE(sum_ns, 1.02 * forgetful_ns) << workers << " workers";
  }
}

// Its costs are turned round: so are the cuts.
TEST(AutoInVirtualTime, FollowsALoopThatChanges) {
  constexpr std::uint32_t workers = 32;
  const loop_shape shape{many_iterations, workers};
  const schedules::entry& ours = schedules::for_native_loops();
  std::vector<double> rising(many_iterations);
  for (u64 i = 0; i < many_iterations; ++i) rising[i] = static_cast<double>(i + 1);
  const std::vector<double> falling(rising.rbegin(), rising.rend());
  sim::virtual_loop loop(setup_of(ours, shape, sim::iteration_costs(rising)));
  for (int run = 0; run < 10 * runs_to_learn; ++run) loop.run();
  loop.change(setup_of(ours, shape, sim::iteration_costs(falling)));
  const double at_first = stolen_part(loop.run(), many_iterations);
  // It may have been timed just before, and is timed in one run of 16.
  for (int run = 0; run < 8 * runs_to_learn; ++run) loop.run();
  EXPECT_LE(stolen_part(loop.run(), many_iterations), 0.3 * at_first);
}

// A run that took no longer for one partition than a twentieth more moves nothing.
TEST(AutoInVirtualTime, MovesNothingForALittle) {
  constexpr std::uint32_t workers = 8;
  std::vector<double> nearly(many_iterations, 1.0);
  for (u64 i = 0; i < many_iterations / workers; ++i) nearly[i] = 1.05;
  sim::virtual_loop loop(setup_of(schedules::for_native_loops(), {many_iterations, workers},
                                  sim::iteration_costs(nearly)));
  const sim::execution first = loop.run();
  for (int run = 0; run < 50; ++run) EXPECT_EQ(sim::stayed(first, loop.run()), 1) << "run " << run;
}

}  // namespace
}  // namespace doall::tests
