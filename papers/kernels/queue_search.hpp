// Serial breadth-first search by a queue, from one vertex after another: what the kernels' serial
// runs are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/graph.hpp"

namespace doall::bench {

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
