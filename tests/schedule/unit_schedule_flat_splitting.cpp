// The flat form of the splitting schedules: one range, of which its owner takes grains and
// thieves half.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/hand_driver.hpp"
#include "support/ledger.hpp"

namespace doall::tests {
namespace {

using schedules::origin;

using sizes = std::vector<u64>;

void expect_stolen(const chunk& c, u64 begin, u64 end, std::uint32_t victim) {
  expect_chunk(c, begin, end, origin::stolen);
  EXPECT_EQ(c.victim, victim);
}

TEST(FlatSplitting, DealsGrainsThatFollowFromTheRule) {
  EXPECT_EQ(sizes_alone("lbs,4", 10, 2), (sizes{4, 4, 2}));
  EXPECT_EQ(sizes_alone("lbs+,4", 10, 2), (sizes{4, 4, 2}));
  EXPECT_EQ(sizes_alone("sws", 3, 2), (sizes{1, 1, 1}));
  EXPECT_EQ(sizes_alone("serial-inner", 3, 2), (sizes{1, 1, 1}));
  EXPECT_EQ(sizes_alone("ebs-simple", 3, 2), (sizes{1, 1, 1}));
  // 20 is halved to 10 and 5.
  EXPECT_EQ(sizes_alone("ebs-simple,8", 20, 2), (sizes{5, 5, 5, 5}));
  EXPECT_EQ(sizes_alone("ebs-auto", 1024, 4), sizes(16, 64));
  EXPECT_EQ(sizes_alone("ebs-auto,1,1", 1024, 4), sizes(4, 256));
}

// A 64th of an even share, unless it is given.
TEST(FlatSplitting, TakesAPptThatNobodyMeasured) {
  EXPECT_EQ(sizes_alone("lbs", 64 * 4 * 10, 4), sizes(64 * 4, 10));
  EXPECT_EQ(sizes_alone("lbs+", 64 * 4 * 10, 4), sizes(64 * 4, 10));
  EXPECT_EQ(sizes_alone("lbs", 100, 4), sizes(100, 1));
}

TEST(FlatSplitting, GivesAThiefTheBackHalf) {
  for (const char* const text : {"lbs,2", "lbs+,2"}) {
    SCOPED_TRACE(text);
    hand_driver driver(3);
    driver.begin(spec_of(text), {16, 3});
    expect_chunk(driver.ask(0), 0, 2);
    expect_stolen(driver.ask(2), 9, 11, 0);  // of [2, 16)
    expect_chunk(driver.ask(2), 11, 13);
    expect_stolen(driver.ask(1), 14, 16, 2);  // of [13, 16): a thief is stolen from first
    expect_chunk(driver.ask(0), 2, 4);
  }
}

// No rule splits what is no more than a grain.
TEST(FlatSplitting, GivesAThiefAllOfASmallRest) {
  hand_driver driver(2);
  driver.begin(spec_of("lbs,8"), {16, 2});
  expect_chunk(driver.ask(0), 0, 8);
  expect_stolen(driver.ask(1), 8, 16, 0);
  EXPECT_TRUE(driver.ask(0).empty());
}

// Section 2.2's example: the iterations go round.
TEST(FlatSplitting, LeavesWhatSwsDoesNotSplitWhereItIs) {
  hand_driver driver(2);
  driver.begin(spec_of("sws"), {4, 2});
  expect_chunk(driver.ask(0), 0, 1);
  expect_stolen(driver.ask(1), 1, 2, 0);
  expect_chunk(driver.ask(0), 2, 3);
  expect_stolen(driver.ask(1), 3, 4, 0);
  EXPECT_TRUE(driver.ask(0).empty());
}

// 16 chunks of 64. The thief's half of the last four makes two, and V of them after all.
TEST(FlatSplitting, CutsAStolenPartIntoVChunks) {
  hand_driver driver(4);
  driver.begin(spec_of("ebs-auto,4,8"), {1024, 4});
  for (int i = 0; i < 12; ++i) EXPECT_EQ(driver.ask(0).size(), 64U);
  expect_stolen(driver.ask(3), 896, 912, 0);
  EXPECT_EQ(driver.ask(3).size(), 16U);
  // A thief's thief counts the chunks that its victim has made: three of [976, 1024), and V.
  expect_stolen(driver.ask(2), 976, 982, 3);
  EXPECT_EQ(driver.ask(0).size(), 64U);
}

TEST(FlatSplitting, KeepsManyChunksOfAStolenPart) {
  hand_driver driver(4);
  driver.begin(spec_of("ebs-auto,4,2"), {1024, 4});
  expect_stolen(driver.ask(1), 512, 576, 0);
  EXPECT_EQ(driver.ask(1).size(), 64U);
}

TEST(FlatSplitting, RobsAWorkerZeroThatNeverComes) {
  for (const schedules::entry& e : schedules::registry()) {
    if (!e.has(schedules::splitting)) continue;
    SCOPED_TRACE(e.name);
    const loop_shape shape{1000, 8};
    hand_driver driver(shape.workers);
    ledger dealt(shape.iterations);
    driver.begin({&e, {}}, shape);
    for (const chunk& c : all_of(driver, 5)) {
      EXPECT_TRUE(c.from == origin::own || c.victim == 0);
      dealt.record(c);
    }
    dealt.expect_exactly_once();
  }
}

// Somebody may have had the line in another loop, and left something there.
TEST(FlatSplitting, BeginsTheNextLoopWithWorkerZeroAlone) {
  hand_driver driver(3);
  for (int loop = 0; loop < 3; ++loop) {
    driver.begin(spec_of("lbs,1"), {100, 3});
    expect_stolen(driver.ask(1), 50, 51, 0);
    expect_stolen(driver.ask(2), 25, 26, 0);
    expect_chunk(driver.ask(2), 26, 27);
  }
}

// What OpenMP makes of a loop inside of another: a team of one.
TEST(FlatSplitting, RunsALoopOfATeamOfOneWholeUnderSerialInner) {
  EXPECT_EQ(sizes_alone("serial-inner", 1000, 1), (sizes{1000}));
  EXPECT_EQ(sizes_alone("lbs,500", 1000, 1), (sizes{500, 500}));
}

// A huge loop has tickets of several iterations, and thresholds are counted in them.
TEST(FlatSplitting, ScalesThresholdsWithItsTickets) {
  hand_driver driver(1);
  driver.begin(spec_of("lbs,100"), {0xffff'fffd, 1});
  EXPECT_EQ(driver.ask(0).size(), 100U);
  driver.begin(spec_of("lbs,100"), {u64{0xffff'fffd} * 10, 1});
  EXPECT_EQ(driver.ask(0).size(), 100U);
  driver.begin(spec_of("lbs,18446744073709551615"), {base::u64_max, 1});
  EXPECT_EQ(driver.ask(0).size(), base::u64_max);
  driver.begin(spec_of("sws"), {base::u64_max, 1});
  EXPECT_EQ(driver.ask(0).size(), base::ceil_div(base::u64_max, 0xffff'fffd));
}

}  // namespace
}  // namespace doall::tests
