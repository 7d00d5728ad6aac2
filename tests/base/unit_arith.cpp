// base/arith.hpp at the edges of 64 bits, against 128-bit references.

#include <gtest/gtest.h>

#include <vector>

#include "base/arith.hpp"
#include "base/rng.hpp"

namespace doall::base {
namespace {

// Zero, the largest, powers of two and their neighbours.
std::vector<u64> edges() {
  std::vector<u64> result = {0, u64_max, u64_max - 1, 3, 5, 10, 1000};
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (u64 near : {-1, 0, 1}) result.push_back((u64{1} << bit) + near);
  }
  return result;
}

u128 ceil_reference(u128 a, u128 b) { return a / b + (a % b == 0 ? 0 : 1); }

void check_ceil_mul_div(u64 a, u64 b, u64 c) {
  const u128 expected = ceil_reference(u128{a} * b, c);
  ASSERT_EQ(u128{ceil_mul_div(a, b, c)}, expected) << a << " * " << b << " / " << c;
}

TEST(CeilDiv, IsExactAtTheEdges) {
  for (u64 a : edges()) {
    for (u64 b : edges()) {
      if (b == 0) continue;
      ASSERT_EQ(u128{ceil_div(a, b)}, ceil_reference(a, b)) << a << " / " << b;
    }
  }
}

TEST(CeilMulDiv, IsExactAtTheEdges) {
  for (u64 a : edges()) {
    for (u64 c : edges()) {
      for (u64 b : {u64{0}, u64{1}, c / 3, c / 2, c - 1, c}) {
        if (c != 0) check_ceil_mul_div(a, b, c);
      }
    }
  }
}

TEST(CeilMulDiv, IsExactOnBothSidesOf64Bits) {
  rng random(1);
  int fits = 0;
  constexpr int cases = 100000;
  for (int i = 0; i < cases; ++i) {
    const u64 a = random.next() >> random.below(64);
    const u64 c = (random.next() >> random.below(64)) | 1;
    const u64 b = random.next() % c;
    u64 product = 0;
    fits += __builtin_mul_overflow(a, b, &product) ? 0 : 1;
    check_ceil_mul_div(a, b, c);
  }
  EXPECT_GT(fits, cases / 10) << "the 64-bit path was hardly taken";
  EXPECT_LT(fits, cases - cases / 10) << "the 128-bit path was hardly taken";
}

TEST(AddUpTo, StopsAtTheLimit) {
  for (u64 limit : edges()) {
    for (u64 a : edges()) {
      if (a > limit) continue;
      for (u64 b : edges()) {
        const u128 sum = u128{a} + b;
        ASSERT_EQ(u128{add_up_to(a, b, limit)}, sum < limit ? sum : limit)
            << a << " + " << b << " up to " << limit;
      }
    }
  }
}

TEST(SaturatingAdd, StopsAtTheLargest) {
  EXPECT_EQ(saturating_add(0, 0), 0U);
  EXPECT_EQ(saturating_add(u64_max - 1, 1), u64_max);
  EXPECT_EQ(saturating_add(u64_max, 1), u64_max);
  EXPECT_EQ(saturating_add(1, u64_max), u64_max);
  EXPECT_EQ(saturating_add(u64_max, u64_max), u64_max);
  EXPECT_EQ(saturating_add(u64{1} << 63, u64{1} << 63), u64_max);
}

TEST(SaturatingMul, StopsAtTheLargest) {
  EXPECT_EQ(saturating_mul(0, u64_max), 0U);
  EXPECT_EQ(saturating_mul(3, 5), 15U);
  EXPECT_EQ(saturating_mul(u64_max, 1), u64_max);
  EXPECT_EQ(saturating_mul(u64_max / 2, 2), u64_max - 1);
  EXPECT_EQ(saturating_mul(u64_max / 2 + 1, 2), u64_max);
  EXPECT_EQ(saturating_mul(u64{1} << 32, u64{1} << 32), u64_max);
}

}  // namespace
}  // namespace doall::base
