// trapezoid: Tzen & Ni's sizes, which fall by a constant.

#include <gtest/gtest.h>

#include <algorithm>

#include "support/central.hpp"
#include "support/hand_driver.hpp"

namespace doall::tests {
namespace {

TEST(Trapezoid, FallsByAConstantAndCutsTheLast) {
  EXPECT_EQ(sizes_alone("trapezoid", 1000, 4),
            (std::vector<u64>{125, 117, 109, 101, 93, 85, 77, 69, 61, 53, 45, 37, 28}));
}

// The schedule computes a chunk from its ticket; the paper's loop goes from one to the next: the
// first is N / 2P, the last 1, of 2N / (f + l) chunks.
TEST(Trapezoid, AgreesWithThePapersLoop) {
  expect_sizes("trapezoid", [](u64 iterations, std::uint32_t workers) {
    const u64 first = std::max<u64>(iterations / (2 * workers), 1);
    const u64 last = 1;
    const u64 chunks = (2 * iterations + first + last - 1) / (first + last);
    const u64 delta = chunks > 1 ? (first - last) / (chunks - 1) : 0;
    return sizes_one_by_one(iterations,
                            [&](u64, std::size_t dealt) { return first - dealt * delta; });
  });
}

TEST(Trapezoid, DealsOneByOneWhenIterationsAreFew) {
  EXPECT_EQ(sizes_alone("trapezoid", 5, 4), (std::vector<u64>{1, 1, 1, 1, 1}));
}

// f = 2^63 - 1, and (f - 1) / 3 less each time: the planned fourth chunk finds
// nothing, as 3 f - (f - 1) is N.
TEST(Trapezoid, CutsTheLargestLoop) {
  const u64 first = (u64{1} << 63) - 1;
  const u64 delta = (first - 1) / 3;
  EXPECT_EQ(sizes_alone("trapezoid", base::u64_max, 1),
            (std::vector<u64>{first, first - delta, first - 2 * delta}));
}

TEST(Trapezoid, DealsInOrderToWhoeverAsksNext) { expect_dealt_in_order("trapezoid"); }

}  // namespace
}  // namespace doall::tests
