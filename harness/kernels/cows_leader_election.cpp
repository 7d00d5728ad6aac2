#include "kernels/cows_leader_election.hpp"

#include "kernels/graph.hpp"

namespace doall::bench {

leader_election::leader_election(shared_ordered_graph g)
    : cows_kernel(std::move(g)), answer_(2 * vertices()), new_leaders_(vertices()) {}

void leader_election::reset() { std::ranges::fill(answer_, no_vertex); }

// The same answer by searches, one for each component, from its largest number.
void run_serial(leader_election& k) {
  queue_search search(k.graph());
  for (auto leader = static_cast<vertex>(k.vertices()); leader-- > 0;) {
    for (const vertex v : search.from(leader)) k.take(v, leader, search.distance(v));
  }
}

}  // namespace doall::bench
