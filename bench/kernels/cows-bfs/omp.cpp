// program.c on the kernel's arrays.
#include "kernels/cows-bfs/kernel.hpp"

namespace doall::bench {

static_assert(sizeof(sync::atomic<std::uint8_t>) == sizeof(std::uint8_t),
              "the program in C sees the marks as bytes");

void run_omp(cows_search& k) {
  const cows_graph g = k.graph().for_c();
  cows_bfs(&g, k.graph().hub(), k.levels_.data(), reinterpret_cast<std::uint8_t*>(k.found_.data()));
}

}  // namespace doall::bench
