#include <gtest/gtest.h>

#include <numeric>

#include "driver/statistics.hpp"

namespace doall::bench {
namespace {

// 1, 2, ..., n, the greatest first.
std::vector<double> first(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.rbegin(), values.rend(), 1.0);
  return values;
}

TEST(Statistics, QuantilesInterpolate) {
  const summary s = summarise(first(101));
  EXPECT_DOUBLE_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.p5, 6);
  EXPECT_DOUBLE_EQ(s.median, 51);
  EXPECT_DOUBLE_EQ(s.p95, 96);
  EXPECT_DOUBLE_EQ(s.max, 101);
  EXPECT_DOUBLE_EQ(median_of(first(4)), 2.5);
  EXPECT_DOUBLE_EQ(median_of({7}), 7);
}

// The ranks of the sign test, from a table of the binomial distribution.
TEST(Statistics, IntervalOfTheMedianHasTheRanksOfTheSignTest) {
  struct row {
    std::size_t n;
    double low;
    double high;
  };
  for (const row& r :
       {row{6, 1, 6}, row{10, 2, 9}, row{20, 6, 15}, row{30, 10, 21}, row{100, 40, 61}}) {
    const auto found = estimate_median(first(r.n));
    ASSERT_TRUE(found) << r.n;
    EXPECT_DOUBLE_EQ(found->low, r.low) << r.n;
    EXPECT_DOUBLE_EQ(found->high, r.high) << r.n;
  }
}

TEST(Statistics, TooFewValuesHaveNoInterval) { EXPECT_FALSE(estimate_median(first(5))); }

// 2^-n is no double any more.
TEST(Statistics, ManyValuesHaveANarrowInterval) {
  const auto found = estimate_median(first(20'000));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->low, 10'000 - 139, 2);
  EXPECT_NEAR(found->high, 10'001 + 139, 2);
}

TEST(Statistics, QuantilesLieBetweenValues) {
  EXPECT_DOUBLE_EQ(quantile_of({30, 10, 20}, 0), 10);
  EXPECT_DOUBLE_EQ(quantile_of({30, 10, 20}, 0.75), 25);
  EXPECT_DOUBLE_EQ(quantile_of({30, 10, 20}, 1), 30);
}

// A machine that slows down ten times in the middle changes no pair.
TEST(Statistics, RatioIsOfPairs) {
  const auto found = paired_ratio({2, 4, 6, 80, 100, 120, 140}, {1, 2, 3, 40, 50, 60});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->low, 2);
  EXPECT_DOUBLE_EQ(found->median, 2);
  EXPECT_DOUBLE_EQ(found->high, 2);
  EXPECT_FALSE(paired_ratio({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace doall::bench
