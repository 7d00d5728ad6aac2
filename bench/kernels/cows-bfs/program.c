/* Breadth-first search, driven by the graph's topology; kernel.hpp has the algorithm. */
#include "kernels/cows-common/programs.h"

void cows_bfs(const cows_graph* g, uint32_t root, uint32_t* level, uint8_t* is_found) {
  cows_next_is_uniform();
#pragma omp parallel for schedule(runtime)
  for (uint32_t v = 0; v < g->vertices; ++v) {
    level[v] = v == root ? 0 : cows_nobody;
    is_found[v] = v == root;
  }

  uint64_t reached = 1;
  for (uint32_t depth = 0; reached != 0; ++depth) {
    cows_next_is_guarded(g);
#pragma omp parallel for schedule(runtime)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      if (level[v] != depth) continue;
      for (uint64_t e = g->first[v]; e < g->first[v + 1]; ++e) {
        const uint32_t u = g->neighbour[e];
        uint8_t was_found;
#pragma omp atomic read
        was_found = is_found[u];
        if (was_found) continue;
#pragma omp atomic write
        is_found[u] = 1;
      }
    }
    reached = 0;
    cows_next_is_uniform();
#pragma omp parallel for schedule(runtime) reduction(+ : reached)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      if (!is_found[v] || level[v] != cows_nobody) continue;
      level[v] = depth + 1;
      ++reached;
    }
  }
}
