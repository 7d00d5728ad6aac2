// The order of MG's loops, for every runtime (kernels/serial_loops.hpp). A loop below is one
// site for all grids.
#pragma once

#include "kernels/nas-mg/kernel.hpp"

namespace doall::bench {

template <class Loops>
void run_steps(nas_mg& k, const Loops& loops) {
  using field = nas_mg::field;
  const std::size_t top = k.top();

  const auto wrap = [&](field f, std::size_t level) {
    loops.each(k.points(level), [&](std::size_t i) { k.wrap_rows(f, level, i); });
    loops.each(k.points(level) + cube::ends, [&](std::size_t i) { k.wrap_planes(f, level, i); });
  };
  const auto compute_residual = [&](std::size_t level) {
    loops.each(k.points(level), [&](std::size_t i) { k.compute_residual(level, i); });
    wrap(field::residual, level);
  };
  const auto restrict_residual = [&](std::size_t level) {
    loops.each(k.points(level), [&](std::size_t i) { k.restrict_residual(level, i); });
    wrap(field::residual, level);
  };
  const auto clear_solution = [&](std::size_t level) {
    loops.each(k.points(level) + cube::ends, [&](std::size_t i) { k.clear_solution(level, i); });
  };
  const auto interpolate = [&](std::size_t level) {
    loops.each(k.points(level) + cube::ends, [&](std::size_t i) { k.interpolate(level, i); });
  };
  const auto smooth = [&](std::size_t level) {
    loops.each(k.points(level), [&](std::size_t i) { k.smooth(level, i); });
    wrap(field::solution, level);
  };

  compute_residual(top);
  for (std::size_t iteration = 0; iteration < k.iterations(); ++iteration) {
    for (std::size_t level = top; level-- > 0;) restrict_residual(level);
    clear_solution(0);
    smooth(0);
    for (std::size_t level = 1; level <= top; ++level) {
      if (level < top) clear_solution(level);  // the finest one is what is corrected
      interpolate(level);
      compute_residual(level);
      smooth(level);
    }
    compute_residual(top);
  }
  k.take(loops.sum(k.points(top), [&](std::size_t i) { return k.square_plane(i); }));
}

}  // namespace doall::bench
