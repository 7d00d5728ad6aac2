// The same answer by searches, one for each component, from its least vertex.
#include "kernels/cows-common/queue_search.hpp"
#include "kernels/cows-components/kernel.hpp"

namespace doall::bench {

void run_serial(label_flow& k) {
  queue_search search(k.graph());
  for (vertex least = 0; least < k.vertices(); ++least) {
    for (const vertex v : search.from(least)) k.take_label(v, least);
  }
}

}  // namespace doall::bench
