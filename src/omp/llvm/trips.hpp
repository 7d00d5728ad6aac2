// LLVM's numbers for schedules, and loops whose bounds are inclusive and of any of four types.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/arith.hpp"

namespace doall::omp {

// The kinds of loops, as the compiler passes them. Those with `ordered` are the plain ones +
// kmp_ordered_kinds; old compilers add kmp_no_merge to either.
enum kmp_schedule : std::int32_t {
  kmp_static_chunked = 33,
  kmp_static = 34,
  kmp_dynamic = 35,
  kmp_guided = 36,
  kmp_runtime = 37,
  kmp_auto = 38,
  kmp_trapezoidal = 39,
  kmp_static_greedy = 40,
  kmp_static_balanced = 41,
  kmp_guided_iterative = 42,
  kmp_guided_analytical = 43,
  kmp_static_steal = 44,
  kmp_static_whole_chunks = 45,
  kmp_guided_simd = 46,
  kmp_runtime_simd = 47,
  kmp_ordered_kinds = 32,
  kmp_first_ordered = 64,
  kmp_last_ordered = 72,
  kmp_distribute_chunked = 91,
  kmp_distribute = 92,
  kmp_no_merge = 128,
  kmp_first_no_merge = 160,
  kmp_monotonic = 1 << 29,
  kmp_nonmonotonic = 1 << 30,
};

inline std::int32_t without_modifiers(std::int32_t schedule) {
  return schedule & ~(kmp_monotonic | kmp_nonmonotonic);
}

// How many iterations there are from `lower` to `upper`, both included. Wraps as the type does: no
// loop runs over all values of its type, and a compiler that asks without looking whether there are
// any (flang, LLVM's OpenMPIRBuilder) says 0 to 2^32 - 1 of none.
template <class T, class Step>
std::uint64_t trips(T lower, T upper, Step increment) {
  using U = std::make_unsigned_t<T>;
  if (increment > 0 ? upper < lower : lower < upper) return 0;
  const U span = increment > 0 ? static_cast<U>(upper) - static_cast<U>(lower)
                               : static_cast<U>(lower) - static_cast<U>(upper);
  const U step = increment > 0 ? static_cast<U>(increment) : U{0} - static_cast<U>(increment);
  return static_cast<U>(span / (step == 0 ? U{1} : step) + 1);
}

// The value of the loop's variable in iteration i; wraps as the type does.
template <class T, class Step>
T at_iteration(T first, std::uint64_t i, Step increment) {
  using U = std::make_unsigned_t<T>;
  return static_cast<T>(
      static_cast<U>(static_cast<U>(first) + static_cast<U>(i) * static_cast<U>(increment)));
}

}  // namespace doall::omp
