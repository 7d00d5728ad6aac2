// The same answer by a queue.
#include "kernels/cows-bfs/kernel.hpp"
#include "kernels/cows-common/queue_search.hpp"

namespace doall::bench {

void run_serial(cows_search& k) {
  queue_search search(k.graph());
  if (k.vertices() != 0) search.from(k.graph().hub());
  for (vertex v = 0; v < k.vertices(); ++v) k.take_level(v, search.distance(v));
}

}  // namespace doall::bench
