#include <math.h>

#include "kernels/cows_programs.h"

/* Committees of vertices near a leader; cows_k_committee.hpp has the algorithm. */

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

/* A leader for each connected part of a graph; cows_leader_election.hpp has the algorithm. */

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

/* Breadth-first search, driven by the graph's topology; cows_bfs.hpp has the algorithm. */

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

/* PageRank; cows_pagerank.hpp has the algorithm. Sums over all vertices are of whole numbers,
 * 2^60 being 1: the same in any order. */

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

/* Connected components; cows_components.hpp has the algorithm. */

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
