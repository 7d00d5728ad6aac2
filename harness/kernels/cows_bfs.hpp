// Breadth-first search from the hub: every vertex's level. The deepest is what the paper calls the
// diameter of a rooted graph.
//
// COWS, section VI, with Figure 10's pattern: a loop over all vertices, of which those of the
// frontier look at their neighbours. Two loops, as Figure 12 counts them, the second once a level:
//   until no vertex has been reached
//     each vertex of the deepest level gives its neighbours that have no level the next one
//
// A level that is there is not written again. The neighbours of a level are largely the same
// vertices, and every store would take their cache line away from all other workers.
//
// Imbalance: large, the more the fewer vertices a frontier has. Affinity: little.
//
// Loops: push() is guarded, the other is uniform. ligra-mix's search keeps its frontiers packed
// instead; that is why this one's loops are unequal.
// Why a mark is looked at before it is set: docs/investigations/2026-11-23-marks-that-are-there.md.
#pragma once

#include "base/sync.hpp"
#include "kernels/cows_kernel.hpp"

namespace doall::bench {

class cows_search final : public cows_kernel {
 public:
  cows_search(size s, const graph_input& input) : cows_search(ordered_graph_from(s, input)) {}
  explicit cows_search(shared_ordered_graph g);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(levels_)); }

  // What iterations work on. Loops have it by value: a word that is written may be part of
  // anything, so that a body would ask the kernel anew after each where its arrays are.
  struct arrays {
    cows_graph graph;
    vertex hub;
    sync::atomic<std::uint32_t>* levels;
    change_flag* reached;

    void begin(vertex v) const {
      // (1) relaxed; alone: a loop of its own
      levels[v].store(v == hub ? 0 : no_vertex, sync::relaxed);
    }
    std::uint32_t push(vertex v, std::uint32_t depth) const {
      // (2) relaxed; alone: whatever is written in this loop is another level
      if (levels[v].load(sync::relaxed) != depth) return 0;
      bool has_reached = false;
      const std::uint64_t end = graph.first[v + 1];
      for (std::uint64_t edge = graph.first[v]; edge < end; ++edge) {
        const vertex u = graph.neighbour[edge];
        // (3) relaxed; alone: who misses a level that was just written writes it once more
        if (levels[u].load(sync::relaxed) != no_vertex) continue;
        // (4) relaxed; alone: all who write it write the same
        levels[u].store(depth + 1, sync::relaxed);
        has_reached = true;
      }
      if (has_reached) reached->raise();
      return static_cast<std::uint32_t>(end - graph.first[v]);
    }
  };
  arrays work() { return {graph().for_c(), graph().hub(), levels_.data(), &reached_}; }

  // Whether the last loop has reached a vertex.
  bool has_reached() { return reached_.take(); }

  std::uint32_t level(vertex v) const {
    // (5) relaxed; alone: between loops, as (6)
    return levels_[v].load(sync::relaxed);
  }
  void take_level(vertex v, std::uint32_t level) {
    // (6) relaxed; alone: one thread
    levels_[v].store(level, sync::relaxed);
  }

  friend void run_omp(cows_search& k, const cows_program_set& programs);

 private:
  std::vector<sync::atomic<std::uint32_t>> levels_;  // no_vertex: none
  change_flag reached_;
};

void run_serial(cows_search& k);

template <class Loops>
void run(cows_search& k, const Loops& loops) {
  const auto n = static_cast<vertex>(k.vertices());
  const cows_search::arrays a = k.work();
  loops.each(loop_kind::uniform, "begin", n, [a](vertex v) { a.begin(v); });
  bool is_going_on = true;
  for (std::uint32_t depth = 0; is_going_on; ++depth) {
    loops.each(loop_kind::guarded, "push", n, [a, depth](vertex v) { return a.push(v, depth); });
    is_going_on = k.has_reached();
  }
}

}  // namespace doall::bench
