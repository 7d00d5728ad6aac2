/* COWS's kernels as a user would write them, in plain OpenMP C: a loop over all vertices, and in
 * each iteration a loop over the vertex's neighbours (the paper's Figure 1). They are there once
 * for every clause that a runtime is measured with: a clause in the loop is what a compiler sees,
 * and a static loop then asks the runtime for nothing. COWS, section VI, found schedule(runtime)
 * inefficient; it serves doall's schedules, which have no clause.
 *
 * Before each loop stands what is known of its costs. Compiled with COWS_NAME_COSTS, and linked
 * with libdoall, a program tells it to doall; without, it says nothing and knows no runtime but
 * OpenMP.
 *
 * The caller owns all memory; arrays have an entry for each vertex unless they say otherwise. */
#ifndef KERNELS_COWS_COMMON_PROGRAMS_H
#define KERNELS_COWS_COMMON_PROGRAMS_H

#include <stdint.h>

#ifdef COWS_NAME_COSTS
#include <doall/doall.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Compressed sparse rows of an undirected graph. `first` is also the running sum of the degrees. */
typedef struct cows_graph {
  uint32_t vertices;
  const uint64_t* first;     /* [vertices + 1]: where v's row begins in `neighbour` */
  const uint32_t* neighbour; /* [first[vertices]] */
} cows_graph;

#define cows_nobody UINT32_MAX

/* Of the next loop, which goes over all vertices: iteration v costs what v has neighbours; or so it
 * does where a predicate lets it; or all cost the same.
 *
 * No generation is said: when one graph gives way to another, its arrays may lie where the former's
 * were, with as many vertices. */
static inline void cows_next_is_costed(const cows_graph* g) {
#ifdef COWS_NAME_COSTS
  doall_loop_costs_sums(g->first, g->vertices, 0);
#else
  (void)g;
#endif
}

static inline void cows_next_is_guarded(const cows_graph* g) {
  cows_next_is_costed(g);
#ifdef COWS_NAME_COSTS
  doall_loop_costs_hint(DOALL_COSTS_GUARDED);
#endif
}

static inline void cows_next_is_uniform(void) {
#ifdef COWS_NAME_COSTS
  doall_loop_costs_hint(DOALL_COSTS_UNIFORM);
#endif
}

typedef struct cows_program_set {
  /* Writes each vertex's leader; the others are scratch. */
  void (*k_committee)(const cows_graph* g, uint32_t hops, uint32_t phases, uint32_t* leader,
                      uint32_t* least, uint32_t* new_least);
  /* Writes each vertex's leader and how far away it is. */
  void (*leader_election)(const cows_graph* g, uint32_t* leader, uint32_t* distance,
                          uint32_t* new_leader);
  /* Writes each vertex's level, cows_nobody where none is. */
  void (*bfs)(const cows_graph* g, uint32_t root, uint32_t* level);
  /* From even ranks, what vertices give along each edge, and what those without edges have, 2^60
   * being 1. Returns which of the two arrays has the ranks: 0 or 1. */
  int (*pagerank)(const cows_graph* g, uint64_t dangling, double* rank, double* new_rank,
                  double* share);
  /* Writes the least vertex of each one's component. */
  void (*components)(const cows_graph* g, uint32_t* label);
} cows_program_set;

/* By the clause that all loops have; cyclic: schedule(static, 1). */
extern const cows_program_set cows_programs_runtime;
extern const cows_program_set cows_programs_dynamic;
extern const cows_program_set cows_programs_static;
extern const cows_program_set cows_programs_cyclic;
extern const cows_program_set cows_programs_guided;

#ifdef __cplusplus
}
#endif

#endif
