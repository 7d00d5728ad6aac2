#pragma once

#include "kernels/nested_recorded.hpp"
#include "kernels/quicksort/kernel.hpp"

namespace doall::bench {

// Tells where the pivot is. The shared one's loops are inner ones, also those of the first call:
// loops that serialise these never come to them.
template <class Loops>
std::size_t partition_by(quicksort& k, const Loops& loops, const quicksort::part& p,
                         std::size_t workers) {
  if (!k.has_shared_partition(p, workers)) {
    charge(loops, [&] { return k.partition_cycles(p); });
    return k.partition(p);
  }
  shared_partition shared = k.partition_together(p);
  loops.inner(shared.blocks(), [&](std::size_t block) {
    charge(loops, [&] { return shared.count_cycles; });
    shared.count(block);
  });
  shared.place();
  loops.inner(shared.blocks(), [&](std::size_t block) {
    charge(loops, [&] { return shared.scatter_cycles; });
    shared.scatter(block);
  });
  loops.inner(shared.blocks(), [&](std::size_t block) {
    charge(loops, [&] { return shared.restore_cycles; });
    shared.restore(block);
  });
  return p.first + shared.pivot();
}

// The paper's Figure 2, of a call that is an iteration of another's loop.
template <class Loops>
void sort_by(quicksort& k, const Loops& loops, const quicksort::part& p, std::size_t workers) {
  if (k.is_serial(p)) {
    charge(loops, [&] { return k.sort_cycles(p); });
    return k.sort(p);
  }
  const std::size_t pivot = partition_by(k, loops, p, workers);
  loops.inner(2, [&](std::size_t side) { sort_by(k, loops, p.beside(pivot, side), workers); });
}

// `workers`: as many as can come to an inner loop.
template <class Loops>
void run_nest(quicksort& k, const Loops& loops, std::size_t workers) {
  const quicksort::part all = k.whole();
  const std::size_t pivot = partition_by(k, loops, all, workers);
  loops.outer(2, [&](std::size_t side) { sort_by(k, loops, all.beside(pivot, side), workers); });
}

}  // namespace doall::bench
