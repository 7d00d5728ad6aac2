#include "kernels/histogram/kernel.hpp"

namespace doall::bench {

void run_serial(histogram& k) {
  histogram_counts counts{};
  for (std::size_t piece = 0; piece < k.pieces(); ++piece) k.count_piece(piece, counts.data());
  k.take(counts);
}

}  // namespace doall::bench
