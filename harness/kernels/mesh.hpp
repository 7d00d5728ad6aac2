// A planar triangulation and its median dual: what an edge-based finite-volume method
// needs of its grid.
//
// The mesh of a weather model comes from a file. This one is made on the spot, the same
// one each time: columns x rows nodes over the unit square, those within moved by up to
// a fifth of their distance, each quadrilateral cut along either diagonal as a hash
// says. So nodes have four to eight neighbours, and nothing but the lists below knows
// who they are. Nodes are numbered row by row and edges by their nodes: neighbours lie
// near each other in memory, as a mesh generator that renumbers for locality leaves it.
//
// A node's dual cell is bounded by the faces across its edges, each from the centroid of
// the triangle on one side of the edge to that on the other; at the domain's boundary,
// from the middle of the edge. What leaves one cell through a face enters another.
#pragma once

#include <cstddef>
#include <vector>

namespace doall::bench {

struct point {
  double x, y;
};

struct mesh {
  mesh(int columns, int rows);

  struct edge {
    int from, to;  // nodes, from < to
  };
  // Across an edge: from one end to the other, as seen from the edge's beginning.
  struct face {
    point left, right;
  };
  // An edge as a node sees it.
  struct spoke {
    int edge;
    int neighbour;
    double outward;  // 1 where the edge begins at the node, -1 where it ends there
  };
  // A node of the domain's boundary, and its part of that boundary as an outward normal.
  struct wall {
    int node;
    point normal;
  };

  std::vector<point> nodes;
  std::vector<double> volumes;  // of the dual cells: areas
  std::vector<edge> edges;
  std::vector<face> faces;     // of the edges, in their order
  std::vector<point> normals;  // of the faces: towards `to`, as long as the face
  std::vector<wall> walls;
  std::vector<spoke> spokes;     // of all nodes
  std::vector<int> first_spoke;  // of each node, and the end: compressed sparse rows
};

}  // namespace doall::bench
