#include "kernels/cows-k-committee/kernel.hpp"

namespace doall::bench {

k_committee::k_committee(shared_ordered_graph g)
    : cows_kernel(std::move(g)), leaders_(vertices()), least_(vertices()), new_least_(vertices()) {}

void k_committee::reset() { std::ranges::fill(leaders_, no_vertex); }

}  // namespace doall::bench
