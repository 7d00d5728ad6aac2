// auto: pieces of the own partition that shrink with what is left, then half of what another has.

#include <gtest/gtest.h>

#include <memory>

#include "schedule/auto.hpp"
#include "schedule/registry.hpp"
#include "support/hand_driver.hpp"
#include "support/ledger.hpp"

namespace doall::tests {
namespace {

using schedules::origin;
using schedules::partition_of;

constexpr u64 part_in_hand = 16;

TEST(Auto, IsTheDefaultOfNativeLoops) { EXPECT_EQ(schedules::for_native_loops().name, "auto"); }

// From one iteration on each piece is no more than twice the one before, nor a sixteenth of what is
// left, and all are the worker's own.
TEST(Auto, TakesGrowingPiecesAndThenASixteenthOfWhatIsLeft) {
  const loop_shape shape{2000, 2};
  hand_driver driver(2);
  driver.begin(spec_of("auto"), shape);
  const auto mine = partition_of(1, shape);
  const u64 least = 1000 / 128;
  u64 at = mine.begin;
  u64 before = 0;
  while (at < mine.end) {
    const chunk c = driver.ask(1);
    ASSERT_EQ(c.begin, at);
    ASSERT_EQ(c.from, origin::own);
    const u64 left = mine.end - at;
    EXPECT_LE(size_of(c), std::max({least, base::ceil_div(left, part_in_hand)}));
    EXPECT_LE(size_of(c), std::max(least, 2 * before + 1));
    EXPECT_GE(size_of(c), std::min(least, left));
    before = size_of(c);
    at = c.end;
  }
  EXPECT_EQ(at, mine.end);
}

// As long as no cost is known; a piece in hand makes the others wait for no more.
TEST(Auto, LastPiecesAreAHundredTwentyEighthOfAPartition) {
  hand_driver driver(2);
  driver.begin(spec_of("auto"), {1'000'000, 2});
  u64 pieces = 0;
  chunk last;
  for (chunk c = driver.ask(0); c.from == origin::own; c = driver.ask(0)) {
    last = c;
    ++pieces;
  }
  EXPECT_LE(size_of(last), 500'000U / 128);
  EXPECT_LE(pieces, 64U);
}

TEST(Auto, NoPieceIsLessThanWhatIsWorthIt) {
  constexpr std::uint32_t workers = 2;
  const auto lines = std::make_unique<schedules::worker_line[]>(workers);
  schedules::automatic loop({.shape = {20'000, workers}, .lines = lines.get(), .worth = 100});
  u64 turn = 0;
  u64 dealt = 0;
  while (dealt < 10'000) {
    const chunk c = loop.next({0, turn++}, {});
    ASSERT_EQ(c.from, origin::own);
    dealt += c.size();
    EXPECT_TRUE(c.size() >= 100 || dealt == 10'000) << c.size();
  }
}

// A few long iterations are dealt one by one, whatever was thought to be worth a piece.
TEST(Auto, FewIterationsAreDealtOneByOne) {
  constexpr std::uint32_t workers = 2;
  const auto lines = std::make_unique<schedules::worker_line[]>(workers);
  schedules::automatic loop({.shape = {12, workers}, .lines = lines.get(), .worth = 1'000});
  for (u64 i = 0; i < 6; ++i) EXPECT_EQ(loop.next({0, i}, {}).size(), 1U);
}

// Worker 1 stops after its first piece.
TEST(Auto, AThiefTakesHalfAndBeginsInIt) {
  hand_driver driver(2);
  driver.begin(spec_of("auto"), {64, 2});
  const chunk one = driver.ask(1);
  ASSERT_EQ(size_of(one), 1U);
  for (u64 dealt = 0; dealt < 32;) dealt += size_of(driver.ask(0));
  const chunk stolen = driver.ask(0);  // of [33, 64)
  EXPECT_EQ(stolen.from, origin::stolen);
  EXPECT_EQ(stolen.victim, 1U);
  EXPECT_EQ(stolen.begin, 48U);
  const chunk next = driver.ask(0);
  EXPECT_EQ(next.from, origin::own);
  EXPECT_EQ(next.begin, stolen.end);
  EXPECT_EQ(driver.ask(1).begin, one.end);
}

TEST(Auto, EmptiesThePartitionsOfWorkersWhoNeverCome) {
  const loop_shape shape{1000, 16};
  hand_driver driver(shape.workers);
  ledger dealt(shape.iterations);
  driver.begin(spec_of("auto"), shape);
  for (const chunk& c : all_of(driver, 9)) dealt.record(c);
  dealt.expect_exactly_once();
}

TEST(Auto, DealsLargerPiecesOfAHugeLoop) {
  constexpr u64 tickets_most = 0xffff'fffd;
  const auto lines = std::make_unique<schedules::worker_line[]>(1);
  schedules::automatic loop({.shape = {base::u64_max, 1}, .lines = lines.get()});
  u64 next = 0;
  u64 turn = 0;
  for (chunk c = loop.next({0, turn++}, {}); !c.empty(); c = loop.next({0, turn++}, {})) {
    ASSERT_EQ(c.begin, next);
    EXPECT_GE(c.size(), base::u64_max / tickets_most / 2);
    next = c.end;
  }
  EXPECT_EQ(next, base::u64_max);
}

}  // namespace
}  // namespace doall::tests
