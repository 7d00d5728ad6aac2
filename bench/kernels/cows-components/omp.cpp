// program.c on the kernel's arrays.
#include "kernels/cows-components/kernel.hpp"

namespace doall::bench {

void run_omp(label_flow& k) {
  const cows_graph g = k.graph().for_c();
  cows_components(&g, k.labels_.data(), k.new_labels_.data());
}

}  // namespace doall::bench
