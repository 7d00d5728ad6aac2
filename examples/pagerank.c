/* PageRank by power iteration, pulling: a vertex gathers from its in-edges.
 *
 * A plain OpenMP program. An iteration has two loops with schedule(runtime): one
 * over vertices, as uneven as the graph's in-degrees, and one over blocks of
 * vertices, which is even.
 *
 * Ranks do not depend on the schedule. A vertex adds up its in-edges in the order
 * of the graph; sums over all vertices (dangling mass, change) are made a block
 * at a time, and the blocks added up in their order. So a serial run of the same
 * sums must agree, and each run checks that it does. */
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "kronecker.h"
#include "text_file.h"

enum { default_scale = 18, iterations = 60, block_vertices = 256 };

static const double damping = 0.85;
static const double difference_allowed = 1e-12; /* relative */

typedef struct state {
  const graph* g;
  double* rank;
  double* last_rank;
  double* share; /* rank / out-degree: what a vertex gives along each out-edge */
  size_t blocks;
  double* block_dangling;    /* the rank of vertices without out-edges, by block */
  double* block_change;      /* |rank - last_rank|, by block */
  double change[iterations]; /* the same over all vertices, by iteration */
} state;

/* The bodies of the two loops. */

static inline void gather_vertex(state* s, size_t v, double base) {
  double sum = 0;
  for (size_t e = s->g->first_in[v]; e < s->g->first_in[v + 1]; ++e) sum += s->share[s->g->in[e]];
  s->rank[v] = base + damping * sum;
}

static inline void share_block(state* s, size_t block) {
  const size_t first = block * block_vertices;
  const size_t left = s->g->vertices - first;
  const size_t last = first + (left < block_vertices ? left : block_vertices);
  double dangling = 0, change = 0;
  for (size_t v = first; v < last; ++v) {
    const uint32_t out_degree = s->g->out_degree[v];
    change += fabs(s->rank[v] - s->last_rank[v]);
    if (out_degree > 0) {
      s->share[v] = s->rank[v] / out_degree;
    } else {
      dangling += s->rank[v];
    }
  }
  s->block_dangling[block] = dangling;
  s->block_change[block] = change;
}

/* Before and after them. */

static double add_up(const double* values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += values[i];
  return sum;
}

/* Returns what a vertex gets without an in-edge: its part of the random jumps and
 * of the dangling mass. */
static double begin_iteration(state* s) {
  double* const rank = s->rank;
  s->rank = s->last_rank;
  s->last_rank = rank;
  const double dangling = add_up(s->block_dangling, s->blocks);
  return (1 - damping + damping * dangling) / (double)s->g->vertices;
}

static void end_iteration(state* s, int i) { s->change[i] = add_up(s->block_change, s->blocks); }

static void pagerank(state* s) {
  for (int i = 0; i < iterations; ++i) {
    const double base = begin_iteration(s);
#pragma omp parallel for schedule(runtime)
    for (size_t v = 0; v < s->g->vertices; ++v) gather_vertex(s, v, base);
#pragma omp parallel for schedule(runtime)
    for (size_t b = 0; b < s->blocks; ++b) share_block(s, b);
    end_iteration(s, i);
  }
}

static void pagerank_serial(state* s) {
  for (int i = 0; i < iterations; ++i) {
    const double base = begin_iteration(s);
    for (size_t v = 0; v < s->g->vertices; ++v) gather_vertex(s, v, base);
    for (size_t b = 0; b < s->blocks; ++b) share_block(s, b);
    end_iteration(s, i);
  }
}

static double* allocate_doubles(size_t count) { return allocate(count, sizeof(double), "numbers"); }

/* All vertices with the same rank. Also touches all memory and starts OpenMP's
 * threads, which is no part of what is timed. */
static state make_state(const graph* g) {
  const size_t n = g->vertices;
  state s = {.g = g, .blocks = (n + block_vertices - 1) / block_vertices};
  s.rank = allocate_doubles(n);
  s.last_rank = allocate_doubles(n);
  s.share = allocate_doubles(n);
  s.block_dangling = allocate_doubles(s.blocks);
  s.block_change = allocate_doubles(s.blocks);
#pragma omp parallel for schedule(static)
  for (size_t v = 0; v < n; ++v) {
    s.rank[v] = 1 / (double)n;
    s.last_rank[v] = s.share[v] = 0;
  }
  for (size_t b = 0; b < s.blocks; ++b) share_block(&s, b);
  return s;
}

static void free_state(state* s) {
  free(s->rank);
  free(s->last_rank);
  free(s->share);
  free(s->block_dangling);
  free(s->block_change);
}

typedef struct difference {
  double relative;
  size_t where;
} difference;

/* The largest difference, relative to what is expected or, if that is less, to `unit`. */
static difference largest_difference(const double* values, const double* expected, size_t count,
                                     double unit) {
  difference largest = {0, 0};
  for (size_t i = 0; i < count; ++i) {
    if (values[i] == expected[i]) continue;
    const double relative = fabs(values[i] - expected[i]) / fmax(fabs(expected[i]), unit);
    if (!(relative <= largest.relative)) largest = (difference){relative, i}; /* NaN as well */
  }
  return largest;
}

/* Compares with a serial run. Ranks alone could hide a vertex that a loop left out
 * early on, for PageRank forgets where it came from. Then some iteration's change
 * differs: by more than 1e-12 of all rank, which is 1. */
static int verify(const state* s) {
  state serial = make_state(s->g);
  pagerank_serial(&serial);
  const size_t n = s->g->vertices;
  const difference ranks = largest_difference(s->rank, serial.rank, n, 0);
  const difference changes = largest_difference(s->change, serial.change, iterations, 1);
  int good = 0;
  if (!(ranks.relative <= difference_allowed)) {
    fprintf(stderr,
            "pagerank: wrong rank of vertex %zu: %.17g, expected %.17g as in a serial run\n",
            ranks.where, s->rank[ranks.where], serial.rank[ranks.where]);
  } else if (!(changes.relative <= difference_allowed)) {
    fprintf(stderr,
            "pagerank: wrong iteration %zu: it changed the ranks by %.17g, expected %.17g as in a"
            " serial run\n",
            changes.where, s->change[changes.where], serial.change[changes.where]);
  } else {
    printf("verified: largest relative difference %.3g\n", ranks.relative);
    good = 1;
  }
  free_state(&serial);
  return good;
}

static int write_ranks(const state* s, const char* path) {
  FILE* file = fopen(path, "w");
  int good = file != NULL;
  for (size_t v = 0; good && v < s->g->vertices; ++v) {
    const size_t name = s->g->name != NULL ? s->g->name[v] : v;
    good = fprintf(file, "%zu %.17g\n", name, s->rank[v]) > 0;
  }
  if (file != NULL) good = (fclose(file) == 0) && good;
  if (!good)
    fprintf(stderr, "pagerank: ranks cannot be written to %s: %s\n", path, strerror(errno));
  return good;
}

static const char usage[] =
    "usage: pagerank [SCALE | FILE] [--ranks FILE]\n"
    "\n"
    "  SCALE         a Kronecker graph of 2^SCALE vertices, 0 to 30 (default 18)\n"
    "  FILE          a graph as SNAP text or PACE .gr, plain, .gz or .xz\n"
    "  --ranks FILE  writes a line \"VERTEX RANK\" for each vertex\n"
    "\n"
    "The loops have schedule(runtime): OMP_SCHEDULE sets how they are shared out.\n";

static _Noreturn void fail_usage(const char* problem, const char* value) {
  fprintf(stderr, "pagerank: %s%s; nothing was computed\n%s", problem, value, usage);
  exit(EXIT_FAILURE);
}

/* All digits is a scale; anything else is a file's name. */
static graph make_graph(const char* argument) {
  if (argument[0] == '\0' || argument[strspn(argument, "0123456789")] != '\0') {
    return graph_read(argument);
  }
  const unsigned long scale = strtoul(argument, NULL, 10);
  if (scale > kronecker_scale_max) fail_usage("expected a scale from 0 to 30, found ", argument);
  return graph_kronecker((int)scale);
}

int main(int count, char** arguments) {
  const char* input = NULL;
  const char* ranks_path = NULL;
  for (int i = 1; i < count; ++i) {
    const char* argument = arguments[i];
    if (strcmp(argument, "--help") == 0) {
      fputs(usage, stdout);
      return EXIT_SUCCESS;
    }
    if (strcmp(argument, "--ranks") == 0) {
      if (++i == count) fail_usage("expected a file's name after ", argument);
      ranks_path = arguments[i];
    } else if (argument[0] == '-') {
      fail_usage("unknown option ", argument);
    } else if (input != NULL) {
      fail_usage("expected one graph, found a second: ", argument);
    } else {
      input = argument;
    }
  }

  graph g = input != NULL ? make_graph(input) : graph_kronecker(default_scale);
  printf("vertices: %zu\nedges: %zu\n", g.vertices, g.edges);

  state s = make_state(&g);
  const double start = omp_get_wtime();
  pagerank(&s);
  const double seconds = omp_get_wtime() - start;
  printf("iterations: %d\nchange: %.3g\nseconds: %.6f\n", iterations, s.change[iterations - 1],
         seconds);

  const int good = verify(&s) && (ranks_path == NULL || write_ranks(&s, ranks_path));
  free_state(&s);
  graph_free(&g);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
