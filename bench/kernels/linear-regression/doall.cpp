#include <doall/doall.hpp>

#include <functional>

#include "kernels/linear-regression/kernel.hpp"

namespace doall::bench {

void run_doall(linear_regression& k, const loop_options& options) {
  k.take(parallel_reduce(
      std::size_t{0}, k.pieces(), five_sums{},
      [&](std::size_t piece) { return k.sum_piece(piece); }, std::plus<>(), options));
}

}  // namespace doall::bench
