#include "kernels/cows_k_committee.hpp"

namespace doall::bench {

k_committee::k_committee(shared_ordered_graph g)
    : cows_kernel(std::move(g)), leaders_(vertices()), least_(vertices()), new_least_(vertices()) {}

void k_committee::reset() { std::ranges::fill(leaders_, no_vertex); }

// The same answer without floods: vertices stand one after the other, from the least number on,
// and each search goes on only where no lesser number has come as near.
namespace {

// Each vertex's least of those that stand at most `hops` away.
template <class Stands>
std::vector<vertex> least_within(const ordered_graph& g, std::uint32_t hops, const Stands& stands) {
  std::vector<vertex> least(g.vertices(), no_vertex);
  std::vector<std::uint32_t> nearest(g.vertices(), hops + 1);  // of all that have come by
  std::vector<vertex> now;
  std::vector<vertex> next;
  for (vertex source = 0; source < g.vertices(); ++source) {
    if (!stands(source)) continue;
    now.assign(1, source);
    nearest[source] = 0;
    for (std::uint32_t distance = 0; !now.empty(); ++distance, now.swap(next)) {
      next.clear();
      for (const vertex v : now) {
        least[v] = std::min(least[v], source);
        if (distance == hops) continue;
        for (const vertex u : g.neighbours(v)) {
          if (nearest[u] <= distance + 1) continue;
          nearest[u] = distance + 1;
          next.push_back(u);
        }
      }
    }
  }
  return least;
}

}  // namespace

void run_serial(k_committee& k) {
  const auto n = static_cast<vertex>(k.vertices());
  for (vertex v = 0; v < n; ++v) k.begin(v);
  for (std::uint32_t phase = 1; phase <= k.phases; ++phase) {
    const std::vector<vertex> elected =
        least_within(k.graph(), k.hops, [&](vertex v) { return k.leader(v) == no_vertex; });
    const std::vector<vertex> invited =
        least_within(k.graph(), k.hops, [&](vertex v) { return elected[v] == v; });
    for (vertex v = 0; v < n; ++v) {
      if (k.leader(v) != no_vertex) continue;
      const bool alone = phase == k.phases && invited[v] == no_vertex;
      k.take_leader(v, alone ? v : invited[v]);
    }
  }
}

}  // namespace doall::bench
