// affinity-last: affinity's cuts, with each iteration in the queue of the worker
// that ran it last.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.hpp"
#include "schedule/fragments.hpp"
#include "support/any_loop.hpp"
#include "support/earliest_free.hpp"
#include "support/hand_driver.hpp"
#include "support/ledger.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::fragment_list;
using schedules::loop_fragments;
using schedules::origin;
using schedules::share;

void expect_chunk(const chunk& c, u64 begin, u64 end, origin from) {
  EXPECT_EQ(c.begin, begin);
  EXPECT_EQ(c.end, end);
  EXPECT_EQ(c.from, from);
}

// The even partition over two workers, of which worker 1 does not come before
// worker 0 has taken all of its own queue and twice half of worker 1's.
void run_first_with_one_late(hand_driver& driver, loop_memory& memory) {
  driver.begin(spec_of("affinity-last,1"), {16, 2}, &memory);
  expect_chunk(driver.ask(0), 0, 8, origin::own);
  expect_chunk(driver.ask(0), 8, 12, origin::stolen);
  expect_chunk(driver.ask(0), 12, 14, origin::stolen);
  expect_chunk(driver.ask(1), 14, 16, origin::own);
  EXPECT_TRUE(driver.ask(0).empty());
  EXPECT_TRUE(driver.ask(1).empty());
  driver.finish();
}

TEST(AffinityLast, QueuesAnIterationWhereItLastRan) {
  hand_driver driver(2);
  loop_memory memory;
  run_first_with_one_late(driver, memory);
  driver.begin(spec_of("affinity-last,1"), {16, 2}, &memory);
  expect_chunk(driver.ask(1), 14, 16, origin::own);
  expect_chunk(driver.ask(0), 0, 14, origin::own);
}

// Worker 1 gets [0, 4) of worker 0's queue and keeps [14, 16).
TEST(AffinityLast, EndsAChunkWhereItsFragmentEnds) {
  hand_driver driver(2);
  loop_memory memory;
  run_first_with_one_late(driver, memory);
  driver.begin(spec_of("affinity-last,1"), {16, 2}, &memory);
  expect_chunk(driver.ask(1), 14, 16, origin::own);
  expect_chunk(driver.ask(1), 0, 7, origin::stolen);
  expect_chunk(driver.ask(0), 7, 14, origin::own);
  EXPECT_TRUE(driver.ask(0).empty());
  EXPECT_TRUE(driver.ask(1).empty());
  driver.finish();
  driver.begin(spec_of("affinity-last,1"), {16, 2}, &memory);
  expect_chunk(driver.ask(1), 0, 7, origin::own);
  expect_chunk(driver.ask(1), 14, 16, origin::own);
  expect_chunk(driver.ask(0), 7, 14, origin::own);
}

TEST(AffinityLast, StealsFromAQueueOfFragmentsWhoseOwnerIsAbsent) {
  hand_driver driver(2);
  loop_memory memory;
  run_first_with_one_late(driver, memory);
  driver.begin(spec_of("affinity-last"), {16, 2}, &memory);
  ledger dealt(16);
  for (const chunk& c : all_of(driver, 1)) dealt.record(c);
  dealt.expect_exactly_once();
}

TEST(AffinityLast, IsAffinityWithoutMemory) {
  const loop_shape shape{1000, 5};
  hand_driver last(shape.workers);
  hand_driver plain(shape.workers);
  for (int run = 0; run < 2; ++run) {
    last.begin(spec_of("affinity-last,3"), shape);
    plain.begin(spec_of("affinity,3"), shape);
    for (const std::uint32_t w : {2, 2, 0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2}) {
      const chunk expected = plain.ask(w);
      const chunk got = last.ask(w);
      expect_chunk(got, expected.begin, expected.end, expected.from);
      EXPECT_EQ(got.victim, expected.victim);
    }
    last.finish();
  }
}

TEST(AffinityLast, StartsAfreshWhenTheLoopHasAnotherSize) {
  hand_driver driver(2);
  loop_memory memory;
  run_first_with_one_late(driver, memory);
  driver.begin(spec_of("affinity-last,1"), {20, 2}, &memory);
  expect_chunk(driver.ask(0), 0, 10, origin::own);
  expect_chunk(driver.ask(1), 10, 20, origin::own);
  EXPECT_TRUE(driver.ask(0).empty());
  EXPECT_TRUE(driver.ask(1).empty());
  driver.finish();
  // Nothing moved there, so the first loop is still remembered.
  driver.begin(spec_of("affinity-last,1"), {16, 2}, &memory);
  expect_chunk(driver.ask(0), 0, 14, origin::own);
}

TEST(AffinityLast, LearnsNothingFromARunThatWasGivenUp) {
  hand_driver driver(2);
  loop_memory memory;
  run_first_with_one_late(driver, memory);
  driver.begin(spec_of("affinity-last,1"), {16, 2}, &memory);
  driver.ask(1);
  expect_chunk(driver.ask(1), 0, 7, origin::stolen);
  // Not finished; what was noted of it is not mistaken for the next run's.
  driver.begin(spec_of("affinity-last,1"), {16, 2}, &memory);
  expect_chunk(driver.ask(0), 0, 14, origin::own);
  expect_chunk(driver.ask(0), 14, 15, origin::stolen);
  expect_chunk(driver.ask(1), 15, 16, origin::own);
  EXPECT_TRUE(driver.ask(0).empty());
  EXPECT_TRUE(driver.ask(1).empty());
  driver.finish();
  driver.begin(spec_of("affinity-last,1"), {16, 2}, &memory);
  expect_chunk(driver.ask(0), 0, 15, origin::own);
}

// How many iterations moved in each of `runs` runs of a loop.
template <class Cost>
std::vector<u64> moved_in_runs(loop_shape shape, int runs, Cost cost) {
  hand_driver driver(shape.workers);
  loop_memory memory;
  std::vector<u64> moved;
  for (int run = 0; run < runs; ++run) {
    driver.begin(spec_of("affinity-last"), shape, &memory);
    ledger dealt(shape.iterations);
    moved.push_back(0);
    run_earliest_free(driver, std::vector<double>(shape.workers), cost,
                      [&](std::uint32_t, const chunk& c) {
                        dealt.record(c);
                        if (c.from == origin::stolen) moved.back() += c.size();
                      });
    dealt.expect_exactly_once();
  }
  return moved;
}

// The paper's hope: an imbalance that stays is evened out once.
TEST(AffinityLast, MovesNothingAgainWhenTheImbalanceStays) {
  for (const std::uint32_t workers : {2, 4, 8, 16}) {
    const loop_shape shape{4096, workers};
    const auto moved =
        moved_in_runs(shape, 4, [&](u64 i) { return i < shape.iterations / 2 ? 10 : 1; });
    EXPECT_GT(moved[0], 900U) << workers;
    EXPECT_LE(moved[1], 4U) << workers;
    EXPECT_EQ(moved[3], 0U) << workers;
  }
}

// Where the largest moves are all that is remembered, they are most of it.
TEST(AffinityLast, MovesLittleAgainWhereFragmentsRunOut) {
  const loop_shape shape{100000, 32};
  const auto moved =
      moved_in_runs(shape, 4, [&](u64 i) { return i < shape.iterations / 2 ? 10 : 1; });
  EXPECT_GT(moved[0], 20000U);
  EXPECT_LT(moved[1], moved[0] / 10);
  EXPECT_LE(moved[3], moved[1]);
}

TEST(AffinityLast, FollowsAnImbalanceThatTurns) {
  const loop_shape shape{4096, 8};
  int run = 0;
  hand_driver driver(shape.workers);
  loop_memory memory;
  u64 moved = 0;
  for (; run < 8; ++run) {
    driver.begin(spec_of("affinity-last"), shape, &memory);
    moved = 0;
    run_earliest_free(
        driver, std::vector<double>(shape.workers),
        [&](u64 i) { return (i < shape.iterations / 2) == (run < 4) ? 10 : 1; },
        [&](std::uint32_t, const chunk& c) { moved += c.from == origin::stolen ? c.size() : 0; });
  }
  EXPECT_LT(moved, 100U);  // 920 in the first run
}

// The queues are a partition of the loop, each within its bound.
void expect_partition(loop_fragments& memory, loop_shape shape) {
  std::vector<share> all;
  for (std::uint32_t w = 0; w < shape.workers; ++w) {
    const fragment_list& queue = memory.at(w).queue.get();
    ASSERT_LE(queue.end() - queue.begin(), fragment_list::most);
    all.insert(all.end(), queue.begin(), queue.end());
  }
  std::ranges::sort(all, {}, &share::begin);
  u64 past = 0;
  for (const share& s : all) {
    ASSERT_EQ(s.begin, past);
    ASSERT_GT(s.end, s.begin);
    past = s.end;
  }
  ASSERT_EQ(past, shape.iterations);
}

// Costs, arrivals, k and now and then N change from run to run.
TEST(AffinityLast, KeepsToItsBoundsWhateverTheImbalance) {
  for_each_case(60, [](base::rng& random) {
    const auto workers = static_cast<std::uint32_t>(2 + random.below(40));
    loop_shape shape{1 + random.below(5000), workers};
    hand_driver driver(workers);
    loop_memory memory;
    const schedules::spec what = any_spec(random, *spec_of("affinity-last").which, shape);
    SCOPED_TRACE(describe(what, shape));
    for (int run = 0; run < 20; ++run) {
      if (random.below(8) == 0) shape.iterations = 1 + random.below(5000);
      std::vector<double> cost(shape.iterations);
      const u64 block = 1 + random.below(64);
      for (u64 i = 0; i < cost.size(); ++i) {
        cost[i] = i % block == 0 ? static_cast<double>(1 + random.below(100)) : cost[i - 1];
      }
      std::vector<double> arrivals(workers);
      for (double& a : arrivals) a = static_cast<double>(random.below(2) * random.below(10000));
      ledger dealt(shape.iterations);
      bool moved = false;
      driver.begin(what, shape, &memory);
      run_earliest_free(
          driver, arrivals, [&](u64 i) { return cost[i]; },
          [&](std::uint32_t, const chunk& c) {
            dealt.record(c);
            moved = moved || c.from == origin::stolen;
          });
      dealt.expect_exactly_once();
      if (moved) expect_partition(*static_cast<loop_fragments*>(memory.of(what, shape)), shape);
      if (testing::Test::HasFailure()) return;
    }
  });
}

TEST(AffinityLast, RemembersTheLargestLoop) {
  const loop_shape shape{base::u64_max, 3};
  hand_driver driver(3);
  loop_memory memory;
  const schedules::spec what = spec_of("affinity-last,1");
  driver.begin(what, shape, &memory);
  for (int i = 0; i < 100; ++i) driver.ask(1);
  driver.finish();
  expect_partition(*static_cast<loop_fragments*>(memory.of(what, shape)), shape);
}

}  // namespace
}  // namespace doall::tests
