// The same answer by searches, one for each component, from its largest number.
#include "kernels/cows-common/queue_search.hpp"
#include "kernels/cows-leader-election/kernel.hpp"

namespace doall::bench {

void run_serial(leader_election& k) {
  queue_search search(k.graph());
  for (auto leader = static_cast<vertex>(k.vertices()); leader-- > 0;) {
    for (const vertex v : search.from(leader)) k.take(v, leader, search.distance(v));
  }
}

}  // namespace doall::bench
