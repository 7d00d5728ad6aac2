/* A leader for each connected part of a graph; kernel.hpp has the algorithm. */
#include "kernels/cows-common/programs.h"

void cows_leader_election(const cows_graph* g, uint32_t* leader, uint32_t* distance,
                          uint32_t* new_leader) {
  cows_next_is_uniform();
#pragma omp parallel for schedule(runtime)
  for (uint32_t v = 0; v < g->vertices; ++v) {
    leader[v] = v;
    distance[v] = 0;
  }

  uint64_t changed = 1;
  for (uint32_t round = 1; changed != 0; ++round) {
    cows_next_is_costed(g);
#pragma omp parallel for schedule(runtime)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      uint32_t most = leader[v];
      for (uint64_t e = g->first[v]; e < g->first[v + 1]; ++e) {
        const uint32_t u = g->neighbour[e];
        if (leader[u] > most) most = leader[u];
      }
      new_leader[v] = most;
    }
    changed = 0;
    cows_next_is_uniform();
#pragma omp parallel for schedule(runtime) reduction(+ : changed)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      if (new_leader[v] == leader[v]) continue;
      leader[v] = new_leader[v];
      distance[v] = round;
      ++changed;
    }
  }
}
