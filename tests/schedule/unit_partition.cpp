// The even partitions: AFS's Figure 1 by hand, and loops at the edges of 64 bits.

#include <gtest/gtest.h>

#include "schedule/schedule.hpp"

namespace doall::schedules {
namespace {

// N = 10, P = 4: ceil(10/4), ceil(20/4), ceil(30/4).
TEST(PartitionOf, IsThePapers) {
  const u64 bounds[] = {0, 3, 5, 8, 10};
  for (std::uint32_t w = 0; w < 4; ++w) {
    const range mine = partition_of(w, {10, 4});
    EXPECT_EQ(mine.begin, bounds[w]);
    EXPECT_EQ(mine.end, bounds[w + 1]);
  }
}

void expect_even(u64 n, std::uint32_t p) {
  u64 past = 0;
  for (std::uint32_t w = 0; w < p; ++w) {
    const range mine = partition_of(w, {n, p});
    ASSERT_EQ(mine.begin, past) << n << " over " << p;
    ASSERT_GE(mine.size(), n / p);
    ASSERT_LE(mine.size(), base::ceil_div(n, p));
    past = mine.end;
  }
  ASSERT_EQ(past, n) << n << " over " << p;
}

TEST(PartitionOf, CoversTheLoopEvenly) {
  for (const std::uint32_t p : {1U, 2U, 3U, 7U, 64U, 1023U, 1024U}) {
    for (const u64 n : {u64{3}, u64{5}, u64{10}, u64{1000}}) expect_even(n, p);
    // Powers of two and their neighbours, which below 1 is the largest number.
    for (unsigned bit = 0; bit < 64; ++bit) {
      for (const u64 near : {~u64{0}, u64{0}, u64{1}}) expect_even((u64{1} << bit) + near, p);
    }
    expect_even(base::u64_max, p);
    expect_even(base::u64_max - 1, p);
  }
}

}  // namespace
}  // namespace doall::schedules
