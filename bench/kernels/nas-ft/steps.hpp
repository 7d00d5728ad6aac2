// The order of FT's loops, for every runtime (kernels/serial_loops.hpp).
#pragma once

#include "kernels/nas-ft/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(nas_ft& k, const Loops& loops) {
  const auto transform = [&](fourier::direction d) {
    loops.each(k.planes(along_x), [&](std::size_t i) { k.transform_plane(d, along_x, i); });
    loops.each(k.planes(along_y), [&](std::size_t i) { k.transform_plane(d, along_y, i); });
    loops.each(k.planes(along_z), [&](std::size_t i) { k.transform_plane(d, along_z, i); });
  };
  loops.each(k.points()[along_z], [&](std::size_t i) { k.fill_plane(i); });
  transform(fourier::direction::forward);
  for (std::size_t step = 0; step < nas_ft::steps; ++step) {
    loops.each(k.points()[along_z], [&](std::size_t i) { k.evolve_plane(i); });
    transform(fourier::direction::inverse);
    k.take(step, loops.sum(k.pieces(), [&](std::size_t i) { return k.sum_piece(i); }));
  }
}

}  // namespace doall::bench
