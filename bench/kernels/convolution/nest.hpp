#pragma once

#include "kernels/convolution/kernel.hpp"
#include "kernels/nested_recorded.hpp"

namespace doall::bench {

template <class Loops>
void run_nest(convolution& k, const Loops& loops) {
  loops.outer(k.n(), [&](std::size_t row) {
    loops.inner(k.n(), [&](std::size_t column) {
      charge(loops, [&] { return k.pixel_cycles(); });
      k.compute(row, column);
    });
  });
}

}  // namespace doall::bench
