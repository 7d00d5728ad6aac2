// The graph that all of the mix's programs run on: undirected, so that a vertex's
// neighbours are those it pushes to and those it pulls from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"

namespace doall::bench {

using vertex = std::uint32_t;
inline constexpr vertex no_vertex = 0xffffffff;

// Compressed sparse rows; a row is in increasing order, without the vertex itself.
class undirected_graph {
 public:
  struct edge {
    vertex from;
    vertex to;
  };

  // Each edge stands for both directions; how often it occurs does not matter.
  // O(edges log edges).
  undirected_graph(std::size_t vertices, const std::vector<edge>& edges);

  std::size_t vertices() const { return first_.size() - 1; }
  std::size_t directed_edges() const { return neighbours_.size(); }

  std::span<const vertex> neighbours(vertex v) const {
    return std::span(neighbours_).subspan(first_[v], first_[v + 1] - first_[v]);
  }
  std::uint32_t degree(vertex v) const { return static_cast<std::uint32_t>(neighbours(v).size()); }

  // Where searches begin: the first vertex of the most neighbours.
  vertex hub() const { return hub_; }

 private:
  std::vector<std::size_t> first_;
  std::vector<vertex> neighbours_;
  vertex hub_ = 0;
};

using shared_graph = std::shared_ptr<const undirected_graph>;

// The paper's Twitter graph, of 41 million vertices, is too large to be made on the spot.
// `file` is a graph in a format of examples/graph.h; "": a Kronecker graph by R-MAT
// with Graph500's parameters (examples/kronecker.h), of 2^16 vertices and 16 times as many
// edges, or, small, 2^9. Kept for the next call with the same arguments.
shared_graph graph_from(size s, const std::string& file);

// Serial breadth-first search by a queue, from one vertex after another: what the kernels' serial
// runs are made of.
template <class Graph>
class queue_search {
 public:
  explicit queue_search(const Graph& g) : graph_(g), distances_(g.vertices(), no_vertex) {
    reached_.reserve(g.vertices());
  }

  // Reaches all that is connected with `source` and has not been reached before; returns it, in
  // the order of distances from there.
  std::span<const vertex> from(vertex source) {
    const std::size_t begin = reached_.size();
    if (distances_[source] != no_vertex) return {};
    reach(source, 0);
    for (std::size_t head = begin; head < reached_.size(); ++head) {
      const vertex v = reached_[head];
      for (const vertex u : graph_.neighbours(v)) {
        if (distances_[u] == no_vertex) reach(u, distances_[v] + 1);
      }
    }
    return std::span(reached_).subspan(begin);
  }

  // In the order in which they were reached.
  std::span<const vertex> reached() const { return reached_; }

  // From where it was reached; no_vertex: it was not.
  std::uint32_t distance(vertex v) const { return distances_[v]; }

 private:
  void reach(vertex v, std::uint32_t distance) {
    distances_[v] = distance;
    reached_.push_back(v);
  }

  const Graph& graph_;
  std::vector<std::uint32_t> distances_;
  std::vector<vertex> reached_;
};

}  // namespace doall::bench
