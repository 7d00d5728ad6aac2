/* Connected components; kernel.hpp has the algorithm. */
#include "kernels/cows-common/programs.h"

void cows_components(const cows_graph* g, uint32_t* label, uint32_t* new_label) {
  cows_next_is_uniform();
#pragma omp parallel for schedule(runtime)
  for (uint32_t v = 0; v < g->vertices; ++v) label[v] = v;

  uint64_t changed = 1;
  while (changed != 0) {
    cows_next_is_costed(g);
#pragma omp parallel for schedule(runtime)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      uint32_t least = label[v];
      for (uint64_t e = g->first[v]; e < g->first[v + 1]; ++e) {
        const uint32_t u = g->neighbour[e];
        if (label[u] < least) least = label[u];
      }
      new_label[v] = least;
    }
    changed = 0;
    cows_next_is_uniform();
#pragma omp parallel for schedule(runtime) reduction(+ : changed)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      const uint32_t least = new_label[new_label[v]];
      changed += least != label[v];
      label[v] = least;
    }
  }
}
