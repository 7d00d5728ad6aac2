#include "kernels/cows_programs.h"

#include <math.h>

/* A word that other iterations of the loop may write. */

static uint32_t cows_read(const uint32_t* word) {
  uint32_t found;
#pragma omp atomic read
  found = *word;
  return found;
}

/* Of a word that all of a loop's iterations share: most find it raised. */
static void cows_raise(uint32_t* word) {
  if (cows_read(word) != 0) return;
#pragma omp atomic write
  *word = 1;
}

/* PageRank's. Sums over all vertices are of whole numbers, 2^60 being 1: the same in any order. */

static uint64_t fixed_point(double part) { return (uint64_t)(int64_t)(part * 0x1p60); }

/* What vertex v gives along each edge. One without edges gives all it has to everybody: to
 * `dangling`. */
static double share_of(const cows_graph* g, uint32_t v, double rank, uint64_t* dangling) {
  const uint64_t degree = g->first[v + 1] - g->first[v];
  if (degree > 0) return rank / (double)degree;
  *dangling += fixed_point(rank);
  return 0;
}

#ifdef COWS_SET /* one set alone, of that name: by schedule(runtime) */

#define COWS_JOIN(name, set) name##_##set
#define COWS_JOINED(name, set) COWS_JOIN(name, set)
#define COWS_SCHEDULE runtime
#define COWS_NAMED(name) COWS_JOINED(name, COWS_SET)
#include "kernels/cows_programs.inc"

#else

#define COWS_SCHEDULE runtime
#define COWS_NAMED(name) name##_runtime
#include "kernels/cows_programs.inc"

#define COWS_SCHEDULE dynamic
#define COWS_NAMED(name) name##_dynamic
#include "kernels/cows_programs.inc"

#define COWS_SCHEDULE static
#define COWS_NAMED(name) name##_static
#include "kernels/cows_programs.inc"

#define COWS_SCHEDULE static, 1
#define COWS_NAMED(name) name##_cyclic
#include "kernels/cows_programs.inc"

#define COWS_SCHEDULE guided
#define COWS_NAMED(name) name##_guided
#include "kernels/cows_programs.inc"

#endif
