#include "kernels/cows-pagerank/kernel.hpp"

#include <algorithm>

namespace doall::bench {

rank_flow::rank_flow(shared_ordered_graph g)
    : cows_kernel(std::move(g)), ranks_(vertices()), new_ranks_(vertices()), shares_(vertices()) {}

void rank_flow::reset() { std::ranges::fill(ranks_, -1); }

}  // namespace doall::bench
