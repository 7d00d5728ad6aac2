// guided: R / (k P) of what is left, rounded up or down, at least c.

#include <gtest/gtest.h>

#include "support/central.hpp"
#include "support/hand_driver.hpp"

namespace doall::tests {
namespace {

TEST(Guided, TakesOnePthOfWhatIsLeftRoundedUp) {
  EXPECT_EQ(sizes_alone("guided", 1000, 4),
            (std::vector<u64>{250, 188, 141, 106, 79, 59, 45, 33, 25, 19, 14,
                              11,  8,   6,   4,   3,  3,  2,  1,  1,  1,  1}));
}

TEST(Guided, AgreesWithThePapersWords) {
  expect_sizes("guided", [](u64 iterations, std::uint32_t workers) {
    return sizes_one_by_one(
        iterations, [&](u64 left, std::size_t) { return base::ceil_div(left, u64{workers}); });
  });
}

TEST(Guided, TakesKTimesLess) {
  EXPECT_EQ(sizes_alone("guided,k=2", 100, 2),
            (std::vector<u64>{25, 19, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1, 1, 1}));
}

TEST(Guided, TakesAtLeastTheChunkButTheLast) {
  EXPECT_EQ(sizes_alone("guided,10", 100, 2), (std::vector<u64>{50, 25, 13, 10, 2}));
  EXPECT_EQ(sizes_alone("guided,200", 100, 2), (std::vector<u64>{100}));
  EXPECT_EQ(sizes_alone("guided,20,k=2", 100, 2), (std::vector<u64>{25, 20, 20, 20, 15}));
}

TEST(Guided, RoundsDownIfToldSo) {
  EXPECT_EQ(sizes_alone("guided,round=down", 100, 4),
            (std::vector<u64>{25, 18, 14, 10, 8, 6, 4, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(sizes_alone("guided,round=down,k=2", 16, 2),
            (std::vector<u64>{4, 3, 2, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(sizes_alone("guided,10,round=down", 99, 2), (std::vector<u64>{49, 25, 12, 10, 3}));
}

TEST(Guided, RoundsUpIfToldSoOrNothing) {
  EXPECT_EQ(sizes_alone("guided,round=up", 1000, 7), sizes_alone("guided", 1000, 7));
}

TEST(Guided, CutsTheLargestLoop) {
  const u64 quarter = u64{1} << 62;
  EXPECT_EQ(sizes_alone("guided", base::u64_max, 4)[0], quarter);
  EXPECT_EQ(sizes_alone("guided,round=down", base::u64_max, 4)[0], quarter - 1);
}

TEST(Guided, IsAllAtOnceForOneWorker) {
  EXPECT_EQ(sizes_alone("guided", base::u64_max, 1), (std::vector<u64>{base::u64_max}));
}

// k P does not fit in 64 bits; a part smaller than an iteration is an iteration.
TEST(Guided, TakesOneIterationWhenKIsHuge) {
  EXPECT_EQ(sizes_alone("guided,k=18446744073709551615", 4, 3), (std::vector<u64>{1, 1, 1, 1}));
  EXPECT_EQ(sizes_alone("guided,k=6148914691236517206", 4, 3), (std::vector<u64>{1, 1, 1, 1}));
}

TEST(Guided, DealsInOrderToWhoeverAsksNext) { expect_dealt_in_order("guided"); }

}  // namespace
}  // namespace doall::tests
