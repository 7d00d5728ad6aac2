/* Committees of vertices near a leader; kernel.hpp has the algorithm. */
#include "kernels/cows-common/programs.h"

static void flood_least(const cows_graph* g, uint32_t hops, uint32_t** least,
                        uint32_t** new_least) {
  for (uint32_t hop = 0; hop < hops; ++hop) {
    const uint32_t* const now = *least;
    uint32_t* const next = *new_least;
    cows_next_is_costed(g);
#pragma omp parallel for schedule(runtime)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      uint32_t found = now[v];
      for (uint64_t e = g->first[v]; e < g->first[v + 1]; ++e) {
        const uint32_t u = g->neighbour[e];
        if (now[u] < found) found = now[u];
      }
      next[v] = found;
    }
    *new_least = *least;
    *least = next;
  }
}

void cows_k_committee(const cows_graph* g, uint32_t hops, uint32_t phases, uint32_t* leader,
                      uint32_t* least, uint32_t* new_least) {
  cows_next_is_uniform();
#pragma omp parallel for schedule(runtime)
  for (uint32_t v = 0; v < g->vertices; ++v) leader[v] = cows_nobody;

  for (uint32_t phase = 1; phase <= phases; ++phase) {
    cows_next_is_uniform();
#pragma omp parallel for schedule(runtime)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      least[v] = leader[v] == cows_nobody ? v : cows_nobody;
    }
    flood_least(g, hops, &least, &new_least);
    cows_next_is_uniform();
#pragma omp parallel for schedule(runtime)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      if (least[v] != v) least[v] = cows_nobody;
    }
    flood_least(g, hops, &least, &new_least);
    cows_next_is_uniform();
#pragma omp parallel for schedule(runtime)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      if (leader[v] != cows_nobody) continue;
      leader[v] = least[v] == cows_nobody && phase == phases ? v : least[v];
    }
  }
}
