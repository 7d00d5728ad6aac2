// The order of CG's loops, for every runtime (kernels/serial_loops.hpp).
#pragma once

#include <cmath>

#include "kernels/nas-cg/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(nas_cg& k, const Loops& loops) {
  const std::size_t blocks = k.blocks();
  for (int estimate = 0; estimate < nas_cg::estimates; ++estimate) {
    double rho = loops.sum(blocks, [&](std::size_t b) { return k.start(b); });
    for (int descent = 0; descent < nas_cg::descents; ++descent) {
      const double alpha = rho / loops.sum(blocks, [&](std::size_t b) { return k.multiply(b); });
      const double rho_before = rho;
      rho = loops.sum(blocks, [&](std::size_t b) { return k.descend(alpha, b); });
      const double beta = rho / rho_before;
      loops.each(blocks, [&](std::size_t b) { k.turn(beta, b); });
    }
    const double residual = loops.sum(blocks, [&](std::size_t b) { return k.residual(b); });
    const auto sums = loops.sum(blocks, [&](std::size_t b) { return k.project(b); });
    const double norm = std::sqrt(sums.z_z);
    loops.each(blocks, [&](std::size_t b) { k.normalise(norm, b); });
    k.take(sums, std::sqrt(residual));
  }
}

}  // namespace doall::bench
