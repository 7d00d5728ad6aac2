/* A directed graph, held by the edges that come into each vertex (compressed
 * sparse rows of the transposed adjacency matrix): what a loop that pulls from
 * its neighbours walks over. */
#ifndef EXAMPLES_GRAPH_H
#define EXAMPLES_GRAPH_H

#include <stddef.h>
#include <stdint.h>

typedef struct edge {
  uint32_t from;
  uint32_t to;
} edge;

typedef struct graph {
  size_t vertices;
  size_t edges;
  size_t* first_in;     /* [vertices + 1]: where v's in-edges begin in `in` */
  uint32_t* in;         /* [edges]: the vertices they come from */
  uint32_t* out_degree; /* [vertices] */
  uint32_t* name;       /* [vertices]: their numbers in the file; NULL: v itself */
} graph;

/* A vertex number is below this, in every graph. */
enum { graph_vertices_max = INT32_MAX };

/* The graph of `count` edges between vertices below `vertices`. A vertex's
 * in-edges keep the order of the list. O(vertices + count). */
graph graph_from_edges(size_t vertices, const edge* list, size_t count);

/* Reads a file, plain or compressed, in one of two formats:
 *   SNAP text  "# ..." comments, among them "# Nodes: N Edges: M", then lines
 *              "from to"; the numbers that occur are the vertices;
 *   PACE .gr   "c ..." comments, a line "p tw N M", then M lines "u v" with
 *              vertices from 1 to N; each stands for an edge either way.
 * What is not such a file ends the program with a message and status 1. */
graph graph_read(const char* path);

void graph_free(graph* g);

#endif
