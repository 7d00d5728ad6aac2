// program.c on the kernel's arrays.
#include "kernels/cows-k-committee/kernel.hpp"

namespace doall::bench {

void run_omp(k_committee& k) {
  const cows_graph g = k.graph().for_c();
  cows_k_committee(&g, k_committee::hops, k_committee::phases, k.leaders_.data(), k.least_.data(),
                   k.new_least_.data());
}

}  // namespace doall::bench
