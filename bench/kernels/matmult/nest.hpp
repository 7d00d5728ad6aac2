#pragma once

#include "kernels/matmult/kernel.hpp"
#include "kernels/nested_recorded.hpp"

namespace doall::bench {

template <class Loops>
void run_nest(matmult& k, const Loops& loops) {
  loops.outer(k.n(), [&](std::size_t row) {
    loops.inner(k.n(), [&](std::size_t column) {
      charge(loops, [&] { return k.cell_cycles(); });
      k.compute(row, column);
    });
  });
}

}  // namespace doall::bench
