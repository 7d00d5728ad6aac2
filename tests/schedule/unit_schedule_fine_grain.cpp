// fine-grain: static's blocks, and what a loop gets that is worth sharing but has no time to
// be balanced in.
#include <gtest/gtest.h>

#include "support/hand_driver.hpp"

namespace doall::tests {
namespace {

TEST(FineGrain, IsOneBlockForEachWorker) {
  hand_driver driver(3);
  driver.begin(spec_of("fine-grain"), {8, 3});
  EXPECT_EQ(driver.ask(1).begin, 3U);
  EXPECT_EQ(driver.ask(0).end, 3U);
  EXPECT_EQ(driver.ask(2).end, 8U);
  for (const std::uint32_t w : {0, 1, 2}) EXPECT_TRUE(driver.ask(w).empty());
}

TEST(FineGrain, NeedsNoObject) {
  const schedules::entry& fine_grain = *schedules::find("fine-grain");
  EXPECT_TRUE(schedules::is_one_block_each(fine_grain, {}));
  EXPECT_FALSE(schedules::is_one_block_each(*schedules::find("dynamic"), {}));
  const auto in_chunks = schedules::params::of_first(4);
  EXPECT_FALSE(schedules::is_one_block_each(*schedules::find("static"), in_chunks));
}

TEST(FineGrain, IsWhatLoopsTooShortToBeBalancedGet) {
  EXPECT_EQ(schedules::for_small_loops().name, "fine-grain");
}

}  // namespace
}  // namespace doall::tests
