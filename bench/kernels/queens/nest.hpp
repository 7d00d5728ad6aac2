#pragma once

#include "kernels/nested_recorded.hpp"
#include "kernels/queens/kernel.hpp"

namespace doall::bench {

// An iteration of the loop over the columns of the row after b's.
template <class Loops>
void try_column(queens& k, const Loops& loops, const queens::board& b, std::size_t column) {
  charge(loops, [&] { return k.try_cycles(b); });
  if (!k.is_safe(b, column)) return;
  queens::board next = b;
  next.add(column);
  if (k.is_serial(next)) {
    charge(loops, [&] { return k.count_cycles(next); });
    k.count_from(next);
  } else {
    loops.inner(k.n(), [&](std::size_t c) { try_column(k, loops, next, c); });
  }
}

template <class Loops>
void run_nest(queens& k, const Loops& loops) {
  const queens::board empty;
  loops.outer(k.n(), [&](std::size_t column) { try_column(k, loops, empty, column); });
}

}  // namespace doall::bench
