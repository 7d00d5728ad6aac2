// static-steal: one chunk at a time of the own partition, then half of what another has.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "schedule/static_steal.hpp"
#include "support/hand_driver.hpp"
#include "support/ledger.hpp"

namespace doall::tests {
namespace {

using schedules::origin;
using schedules::partition_of;

TEST(StaticSteal, TakesItsOwnShareOneIterationAtATime) {
  const loop_shape shape{100, 4};
  hand_driver driver(4);
  driver.begin(spec_of("static-steal"), shape);
  for (u64 i = partition_of(2, shape).begin; i < partition_of(2, shape).end; ++i) {
    expect_chunk(driver.ask(2), i, i + 1);
  }
  EXPECT_EQ(driver.ask(2).from, origin::stolen);
}

// Wherever it is run, a chunk is one of those that dynamic deals.
TEST(StaticSteal, DealsChunksOfOneSize) {
  hand_driver driver(2);
  driver.begin(spec_of("static-steal,8"), {44, 2});  // chunks 0 to 5, three each
  expect_chunk(driver.ask(0), 0, 8);
  expect_chunk(driver.ask(1), 24, 32);
  expect_chunk(driver.ask(1), 32, 40);
  expect_chunk(driver.ask(1), 40, 44);
  expect_chunk(driver.ask(1), 16, 24, origin::stolen);
  expect_chunk(driver.ask(0), 8, 16);
  EXPECT_TRUE(driver.ask(0).empty());
  EXPECT_TRUE(driver.ask(1).empty());
}

// Worker 1 stops after its first iteration, 20; the thief runs dry again and again.
TEST(StaticSteal, StealsHalfOfWhatIsLeftDownToTheLastIteration) {
  hand_driver driver(2);
  driver.begin(spec_of("static-steal"), {40, 2});
  driver.ask(1);
  for (u64 i = 0; i < 20; ++i) driver.ask(0);
  u64 left = 19;  // from 21 on
  for (const u64 taken : {10, 5, 2, 1, 1}) {
    left -= taken;
    const chunk first = driver.ask(0);
    expect_chunk(first, 21 + left, 22 + left, origin::stolen);
    EXPECT_EQ(first.victim, 1U);
    for (u64 i = 1; i < taken; ++i) expect_chunk(driver.ask(0), 21 + left + i, 22 + left + i);
  }
  EXPECT_EQ(left, 0U);
  EXPECT_TRUE(driver.ask(0).empty());
  EXPECT_TRUE(driver.ask(1).empty());
}

TEST(StaticSteal, ThievesRobThieves) {
  hand_driver driver(3);
  driver.begin(spec_of("static-steal"), {48, 3});  // 16 each
  for (u64 i = 0; i < 32; ++i) driver.ask(i < 16 ? 0 : 1);
  // Worker 1 looks at worker 2 first: [32, 48). Worker 0 finds 1 before 2.
  expect_chunk(driver.ask(1), 40, 41, origin::stolen);
  const chunk second = driver.ask(0);
  expect_chunk(second, 44, 45, origin::stolen);
  EXPECT_EQ(second.victim, 1U);
  expect_chunk(driver.ask(1), 41, 42);
  expect_chunk(driver.ask(0), 45, 46);
  expect_chunk(driver.ask(2), 32, 33);
}

TEST(StaticSteal, EmptiesTheSharesOfWorkersWhoNeverCome) {
  const loop_shape shape{1000, 16};
  hand_driver driver(shape.workers);
  ledger dealt(shape.iterations);
  driver.begin(spec_of("static-steal,3"), shape);
  for (const chunk& c : all_of(driver, 9)) dealt.record(c);
  dealt.expect_exactly_once();
}

TEST(StaticSteal, BeginsTheNextLoopWithFullShares) {
  hand_driver driver(4);
  for (int loop = 0; loop < 3; ++loop) {
    driver.begin(spec_of("static-steal"), {100, 4});
    expect_chunk(driver.ask(1), 25, 26);
    all_of(driver, 3);
  }
}

// Too many chunks for their numbers: fewer, larger ones.
TEST(StaticSteal, DealsLargerChunksOfAHugeLoop) {
  constexpr u64 tickets_most = 0xffff'fffd;
  const std::uint32_t workers = 2;
  hand_driver driver(workers);
  driver.begin(spec_of("static-steal"), {tickets_most, workers});
  EXPECT_EQ(size_of(driver.ask(1)), 1U);
  driver.begin(spec_of("static-steal"), {tickets_most + 1, workers});
  EXPECT_EQ(size_of(driver.ask(0)), 2U);
  driver.begin(spec_of("static-steal"), {base::u64_max, workers});
  EXPECT_EQ(size_of(driver.ask(1)), base::ceil_div(base::u64_max, tickets_most));
}

// The halves of a word do not run into each other where a worker whose word ends with
// the largest ticket there is asks both ways for one more.
TEST(StaticSteal, OverdrawsWithoutACarry) {
  constexpr std::uint32_t workers = 2;
  const auto lines = std::make_unique<schedules::worker_line[]>(workers);
  const loop_shape shape{0xffff'fffd, workers};
  schedules::static_steal loop({.shape = shape, .lines = lines.get()});
  for (const std::uint32_t w : {0, 1}) {
    EXPECT_EQ(loop.next({w, 0}, {}).size(), 1U);
    lines[w].word[0].store(shape.iterations << 32 | shape.iterations);  // nothing is left
  }
  for (const std::uint32_t w : {0, 1}) {
    EXPECT_TRUE(loop.usual({w, 1}).empty());
    EXPECT_TRUE(loop.next({w, 1}, {}).empty());
  }
}

// Nor where a worker steals one ticket after the other, each of which it runs at once.
TEST(StaticSteal, StealsSingleTicketsWithoutACarry) {
  constexpr std::uint32_t workers = 9;
  constexpr std::uint32_t thief = workers - 1;
  const auto lines = std::make_unique<schedules::worker_line[]>(workers);
  const loop_shape shape{0xffff'fffd, workers};
  schedules::static_steal loop({.shape = shape, .lines = lines.get()});
  for (std::uint32_t w = 0; w < workers; ++w) {
    loop.next({w, 0}, {});
    const u64 end = partition_of(w, shape).end;
    lines[w].word[0].store(end << 32 | (w == thief ? end : end - 1));  // the others have one left
  }
  for (std::uint32_t victim = 0; victim < thief; ++victim) {
    EXPECT_TRUE(loop.usual({thief, 1}).empty());
    const u64 end = partition_of(victim, shape).end;
    expect_chunk(loop.next({thief, 1}, {}), end - 1, end, origin::stolen);
  }
  EXPECT_TRUE(loop.usual({thief, 2}).empty());
  EXPECT_TRUE(loop.next({thief, 2}, {}).empty());
}

TEST(StaticSteal, TheShortWayIsForThoseWhoHaveSomething) {
  constexpr std::uint32_t workers = 2;
  const auto lines = std::make_unique<schedules::worker_line[]>(workers);
  schedules::static_steal loop({.shape = {4, workers}, .lines = lines.get()});
  EXPECT_TRUE(loop.usual({0, 0}).empty()) << "a line that is not up to date";
  expect_chunk(loop.next({0, 0}, {}), 0, 1);
  expect_chunk(loop.usual({0, 1}), 1, 2);
  EXPECT_TRUE(loop.usual({0, 2}).empty());
  expect_chunk(loop.next({0, 2}, {}), 3, 4, origin::stolen);
  expect_chunk(loop.next({0, 3}, {}), 2, 3, origin::stolen);
  EXPECT_TRUE(loop.next({0, 4}, {}).empty());
  EXPECT_TRUE(loop.next({1, 0}, {}).empty());
}

}  // namespace
}  // namespace doall::tests
