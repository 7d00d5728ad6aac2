/* Breadth-first search, driven by the graph's topology; kernel.hpp has the algorithm. */
#include "kernels/cows-common/programs.h"

void cows_bfs(const cows_graph* g, uint32_t root, uint32_t* level, uint8_t* in_frontier,
              uint8_t* in_next) {
  cows_next_is_uniform();
#pragma omp parallel for schedule(runtime)
  for (uint32_t v = 0; v < g->vertices; ++v) {
    level[v] = v == root ? 0 : cows_nobody;
    in_frontier[v] = v == root;
    in_next[v] = 0;
  }

  uint64_t reached = 1;
  for (uint32_t depth = 1; reached != 0; ++depth) {
    cows_next_is_guarded(g);
#pragma omp parallel for schedule(runtime)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      if (!in_frontier[v]) continue;
      for (uint64_t e = g->first[v]; e < g->first[v + 1]; ++e) {
        const uint32_t u = g->neighbour[e];
        if (level[u] != cows_nobody) continue;
#pragma omp atomic write
        in_next[u] = 1;
      }
    }
    reached = 0;
    cows_next_is_uniform();
#pragma omp parallel for schedule(runtime) reduction(+ : reached)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      in_frontier[v] = in_next[v];
      if (!in_next[v]) continue;
      level[v] = depth;
      in_next[v] = 0;
      ++reached;
    }
  }
}
