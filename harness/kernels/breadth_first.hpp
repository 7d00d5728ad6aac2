// Breadth-first traversal of a random graph: every vertex's level, the length of the shortest
// path from vertex 0.
//
// LBS, section 5, "breadth first traversal of a graph given in incidence lists and the degree
// of each vertex":
//   until the frontier is empty
//     for each vertex v of the frontier in parallel
//       for each edge (v, u) in parallel
//         if u has no level yet: it gets one, and is in the next frontier
// Table 2: G(10K vertices, 200K edges) and G(10K, 8M). A list has some 20 or 800 edges, 8M of
// them 32 MB. An edge takes a nanosecond or two: the paper's ppt is 53.
//
// Imbalance: little, lists are of similar lengths, but the first frontier is one vertex.
// Affinity: none.
//
// An edge is an entry of one vertex's list; both its ends are drawn at random, so a list
// may name a vertex twice. Who comes to a vertex first claims it: the order of a frontier
// differs from run to run, levels do not. Its place in the frontier comes from a counter, as
// XMT's prefix sum does it.
#pragma once

#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "kernels/kernel.hpp"
#include "lanes/serial.hpp"

namespace doall::bench {

class breadth_first final : public kernel {
 public:
  using vertex = std::uint32_t;
  static constexpr std::uint32_t unreached = 0xffffffff;

  explicit breadth_first(size s) : breadth_first(10'000, s == size::paper ? 8'000'000 : 200'000) {}
  breadth_first(std::size_t vertices, std::size_t edges, std::uint64_t seed = 1);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(levels_)); }
  // Whose edges are looked at is told by the levels.
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  std::size_t vertices() const { return levels_.size(); }
  std::span<const vertex> edges(vertex v) const {
    return std::span(ends_).subspan(first_edge_[v], first_edge_[v + 1] - first_edge_[v]);
  }
  std::uint32_t level(vertex v) const;

  std::span<const vertex> frontier() const { return std::span(frontier_).first(frontier_size_); }

  // Edges [first, last) of v's list.
  void follow(vertex v, std::size_t first, std::size_t last);

  // To the next level, when all edges of the frontier have been followed.
  void advance();

  // For lanes/recorded.hpp: of an edge, by the paper's ppt: 53 of them take 1,000 cycles.
  static constexpr std::uint64_t edge_cycles = 19;

 private:
  std::vector<std::size_t> first_edge_;  // of each vertex, and the end
  std::vector<vertex> ends_;
  std::vector<sync::atomic<std::uint32_t>> levels_;
  std::vector<vertex> frontier_;
  std::size_t frontier_size_ = 0;
  std::uint32_t next_level_ = 1;
  std::vector<vertex> next_;
  // Apart from what everybody reads.
  alignas(base::apart_bytes) sync::atomic<std::size_t> next_size_{0};
};

template <class Loops>
void run(breadth_first& k, const Loops& loops) {
  for (; !k.frontier().empty(); k.advance()) {
    loops.outer(k.frontier().size(), [&](std::size_t i) {
      const breadth_first::vertex v = k.frontier()[i];
      loops.inner(k.edges(v).size(), [&k, &loops, v](std::size_t first, std::size_t last) {
        charge(loops, [&] { return (last - first) * k.edge_cycles; });
        k.follow(v, first, last);
      });
    });
  }
}

}  // namespace doall::bench
