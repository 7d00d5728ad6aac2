#pragma once

#include "kernels/nested_recorded.hpp"
#include "kernels/spmv/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_nest(spmv& k, const Loops& loops) {
  loops.outer(k.rows(), [&](std::size_t row) {
    k.put(row, loops.inner_sum(k.row_length(row), [&](std::size_t first, std::size_t last) {
      charge(loops, [&] { return (last - first) * k.nonzero_cycles; });
      return k.add_up(row, first, last);
    }));
  });
}

}  // namespace doall::bench
