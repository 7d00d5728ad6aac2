// Arithmetic on iteration counts, exact up to 2^64 - 1.
//
// OpenMP's loops reach 2^64 - 1 iterations, so sums and products here either cannot overflow, as is
// shown, or saturate, or are computed in 128 bits.
#pragma once

#include <cstdint>

namespace doall::base {

using u64 = std::uint64_t;
__extension__ typedef unsigned __int128 u128;

inline constexpr u64 u64_max = ~u64{0};

// ceil(a / b), b > 0, without the overflow of (a + b - 1) / b.
constexpr u64 ceil_div(u64 a, u64 b) { return a / b + (a % b != 0 ? 1 : 0); }

// ceil(a * b / c), c > 0 and b <= c, in 128 bits if 64 are not enough: a 128-bit division costs
// some ten times a 64-bit one, and schedules need one for every chunk.
constexpr u64 ceil_mul_div(u64 a, u64 b, u64 c) {
  u64 small = 0;
  if (!__builtin_mul_overflow(a, b, &small)) return ceil_div(small, c);
  const u128 product = static_cast<u128>(a) * b;
  return static_cast<u64>((product + (c - 1)) / c);
}

// min(a + b, limit), also if a + b does not fit in 64 bits. a <= limit.
constexpr u64 add_up_to(u64 a, u64 b, u64 limit) { return limit - a <= b ? limit : a + b; }

// a + b, or 2^64 - 1 if that does not fit.
constexpr u64 saturating_add(u64 a, u64 b) { return add_up_to(a, b, u64_max); }

// a * b, or 2^64 - 1 if that does not fit.
constexpr u64 saturating_mul(u64 a, u64 b) {
  u64 product = 0;
  return __builtin_mul_overflow(a, b, &product) ? u64_max : product;
}

}  // namespace doall::base
