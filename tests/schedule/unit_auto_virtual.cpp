// auto on more workers than this machine has, in virtual time: what it gains by what it remembers.
// How near it comes to the best schedule of a loop: bench/tests/bench_auto_virtual.cpp.
#include <gtest/gtest.h>

#include <algorithm>
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
      EXPECT_LE(sim::stolen_part(last), 0.7 * sim::stolen_part(first));
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
  const double at_first = sim::stolen_part(loop.run());
  // It may have been timed just before, and is timed in one run of 16.
  for (int run = 0; run < 8 * runs_to_learn; ++run) loop.run();
  EXPECT_LE(sim::stolen_part(loop.run()), 0.3 * at_first);
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
