#include "kernels/linear-regression/kernel.hpp"

namespace doall::bench {

void run_omp_static(linear_regression& k) {
  std::uint64_t x = 0, y = 0, xx = 0, yy = 0, xy = 0;
#pragma omp parallel for schedule(static) reduction(+ : x, y, xx, yy, xy)
  for (std::size_t piece = 0; piece < k.pieces(); ++piece) {
    const five_sums sums = k.sum_piece(piece);
    x += sums.x;
    y += sums.y;
    xx += sums.xx;
    yy += sums.yy;
    xy += sums.xy;
  }
  k.take({x, y, xx, yy, xy});
}

}  // namespace doall::bench
