// The graphs of COWS's kernels: undirected, with the vertices in one of three orders (the paper's
// section V: the order decides what neighbouring iterations cost).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cows_programs.h"
#include "kernels/graph.hpp"

namespace doall::bench {

// given      as the file, or the rule that makes the graph, numbers them
// by_degree  most neighbours first; of equal ones as given
// by_level   as breadth-first search from the hub comes to them, then from the first vertex that
//            it has not come to, and so on
enum class vertex_order { given, by_degree, by_level };

std::string_view to_text(vertex_order order);

class ordered_graph {
 public:
  // O(edges log(largest degree)).
  ordered_graph(const undirected_graph& g, vertex_order order);

  std::size_t vertices() const { return first_.size() - 1; }
  std::size_t directed_edges() const { return neighbours_.size(); }

  std::span<const vertex> neighbours(vertex v) const {
    return {neighbours_.data() + first_[v], neighbours_.data() + first_[v + 1]};
  }
  std::uint32_t degree(vertex v) const {
    return static_cast<std::uint32_t>(first_[v + 1] - first_[v]);
  }

  // Running sums of the degrees: the costs that a user of the graph already has.
  std::span<const std::uint64_t> row_pointer() const { return first_; }

  // Where searches begin: undirected_graph's hub.
  vertex hub() const { return hub_; }

  // For the programs in C. Valid as long as this object.
  cows_graph for_c() const {
    return {static_cast<std::uint32_t>(vertices()), first_.data(), neighbours_.data()};
  }

 private:
  std::vector<std::uint64_t> first_;
  std::vector<vertex> neighbours_;
  vertex hub_ = 0;
};

// A graph by name. `file` is "" for the Kronecker graph.
struct graph_input {
  std::string name;
  std::string file;
  vertex_order order = vertex_order::given;

  // "epinions", "epinions/by-degree".
  std::string text() const;
};

using shared_ordered_graph = std::shared_ptr<const ordered_graph>;

// Made by ligra-mix's graph_from(). Kept for the next call with the same arguments.
shared_ordered_graph ordered_graph_from(size s, const graph_input& input);

// The files that stand for the paper's graphs, where they are found.
struct graph_files {
  std::vector<graph_input> found;     // in the given order
  std::vector<std::string> left_out;  // "epinions: why"
};

// In that folder; "": nowhere.
graph_files find_graphs(const std::string& folder);

// Whether a graph is a road network: roughly regular, in the paper's words.
inline bool is_road_network(std::string_view name) { return name.starts_with("road-"); }

// The names of the Kronecker graph at that size, by the scale of graph_from().
inline const char* kronecker_name(size s) {
  return s == size::paper ? "kronecker-16" : "kronecker-9";
}

}  // namespace doall::bench
