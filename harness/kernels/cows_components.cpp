#include "kernels/cows_components.hpp"

#include "kernels/graph.hpp"

namespace doall::bench {

label_flow::label_flow(shared_ordered_graph g) : cows_kernel(std::move(g)), labels_(vertices()) {}

void label_flow::reset() {
  for (vertex v = 0; v < vertices(); ++v) take_label(v, no_vertex);
}

// The same answer by searches, one for each component, from its least vertex.
void run_serial(label_flow& k) {
  queue_search search(k.graph());
  for (vertex least = 0; least < k.vertices(); ++least) {
    for (const vertex v : search.from(least)) k.take_label(v, least);
  }
}

}  // namespace doall::bench
