#include "kernels/cows-leader-election/kernel.hpp"

namespace doall::bench {

leader_election::leader_election(shared_ordered_graph g)
    : cows_kernel(std::move(g)), answer_(2 * vertices()), new_leaders_(vertices()) {}

void leader_election::reset() { std::ranges::fill(answer_, no_vertex); }

}  // namespace doall::bench
