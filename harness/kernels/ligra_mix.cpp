#include "kernels/ligra_mix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace doall::bench {

search::search(const undirected_graph& g)
    : graph_(g),
      levels_(g.vertices()),
      order_(g.vertices()),
      offsets_(g.vertices()),
      slots_(std::max(g.vertices(), g.directed_edges())),
      marks_(g.vertices()) {}

void search::clear_level(vertex v) {
  // (2) relaxed; alone: a loop of its own
  levels_[v].store(unreached, sync::relaxed);
}

void search::begin() {
  first_ = {0, 1};
  order_[0] = graph_.hub();
  // (3) relaxed; alone: between loops
  levels_[graph_.hub()].store(0, sync::relaxed);
}

void search::push(std::size_t i) {
  const auto next_level = static_cast<std::uint32_t>(depth() + 1);
  vertex* slot = slots_.data() + offsets_[i];
  for (const vertex u : graph_.neighbours(frontier()[i])) {
    std::uint32_t expected = unreached;
    // (4) relaxed; alone: a level is all there is to see, and all claims write the same
    const bool claims =
        level(u) == unreached &&
        levels_[u].compare_exchange_strong(expected, next_level, sync::relaxed, sync::relaxed);
    *slot++ = claims ? u : no_vertex;
  }
}

void search::pull(vertex v) {
  slots_[v] = no_vertex;
  if (level(v) != unreached) return;
  for (const vertex u : graph_.neighbours(v)) {
    if (marks_[u] == no_vertex) continue;
    slots_[v] = v;
    // (5) relaxed; alone: nobody else reads or writes v's in this loop
    levels_[v].store(static_cast<std::uint32_t>(depth() + 1), sync::relaxed);
    return;
  }
}

bfs::bfs(shared_graph g) : graph_kernel(std::move(g)), search_(graph()), levels_(vertices()) {}

void bfs::reset() { std::ranges::fill(levels_, search::unreached - 1); }

betweenness::betweenness(shared_graph g)
    : graph_kernel(std::move(g)),
      search_(graph()),
      paths_(vertices()),
      inverse_(vertices()),
      shares_(vertices()),
      scores_(vertices()) {}

void betweenness::reset() { std::ranges::fill(scores_, -1); }

void betweenness::clear(vertex v) {
  paths_[v] = 0;
  shares_[v] = 0;
}

void betweenness::count_paths(vertex v) {
  double paths = 0;
  for (const vertex u : graph().neighbours(v)) {
    if (search_.level(u) + 1 == search_.level(v)) paths += paths_[u];
  }
  paths_[v] = paths;
}

void betweenness::depend(vertex v) {
  double share = 0;
  for (const vertex w : graph().neighbours(v)) {
    if (search_.level(w) == search_.level(v) + 1) share += inverse_[w] + shares_[w];
  }
  shares_[v] = share;
}

components::components(shared_graph g)
    : graph_kernel(std::move(g)),
      labels_(vertices()),
      new_labels_(vertices()),
      lowered_(vertices()),
      offsets_(vertices()),
      slots_(std::max(vertices(), graph().directed_edges())) {}

void components::reset() { std::ranges::fill(labels_, no_vertex); }

void components::begin(vertex v) {
  labels_[v] = v;
  // (6) relaxed; alone: a loop of its own
  new_labels_[v].store(v, sync::relaxed);
  lowered_[v] = v;
}

void components::push(std::size_t i) {
  const vertex v = lowered_[i];
  vertex* slot = slots_.data() + offsets_[i];
  for (const vertex u : graph().neighbours(v)) {
    *slot = no_vertex;
    // (7) relaxed; alone: a label is all there is to see
    vertex now = new_labels_[u].load(sync::relaxed);
    while (labels_[v] < now) {
      // (8) relaxed; alone: likewise; the least label wins in any order
      if (!new_labels_[u].compare_exchange_weak(now, labels_[v], sync::relaxed, sync::relaxed)) {
        continue;
      }
      // Who lowers it from what it was before the round claims it: one does.
      if (now == labels_[u]) *slot = u;
      break;
    }
    ++slot;
  }
}

void components::pull(vertex v) {
  vertex least = labels_[v];
  for (const vertex u : graph().neighbours(v)) least = std::min(least, labels_[u]);
  slots_[v] = least < labels_[v] ? v : no_vertex;
  // (9) relaxed; alone: nobody else reads or writes v's in this loop
  new_labels_[v].store(least, sync::relaxed);
}

void components::settle(std::size_t i) {
  // (10) relaxed; alone: a loop of its own
  labels_[lowered_[i]] = new_labels_[lowered_[i]].load(sync::relaxed);
}

pagerank::pagerank(shared_graph g)
    : graph_kernel(std::move(g)), ranks_(vertices()), new_ranks_(vertices()), shares_(vertices()) {}

void pagerank::reset() { std::ranges::fill(ranks_, -1); }

void pagerank::share(vertex v) {
  const std::uint32_t degree = graph().degree(v);
  shares_[v] = degree == 0 ? 0 : ranks_[v] / degree;
}

void pagerank::pull(vertex v) {
  double sum = 0;
  for (const vertex u : graph().neighbours(v)) sum += shares_[u];
  new_ranks_[v] = sum;
}

void pagerank::damp(vertex v, double dangling) {
  constexpr double damping = 0.85;
  const auto n = static_cast<double>(vertices());
  new_ranks_[v] = (1 - damping) / n + damping * (new_ranks_[v] + dangling / n);
}

std::uint64_t pagerank::change(vertex v) const {
  return fixed(std::abs(new_ranks_[v] - ranks_[v]));
}

// The same answers by plain serial algorithms: no frontiers that are packed, no labels that
// spread.
namespace {

vertex root_of(std::vector<vertex>& parents, vertex v) {
  while (parents[v] != v) v = parents[v] = parents[parents[v]];
  return v;
}

}  // namespace

void run_serial(bfs& k) {
  queue_search search(k.graph());
  search.from(k.graph().hub());
  for (vertex v = 0; v < k.vertices(); ++v) k.take_level(v, search.distance(v));
}

void run_serial(betweenness& k) {
  const undirected_graph& g = k.graph();
  queue_search search(g);
  const std::span<const vertex> reached = search.from(g.hub());
  std::vector<double> paths(g.vertices());
  std::vector<double> shares(g.vertices());  // of scores, for each path
  paths[g.hub()] = 1;
  for (const vertex v : reached.subspan(1)) {
    for (const vertex u : g.neighbours(v)) {
      if (search.distance(u) + 1 == search.distance(v)) paths[v] += paths[u];
    }
  }
  for (auto v = reached.rbegin(); v != reached.rend(); ++v) {
    for (const vertex w : g.neighbours(*v)) {
      if (search.distance(w) == search.distance(*v) + 1) shares[*v] += 1 / paths[w] + shares[w];
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
