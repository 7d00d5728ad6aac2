// The same rounds on one thread: in floating point another algorithm has other bits.
#include "kernels/cows-pagerank/kernel.hpp"

namespace doall::bench {

void run_serial(rank_flow& k) {
  const auto n = static_cast<vertex>(k.vertices());
  rank_flow::sums sums;
  for (vertex v = 0; v < n; ++v) sums += k.begin(v);
  double change = 1;
  for (int round = 0; round < k.rounds_max && change >= k.enough; ++round) {
    const double of_all = k.of_all(sums.dangling);
    for (vertex v = 0; v < n; ++v) k.gather(v, of_all);
    sums = {};
    for (vertex v = 0; v < n; ++v) sums += k.accept(v);
    change = k.floating(sums.change);
    k.advance();
  }
}

}  // namespace doall::bench
