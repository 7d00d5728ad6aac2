// cyclic: iteration i on worker i mod P, in one strided chunk.

#include <gtest/gtest.h>

#include "support/hand_driver.hpp"

namespace doall::tests {
namespace {

void expect_stepped_chunk(const chunk& c, u64 begin, u64 end, u64 step) {
  EXPECT_EQ(c.begin, begin);
  EXPECT_EQ(c.end, end);
  EXPECT_EQ(c.step, step);
}

TEST(Cyclic, GivesEachWorkerEveryPthIteration) {
  hand_driver driver(3);
  driver.begin(spec_of("cyclic"), {8, 3});
  for (std::uint32_t w : {1, 0, 2}) {
    const chunk c = driver.ask(w);
    expect_stepped_chunk(c, w, 8, 3);
    EXPECT_EQ(c.from, schedules::origin::own);
    EXPECT_EQ(c.size(), w == 2 ? 2U : 3U);
    EXPECT_TRUE(driver.ask(w).empty());
  }
}

TEST(Cyclic, GivesNothingToSomeWhenWorkersAreMoreThanIterations) {
  hand_driver driver(4);
  driver.begin(spec_of("cyclic"), {2, 4});
  EXPECT_TRUE(driver.ask(2).empty());
  EXPECT_TRUE(driver.ask(3).empty());
  EXPECT_EQ(driver.ask(0).size(), 1U);
  EXPECT_EQ(driver.ask(1).size(), 1U);
}

TEST(Cyclic, CutsTheLargestLoop) {
  hand_driver driver(2);
  driver.begin(spec_of("cyclic"), {base::u64_max, 2});
  const chunk even = driver.ask(0);
  expect_stepped_chunk(even, 0, base::u64_max, 2);
  EXPECT_EQ(even.size(), u64{1} << 63);
  EXPECT_EQ(driver.ask(1).size(), (u64{1} << 63) - 1);
}

// Worker 0 begins with the last iteration's remainder: 7, 4, 1, dealt upwards.
TEST(Cyclic, BackwardsCountsFromTheLastIteration) {
  hand_driver driver(3);
  driver.begin(spec_of("cyclic,order=reverse"), {8, 3});
  expect_stepped_chunk(driver.ask(0), 1, 8, 3);
  expect_stepped_chunk(driver.ask(1), 0, 7, 3);
  expect_stepped_chunk(driver.ask(2), 2, 6, 3);
}

}  // namespace
}  // namespace doall::tests
