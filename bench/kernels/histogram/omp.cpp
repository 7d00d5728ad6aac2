#include "kernels/histogram/kernel.hpp"

namespace doall::bench {

void run_omp_static(histogram& k) {
  histogram_counts counts{};
  std::uint32_t* sums = counts.data();
#pragma omp parallel for schedule(static) reduction(+ : sums[ : histogram_bins])
  for (std::size_t piece = 0; piece < k.pieces(); ++piece) k.count_piece(piece, sums);
  k.take(counts);
}

}  // namespace doall::bench
