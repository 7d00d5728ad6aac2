// The microbenchmarks' loops, for every runtime (kernels/serial_loops.hpp).
#pragma once

#include "kernels/strided/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(strided& k, const Loops& loops) {
  for (int phase = 0; phase < k.phases(); ++phase) {
    loops.each(k.iterations(), [&](std::size_t i) { k.walk(i); });
  }
}

}  // namespace doall::bench
