#include <doall/doall.hpp>

#include "kernels/histogram/kernel.hpp"

namespace doall::bench {

void run_doall(histogram& k, const loop_options& options) {
  // A body that takes a range counts all of it into one array.
  k.take(parallel_reduce(
      std::size_t{0}, k.pieces(), histogram_counts{},
      [&](range<std::size_t> pieces) {
        histogram_counts counts{};
        for (const std::size_t piece : pieces) k.count_piece(piece, counts.data());
        return counts;
      },
      [](histogram_counts counts, const histogram_counts& others) {
        add(counts, others);
        return counts;
      },
      options));
}

}  // namespace doall::bench
