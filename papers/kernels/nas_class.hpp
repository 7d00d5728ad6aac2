// Sizes of the NAS Parallel Benchmarks, and how an answer is verified.
#pragma once

#include <cmath>

namespace doall::bench {

// In the words of NPB: S is a sample, W was made for workstations, A is the first of the
// classes that are measured.
enum class nas_class { s, w, a };

// NAS's way to verify a sum whose order is free: `found` is within a part `tolerance` of
// `expected`. What is not a number never is.
inline bool agrees(double found, double expected, double tolerance) {
  return std::abs((found - expected) / expected) <= tolerance;
}

}  // namespace doall::bench
