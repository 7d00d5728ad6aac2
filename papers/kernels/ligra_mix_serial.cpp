// The same answers by plain serial algorithms: no frontiers that are packed, no labels that
// spread.
#include <algorithm>
#include <numeric>

#include "kernels/ligra_mix.hpp"

namespace doall::bench {
namespace {

// By a queue, which has the vertices in the order of their levels.
struct queue_search {
  explicit queue_search(const undirected_graph& g) : levels(g.vertices(), search::unreached) {
    queue.reserve(g.vertices());
    queue.push_back(g.hub());
    levels[g.hub()] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const vertex v = queue[head];
      for (const vertex u : g.neighbours(v)) {
        if (levels[u] != search::unreached) continue;
        levels[u] = levels[v] + 1;
        queue.push_back(u);
      }
    }
  }

  std::vector<std::uint32_t> levels;
  std::vector<vertex> queue;
};

vertex root_of(std::vector<vertex>& parents, vertex v) {
  while (parents[v] != v) v = parents[v] = parents[parents[v]];
  return v;
}

}  // namespace

void run_serial(bfs& k) {
  const queue_search s(k.graph());
  for (vertex v = 0; v < k.vertices(); ++v) k.take_level(v, s.levels[v]);
}

void run_serial(betweenness& k) {
  const undirected_graph& g = k.graph();
  const queue_search s(g);
  std::vector<double> paths(g.vertices());
  std::vector<double> shares(g.vertices());  // of scores, for each path
  paths[g.hub()] = 1;
  for (const vertex v : s.queue) {
    if (v == g.hub()) continue;
    for (const vertex u : g.neighbours(v)) {
      if (s.levels[u] + 1 == s.levels[v]) paths[v] += paths[u];
    }
  }
  for (auto v = s.queue.rbegin(); v != s.queue.rend(); ++v) {
    for (const vertex w : g.neighbours(*v)) {
      if (s.levels[w] == s.levels[*v] + 1) shares[*v] += 1 / paths[w] + shares[w];
    }
  }
  for (vertex v = 0; v < g.vertices(); ++v) k.take_score(v, shares[v] * paths[v]);
}

// By union-find: Tarjan (1975), with halved paths; the lesser root stays.
void run_serial(components& k) {
  const undirected_graph& g = k.graph();
  std::vector<vertex> parents(g.vertices());
  std::iota(parents.begin(), parents.end(), vertex{0});
  for (vertex v = 0; v < g.vertices(); ++v) {
    for (const vertex u : g.neighbours(v)) {
      if (u > v) break;
      const vertex a = root_of(parents, u);
      const vertex b = root_of(parents, v);
      parents[std::max(a, b)] = std::min(a, b);
    }
  }
  for (vertex v = 0; v < g.vertices(); ++v) k.take_label(v, root_of(parents, v));
}

void run_serial(pagerank& k) {
  const auto n = static_cast<vertex>(k.vertices());
  for (vertex v = 0; v < n; ++v) k.begin(v);
  double change = 1;
  for (int round = 0; round < pagerank::rounds_max && change >= pagerank::enough; ++round) {
    std::uint64_t dangling = 0;
    std::uint64_t changes = 0;
    for (vertex v = 0; v < n; ++v) {
      k.share(v);
      dangling += k.dangling(v);
    }
    for (vertex v = 0; v < n; ++v) {
      k.pull(v);
      k.damp(v, pagerank::floating(dangling));
      changes += k.change(v);
    }
    change = pagerank::floating(changes);
    k.advance();
  }
}

}  // namespace doall::bench
