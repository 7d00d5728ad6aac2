/* R-MAT (Chakrabarti, Zhan, Faloutsos, SDM 2004): an edge falls into one of the
 * four quarters of the adjacency matrix with the probabilities A, B, C, D, then
 * into a quarter of that quarter, and so on, a bit of both vertex numbers a level.
 *
 * The parameters are Graph500's; two of its habits are not kept. Edges are
 * directed, and vertices keep the numbers the rule gives them, where Graph500
 * shuffles them: in social networks, too, low numbers have high degrees (of 100
 * edges 76 come into the first half of the vertices here, 92 in SNAP's
 * soc-Epinions1, 88 in soc-Slashdot0902), and that is what makes equal shares of
 * the vertices unequal work. (Not every graph is so: in web-NotreDame it is 36.)
 * Edges that occur twice and edges from a vertex to itself stay.
 *
 * The random numbers are counted, not drawn: the k-th number of edge e is a hash
 * of (e, k). So edges can be made in any order, by any thread. */
#include "kronecker.h"

#include <stdlib.h>

#include "text_file.h"

/* The finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): each bit of the
 * result depends on every bit of the counter. */
static uint64_t hash(uint64_t counter) {
  const uint64_t seed = 0x646f616c6c, golden_ratio = 0x9e3779b97f4a7c15;
  uint64_t x = seed + counter * golden_ratio;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

static edge make_edge(uint64_t e, int scale) {
  static const uint32_t a = (uint32_t)(0.57 * 0x1p32);
  static const uint32_t ab = (uint32_t)((0.57 + 0.19) * 0x1p32);
  static const uint32_t abc = (uint32_t)((0.57 + 0.19 + 0.19) * 0x1p32);
  const uint64_t first_counter = e * (kronecker_scale_max / 2); /* a hash serves two levels */
  uint64_t random = 0;
  edge result = {0, 0};
  for (int level = 0; level < scale; ++level) {
    random = level % 2 == 0 ? hash(first_counter + (uint64_t)level / 2) : random >> 32;
    const uint32_t quarter = (uint32_t)random;
    result.from = 2 * result.from + (quarter >= ab);
    result.to = 2 * result.to + ((quarter >= a) ^ (quarter >= ab) ^ (quarter >= abc));
  }
  return result;
}

graph graph_kronecker(int scale) {
  const size_t vertices = (size_t)1 << scale;
  const size_t edges = kronecker_edge_factor * vertices;
  edge* list = allocate(edges, sizeof *list, "edges");
#pragma omp parallel for schedule(static)
  for (size_t e = 0; e < edges; ++e) list[e] = make_edge(e, scale);
  const graph g = graph_from_edges(vertices, list, edges);
  free(list);
  return g;
}
