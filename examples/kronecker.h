/* A random graph that stands for social networks and web graphs: a Kronecker
 * graph, made by the R-MAT rule with Graph500's parameters. */
#ifndef EXAMPLES_KRONECKER_H
#define EXAMPLES_KRONECKER_H

#include "graph.h"

enum { kronecker_scale_max = 30, kronecker_edge_factor = 16 };

/* A graph of 2^scale vertices and kronecker_edge_factor * 2^scale edges, the same
 * whatever the number of threads. */
graph graph_kronecker(int scale);

#endif
