// program.c on the kernel's arrays.
#include "kernels/cows-leader-election/kernel.hpp"

namespace doall::bench {

void run_omp(leader_election& k) {
  const cows_graph g = k.graph().for_c();
  cows_leader_election(&g, k.answer_.data(), k.answer_.data() + k.vertices(),
                       k.new_leaders_.data());
}

}  // namespace doall::bench
