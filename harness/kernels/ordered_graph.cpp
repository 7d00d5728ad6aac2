#include "kernels/ordered_graph.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "kernels/graph.hpp"

namespace doall::bench {
namespace {

// The vertices in their new order, by their old numbers.
std::vector<vertex> old_numbers(const undirected_graph& g, vertex_order order) {
  std::vector<vertex> all(g.vertices());
  std::iota(all.begin(), all.end(), vertex{0});
  if (order == vertex_order::by_degree) {
    std::ranges::stable_sort(all, std::ranges::greater(), [&](vertex v) { return g.degree(v); });
  }
  if (order == vertex_order::by_level && !all.empty()) {
    queue_search search(g);
    search.from(g.hub());
    for (const vertex v : all) search.from(v);
    all.assign(search.reached().begin(), search.reached().end());
  }
  return all;
}

}  // namespace

std::string_view to_text(vertex_order order) {
  switch (order) {
    case vertex_order::given: return "given";
    case vertex_order::by_degree: return "by-degree";
    case vertex_order::by_level: return "by-level";
  }
  return "";
}

ordered_graph::ordered_graph(const undirected_graph& g, vertex_order order) {
  const std::vector<vertex> old = old_numbers(g, order);
  std::vector<vertex> now(old.size());
  for (std::size_t v = 0; v < old.size(); ++v) now[old[v]] = static_cast<vertex>(v);

  first_.reserve(old.size() + 1);
  first_.push_back(0);
  neighbours_.reserve(g.directed_edges());
  for (const vertex v : old) {
    for (const vertex u : g.neighbours(v)) neighbours_.push_back(now[u]);
    std::sort(neighbours_.begin() + static_cast<std::ptrdiff_t>(first_.back()), neighbours_.end());
    first_.push_back(neighbours_.size());
  }
  if (!old.empty()) hub_ = now[g.hub()];
}

std::string graph_input::text() const {
  return order == vertex_order::given ? name : name + "/" + std::string(to_text(order));
}

shared_ordered_graph ordered_graph_from(size s, const graph_input& input) {
  struct made {
    size of;
    std::string file;
    vertex_order order;
    shared_ordered_graph graph;
  };
  static made last;
  if (!last.graph || last.of != s || last.file != input.file || last.order != input.order) {
    last = {s, input.file, input.order,
            std::make_shared<ordered_graph>(*graph_from(s, input.file), input.order)};
  }
  return last.graph;
}

graph_files find_graphs(const std::string& folder) {
  struct row {
    const char* name;
    const char* file;
  };
  constexpr row rows[] = {{"epinions", "soc-Epinions1.txt.gz"},
                          {"slashdot", "soc-Slashdot0902.txt.gz"},
                          {"notre-dame", "web-NotreDame.txt.gz"},
                          {"road-florida", "FLA.gr.xz"},
                          {"road-north-east", "NE.gr.xz"}};
  graph_files all;
  for (const auto& [name, file] : rows) {
    if (folder.empty()) {
      all.left_out.push_back(std::string(name) + ": no folder of graphs was named");
      continue;
    }
    const std::filesystem::path path = std::filesystem::path(folder) / file;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) {
      all.found.push_back({.name = name, .file = path.string()});
    } else {
      all.left_out.push_back(std::string(name) + ": " + path.string() + " is not there");
    }
  }
  return all;
}

}  // namespace doall::bench
