// How often a queue is taken from when each take is a part of what it still holds:
// what Theorem 3.1 of AFS counts.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/arith.hpp"
#include "schedule/rounding.hpp"

namespace doall::tests {

using base::u64;

// How often 1/part of what is left can be taken from so many iterations, rounded as
// `round` says. Never more often from fewer: what a take leaves does not
// grow when it finds less. So who shares the queue with others takes no more often.
inline u64 takes(u64 iterations, u64 part, u64 round) {
  if (part >= iterations) return iterations;
  u64 count = 0;
  for (; iterations > 0; ++count) {
    iterations -= round == schedules::round_down ? std::max<u64>(iterations / part, 1)
                                                 : base::ceil_div(iterations, part);
  }
  return count;
}

// Lemma 3.1 with its constants: O(k log(N / k)), k the part. A take from R iterations
// gets ceil(R / k) of them, or if it rounds down at least (R - (k - 1)) / k. With
// d = 0, or if it rounds down k - 1, it gets at least 1/k of R - d and leaves at most
// (1 - 1/k) of it. After j takes R - d is at most (N - d)(1 - 1/k)^j <= (N - d) e^(-j/k),
// and that is k or less from j = k ln((N - d) / k) on. The k + d iterations that may be
// left then are no more takes than that.
inline u64 takes_most(u64 iterations, u64 part, u64 round) {
  const u64 offset = round == schedules::round_down ? part - 1 : 0;
  const u64 tail = base::saturating_add(offset, part);
  if (iterations <= tail) return iterations;
  const double ratio = static_cast<double>(iterations - offset) / static_cast<double>(part);
  return tail + static_cast<u64>(std::ceil(static_cast<double>(part) * std::log(ratio)));
}

}  // namespace doall::tests
