#include "kernels/cows_pagerank.hpp"

namespace doall::bench {

rank_flow::rank_flow(shared_ordered_graph g)
    : cows_kernel(std::move(g)), ranks_(vertices()), new_ranks_(vertices()), shares_(vertices()) {}

void rank_flow::reset() {
  first_dangling_ = 0;
  for (vertex v = 0; v < vertices(); ++v) {
    ranks_[v] = 1 / static_cast<double>(vertices());
    first_dangling_ += give(v, ranks_[v]);
  }
}

// The same rounds on one thread: in floating point another algorithm has other bits.
void run_serial(rank_flow& k) {
  const auto n = static_cast<vertex>(k.vertices());
  rank_flow::sums sums{.dangling = k.first_dangling()};
  double change = 1;
  while (change >= k.enough) {
    const double of_all = k.of_all(sums.dangling);
    for (vertex v = 0; v < n; ++v) k.gather(v, of_all);
    sums = {};
    for (vertex v = 0; v < n; ++v) sums += k.accept(v);
    change = k.floating(sums.change);
    k.advance();
  }
}

}  // namespace doall::bench
