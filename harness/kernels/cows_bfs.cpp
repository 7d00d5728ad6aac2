#include "kernels/cows_bfs.hpp"

#include "kernels/graph.hpp"

namespace doall::bench {

cows_search::cows_search(shared_ordered_graph g) : cows_kernel(std::move(g)), levels_(vertices()) {}

void cows_search::reset() {
  for (vertex v = 0; v < vertices(); ++v) take_level(v, no_vertex - 1);
}

// The same answer by a queue.
void run_serial(cows_search& k) {
  queue_search search(k.graph());
  if (k.vertices() != 0) search.from(k.graph().hub());
  for (vertex v = 0; v < k.vertices(); ++v) k.take_level(v, search.distance(v));
}

}  // namespace doall::bench
