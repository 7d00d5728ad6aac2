// The order of IS's loops, for every runtime (kernels/serial_loops.hpp).
#pragma once

#include "kernels/nas-is/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(nas_is& k, const Loops& loops) {
  for (std::uint32_t iteration = 1; iteration <= nas_is::iterations; ++iteration) {
    k.begin(iteration);
    loops.each(k.blocks(), [&](std::size_t block) { k.count_block(block); });
    loops.each(k.lines(), [&](std::size_t line) { k.place_line(line); });
    k.place_buckets();
    loops.each(k.blocks(), [&](std::size_t block) { k.scatter_block(block); });
    loops.each(k.buckets(), [&](std::size_t bucket) { k.rank_bucket(bucket); });
    k.verify_some(iteration);
  }
}

}  // namespace doall::bench
