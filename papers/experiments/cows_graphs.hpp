// Graphs that stand for COWS's (Figure 11), made on the spot and smaller: for `doall paper cows`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ordered_graph.hpp"

namespace doall::bench {

// What the paper prints of a graph.
struct printed_graph {
  const char* name;
  bool is_road;
  double vertices;
  double edges;  // each once
  double least_degree;
  double largest_degree;
};

const std::vector<printed_graph>& printed_graphs();

// With 2^15 vertices, less those that get no edge, the paper's mean degree, and its most connected
// vertex's part of all edges.
//   power law  Chung and Lu's rule: vertex v is an end of each edge with a chance in proportion to
//              (v + a)^-s, by random numbers for v; a and s such that the first has its part. Its
//              most connected vertex has twice the mean degree or more
//   road       a lattice of 512 x 64, of whose edges a part is missing: the mean degree is the
//              paper's, none is above 4, and searches across it are long
shared_ordered_graph scaled_down(const printed_graph& of);

}  // namespace doall::bench
