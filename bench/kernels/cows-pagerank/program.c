/* PageRank; kernel.hpp has the algorithm. Sums over all vertices are of whole numbers, 2^60
 * being 1: the same in any order. */
#include <math.h>

#include "kernels/cows-common/programs.h"

static uint64_t fixed_point(double part) { return (uint64_t)(int64_t)(part * 0x1p60); }

/* What vertex v gives along each edge. One without edges gives all it has to everybody: to
 * `dangling`. */
static double share_of(const cows_graph* g, uint32_t v, double rank, uint64_t* dangling) {
  const uint64_t degree = g->first[v + 1] - g->first[v];
  if (degree > 0) return rank / (double)degree;
  *dangling += fixed_point(rank);
  return 0;
}

int cows_pagerank(const cows_graph* g, int rounds_max, double* rank, double* new_rank,
                  double* share) {
  const double n = g->vertices;
  const double damping = 0.85;
  const double enough = 1e-7;
  uint64_t dangling = 0;
  cows_next_is_uniform();
#pragma omp parallel for schedule(runtime) reduction(+ : dangling)
  for (uint32_t v = 0; v < g->vertices; ++v) {
    rank[v] = 1 / n;
    share[v] = share_of(g, v, rank[v], &dangling);
  }

  int swapped = 0;
  double change = 1;
  for (int round = 0; round < rounds_max && change >= enough; ++round) {
    const double of_all = (1 - damping) / n + damping * ((double)dangling * 0x1p-60 / n);
    cows_next_is_costed(g);
#pragma omp parallel for schedule(runtime)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      double sum = 0;
      for (uint64_t e = g->first[v]; e < g->first[v + 1]; ++e) sum += share[g->neighbour[e]];
      new_rank[v] = of_all + damping * sum;
    }
    uint64_t changes = 0;
    dangling = 0;
    cows_next_is_uniform();
#pragma omp parallel for schedule(runtime) reduction(+ : changes, dangling)
    for (uint32_t v = 0; v < g->vertices; ++v) {
      changes += fixed_point(fabs(new_rank[v] - rank[v]));
      share[v] = share_of(g, v, new_rank[v], &dangling);
    }
    double* const old = rank;
    rank = new_rank;
    new_rank = old;
    swapped = !swapped;
    change = (double)changes * 0x1p-60;
  }
  return swapped;
}
