// The virtual-time driver on random loops under every schedule of the registry.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "support/any_virtual_loop.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::entry;
using schedules::origin;
using sim::dealt_chunk;
using sim::execution;
using sim::loop_setup;

// A worker does one thing at a time, from its arrival on, without a pause.
void expect_workers_in_line(const execution& e, const loop_setup& loop) {
  std::vector<double> since(loop.shape.workers);
  std::ranges::copy(loop.arrivals, since.begin());
  for (const dealt_chunk& d : e.chunks) {
    ASSERT_EQ(d.asked, since[d.worker]);
    ASSERT_GE(d.started, d.asked);
    ASSERT_EQ(d.finished, d.started + loop.costs.of(d.what));
    since[d.worker] = d.finished;
  }
  for (std::uint32_t w = 0; w < loop.shape.workers; ++w) {
    ASSERT_EQ(e.workers[w].left, since[w]) << "worker " << w;
  }
}

// A queue serves one worker at a time, in the order in which they ask. A schedule
// without queues serves all at once.
void expect_queues_in_line(const execution& e, const loop_setup& loop) {
  const sim::worker_account all = e.total();
  const bool has_queues = all.local + all.remote + all.central != 0;
  std::map<std::uint32_t, double> free_since;
  double asked = 0;
  for (const dealt_chunk& d : e.chunks) {
    ASSERT_GE(d.asked, asked);
    asked = d.asked;
    if (!has_queues) {
      ASSERT_EQ(d.started, d.asked);
      continue;
    }
    const bool central = d.what.from == origin::central;
    double& free = free_since[central ? loop.shape.workers : queue_of(d)];
    free = std::max(d.asked, free) + loop.prices.of(d.what.from);
    ASSERT_EQ(d.started, free);
  }
}

class EverySchedule : public testing::TestWithParam<entry> {};

TEST_P(EverySchedule, RunsEachIterationOnceAndTimeAddsUp) {
  for_each_case(300, [&](base::rng& random) {
    const loop_setup loop = any_setup(random, GetParam());
    SCOPED_TRACE(describe(loop.schedule, loop.shape));
    sim::virtual_loop again(loop);
    for (u64 runs = 1 + random.below(3); runs > 0; --runs) {
      const execution e = again.run();
      expect_exactly_once(e, loop.shape.iterations);
      expect_workers_in_line(e, loop);
      expect_queues_in_line(e, loop);
      const sim::worker_account all = e.total();
      ASSERT_EQ(all.iterations, loop.shape.iterations);
      ASSERT_EQ(all.chunks, e.chunks.size());
      ASSERT_EQ(all.remote, all.robbed);
      ASSERT_EQ(all.busy, loop.costs.of({0, loop.shape.iterations}));
      ASSERT_DOUBLE_EQ(sim::stayed(e, e), 1);
    }
  });
}

TEST_P(EverySchedule, IsAFunctionOfItsSetup) {
  for_each_case(50, [&](base::rng& random) {
    const loop_setup loop = any_setup(random, GetParam());
    SCOPED_TRACE(describe(loop.schedule, loop.shape));
    const execution one = sim::run_once(loop);
    const execution other = sim::run_once(loop);
    ASSERT_EQ(one.chunks.size(), other.chunks.size());
    for (std::size_t i = 0; i < one.chunks.size(); ++i) {
      ASSERT_EQ(one.chunks[i].worker, other.chunks[i].worker);
      ASSERT_EQ(one.chunks[i].what.begin, other.chunks[i].what.begin);
      ASSERT_EQ(one.chunks[i].finished, other.chunks[i].finished);
    }
  });
}

// Who ran each iteration.
std::vector<std::uint32_t> runners_of(const execution& e, u64 iterations) {
  std::vector<std::uint32_t> runner(iterations);
  for (const dealt_chunk& d : e.chunks) {
    for (u64 i = d.what.begin; i < d.what.end; i += d.what.step) runner[i] = d.worker;
  }
  return runner;
}

// Whatever the two schedules and their strides.
TEST_P(EverySchedule, StayedIsWhatOneByOneComparisonFinds) {
  for_each_case(100, [&](base::rng& random) {
    const loop_setup one = any_setup(random, GetParam());
    const u64 iterations = one.shape.iterations;
    const loop_shape other_shape{iterations, any_workers(random)};
    const auto other =
        any_setup(random, any_spec(random, any_entry(random), other_shape), other_shape);
    SCOPED_TRACE(describe(one.schedule, one.shape) + " and " +
                 describe(other.schedule, other.shape));
    const execution earlier = sim::run_once(one);
    const execution later = sim::run_once(other);
    const auto before = runners_of(earlier, iterations);
    const auto after = runners_of(later, iterations);
    u64 same = 0;
    for (u64 i = 0; i < iterations; ++i) same += before[i] == after[i] ? 1 : 0;
    const double part =
        iterations == 0 ? 1 : static_cast<double>(same) / static_cast<double>(iterations);
    ASSERT_EQ(sim::stayed(earlier, later), part);
  });
}

INSTANTIATE_TEST_SUITE_P(registry, EverySchedule, testing::ValuesIn(schedules::registry()),
                         [](const auto& info) { return test_name(info.param.name); });

}  // namespace
}  // namespace doall::tests
