// EP's one loop, for every runtime (kernels/serial_loops.hpp).
#pragma once

#include "kernels/nas-ep/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(nas_ep& k, const Loops& loops) {
  k.take(loops.sum(k.blocks(), [&](std::size_t block) { return k.sum_block(block); }));
}

}  // namespace doall::bench
