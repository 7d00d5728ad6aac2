#include "kernels/breadth_first.hpp"

#include <numeric>

#include "base/rng.hpp"

namespace doall::bench {
namespace {

// Calls edge(from, to) for every edge of the graph that the seed stands for.
template <class Edge>
void draw(std::size_t vertices, std::size_t edges, std::uint64_t seed, Edge edge) {
  base::rng random(seed);
  for (std::size_t i = 0; i < edges; ++i) {
    const std::uint64_t from = random.below(vertices);
    edge(from, static_cast<breadth_first::vertex>(random.below(vertices)));
  }
}

}  // namespace

static_assert(sizeof(sync::atomic<std::uint32_t>) == sizeof(std::uint32_t),
              "the answer is the bytes of the levels");

// The edges are drawn twice, to be counted and to be kept: so they need no room elsewhere.
breadth_first::breadth_first(std::size_t vertices, std::size_t edges, std::uint64_t seed)
    : first_edge_(vertices + 1),
      ends_(edges),
      levels_(vertices),
      frontier_(vertices),
      next_(vertices) {
  draw(vertices, edges, seed, [&](std::size_t from, vertex) { ++first_edge_[from + 1]; });
  std::inclusive_scan(first_edge_.begin(), first_edge_.end(), first_edge_.begin());
  std::vector<std::size_t> next_edge(first_edge_.begin(), first_edge_.end() - 1);
  draw(vertices, edges, seed, [&](std::size_t from, vertex to) { ends_[next_edge[from]++] = to; });
}

void breadth_first::reset() {
  // (1) relaxed; alone: fork and join of the loops order it with claims
  for (auto& level : levels_) level.store(unreached, sync::relaxed);
  // (2) relaxed; alone: as (1)
  levels_[0].store(0, sync::relaxed);
  frontier_[0] = 0;
  frontier_size_ = 1;
  next_level_ = 1;
}

std::uint32_t breadth_first::level(vertex v) const {
  // (3) relaxed; alone: as (1)
  return levels_[v].load(sync::relaxed);
}

void breadth_first::follow(vertex v, std::size_t first, std::size_t last) {
  for (const vertex end : edges(v).subspan(first, last - first)) {
    // (4) relaxed; alone: spares most claims; a vertex without a level may have one by now
    if (levels_[end].load(sync::relaxed) != unreached) continue;
    std::uint32_t none = unreached;
    // (5) relaxed; alone: one claim of a vertex succeeds in any order, and nobody reads the
    // level for its value before the join of the loop
    if (!levels_[end].compare_exchange_strong(none, next_level_, sync::relaxed)) continue;
    // (6) relaxed; alone: places differ in any order; they are read after the join
    next_[next_size_.fetch_add(1, sync::relaxed)] = end;
  }
}

void breadth_first::advance() {
  // (7) relaxed; alone: the loop over the frontier has been joined
  frontier_size_ = next_size_.exchange(0, sync::relaxed);
  frontier_.swap(next_);
  ++next_level_;
}

}  // namespace doall::bench
