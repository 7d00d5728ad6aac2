#include "kernels/cows-bfs/kernel.hpp"

#include <algorithm>

namespace doall::bench {

cows_search::cows_search(shared_ordered_graph g)
    : cows_kernel(std::move(g)), levels_(vertices()), found_(vertices()) {}

void cows_search::reset() { std::ranges::fill(levels_, no_vertex - 1); }

}  // namespace doall::bench
