#include "kernels/cows_pagerank.hpp"

#include <algorithm>

namespace doall::bench {

rank_flow::rank_flow(shared_ordered_graph g)
    : cows_kernel(std::move(g)), ranks_(vertices()), new_ranks_(vertices()), shares_(vertices()) {}

void rank_flow::reset() { std::ranges::fill(ranks_, -1); }

// The same rounds on one thread: in floating point another algorithm has other bits.
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
