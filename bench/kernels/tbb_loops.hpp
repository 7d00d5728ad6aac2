// The loops of a program through oneTBB; serial_loops.hpp says what they do.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <cstddef>

#include "kernels/tbb_reduce.hpp"

namespace doall::bench {

// Of tbb: static_partitioner, auto_partitioner or affinity_partitioner.
template <class Partitioner>
struct tbb_loops {
  std::size_t grain;  // ranges of so few iterations are not split

  template <class Body>
  void each(std::size_t count, const Body& body) const {
    static Partitioner partitioner;  // a loop's own: the affinity partitioner remembers
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, count, grain),
        [&body](const tbb::blocked_range<std::size_t>& part) {
          for (std::size_t i = part.begin(); i < part.end(); ++i) body(i);
        },
        partitioner);
  }

  template <class Body>
  auto sum(std::size_t count, const Body& body) const {
    using sums = decltype(body(count));
    return tbb_reduce<sums, Partitioner>(
        count, [&body](sums& all, std::size_t i) { all += body(i); },
        [](sums& all, const sums& others) { all += others; }, grain);
  }
};

// How many workers the loops of now have.
inline std::size_t tbb_workers() {
  return static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
}

}  // namespace doall::bench
