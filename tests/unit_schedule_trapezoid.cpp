// trapezoid: Tzen & Ni's sizes, which fall by a constant.

#include <gtest/gtest.h>

#include <algorithm>

#include "support/hand_driver.hpp"

namespace doall::tests {
namespace {

TEST(Trapezoid, FallsByAConstantAndCutsTheLast) {
  EXPECT_EQ(sizes_alone("trapezoid", 1000, 4),
            (std::vector<u64>{125, 117, 109, 101, 93, 85, 77, 69, 61, 53, 45, 37, 28}));
}

// The paper's loop, chunk by chunk, where the schedule computes a chunk from its
// ticket: the first is N / 2P, the last 1, of 2N / (f + l) chunks.
std::vector<u64> sizes_one_by_one(u64 iterations, u64 workers) {
  const u64 first = std::max<u64>(iterations / (2 * workers), 1);
  const u64 last = 1;
  const u64 chunks = (2 * iterations + first + last - 1) / (first + last);
  const u64 delta = chunks > 1 ? (first - last) / (chunks - 1) : 0;
  std::vector<u64> sizes;
  u64 size = first;
  for (u64 left = iterations; left > 0; size -= delta) {
    sizes.push_back(std::min(size, left));
    left -= sizes.back();
  }
  return sizes;
}

TEST(Trapezoid, AgreesWithThePapersLoop) {
  for (std::uint32_t workers : {1, 2, 3, 4, 7, 8, 16, 61, 1024}) {
    for (u64 iterations = 0; iterations < 300; ++iterations) {
      ASSERT_EQ(sizes_alone("trapezoid", iterations, workers),
                sizes_one_by_one(iterations, workers))
          << iterations << " over " << workers;
    }
    for (u64 iterations : {1000U, 4095U, 4096U, 65537U, 1000003U}) {
      ASSERT_EQ(sizes_alone("trapezoid", iterations, workers),
                sizes_one_by_one(iterations, workers))
          << iterations << " over " << workers;
    }
  }
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

TEST(Trapezoid, DealsInOrderToWhoeverAsksNext) {
  hand_driver driver(3);
  driver.begin(spec_of("trapezoid"), {100, 3});
  u64 past = 0;
  for (std::uint32_t w : {2, 0, 2, 1}) {
    const chunk c = driver.ask(w);
    EXPECT_EQ(c.begin, past);
    EXPECT_EQ(c.from, schedules::origin::central);
    past = c.end;
  }
}

}  // namespace
}  // namespace doall::tests
