// The order of the lattice Boltzmann method's loops, for every runtime: each(count,
// body) is to run body(0) to body(count - 1) in parallel.
#pragma once

#include "kernels/lattice-boltzmann/kernel.hpp"

namespace doall::bench {

template <class Each>
void run_steps(lattice_boltzmann& k, const Each& each) {
  for (int step = 0; step < k.steps(); ++step) {
    each(k.row_count(), [&](int row) { k.collide_row(row); });
    each(k.row_count(), [&](int row) { k.stream_row(row); });
    k.next();
  }
}

}  // namespace doall::bench
