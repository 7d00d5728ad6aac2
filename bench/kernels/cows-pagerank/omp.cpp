// program.c on the kernel's arrays.
#include "kernels/cows-pagerank/kernel.hpp"

namespace doall::bench {

void run_omp(rank_flow& k) {
  const cows_graph g = k.graph().for_c();
  const int swapped = cows_pagerank(&g, rank_flow::rounds_max, k.ranks_.data(), k.new_ranks_.data(),
                                    k.shares_.data());
  if (swapped != 0) k.advance();
}

}  // namespace doall::bench
