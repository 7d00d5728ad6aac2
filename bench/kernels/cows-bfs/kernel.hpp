// Breadth-first search from the hub: every vertex's level. The deepest is what the paper calls the
// diameter of a rooted graph.
//
// COWS, section VI, with Figure 10's pattern: a loop over all vertices, of which those of the
// frontier look at their neighbours.
//   until no vertex has been reached
//     each vertex of the frontier marks its neighbours without a level
//     each vertex: if it is marked, it has the next level and is the new frontier
//
// Imbalance: large, the more the fewer vertices a frontier has. Affinity: little.
//
// Loops: push() is guarded, the others are uniform. ligra-mix's search keeps its frontiers packed
// instead; that is why this one's loops are unequal.
#pragma once

#include "base/sync.hpp"
#include "kernels/cows-common/cows_kernel.hpp"

namespace doall::bench {

class cows_search final : public cows_kernel {
 public:
  cows_search(size s, const graph_input& input) : cows_search(ordered_graph_from(s, input)) {}
  explicit cows_search(shared_ordered_graph g);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(levels_)); }

  // What iterations work on. Loops have it by value: a byte that is written may be part of
  // anything, so that a body would ask the kernel anew after each where its arrays are.
  struct arrays {
    cows_graph graph;
    vertex hub;
    std::uint32_t* levels;
    std::uint8_t* frontier;
    sync::atomic<std::uint8_t>* next;

    void begin(vertex v) const {
      levels[v] = v == hub ? 0 : no_vertex;
      frontier[v] = v == hub;
      // (1) relaxed; alone: a loop of its own
      next[v].store(0, sync::relaxed);
    }
    std::uint32_t push(vertex v) const {
      if (frontier[v] == 0) return 0;
      const std::uint64_t end = graph.first[v + 1];
      for (std::uint64_t edge = graph.first[v]; edge < end; ++edge) {
        const vertex u = graph.neighbour[edge];
        if (levels[u] != no_vertex) continue;
        // (2) relaxed; alone: all who mark it write the same, and the mark is read in the next loop
        next[u].store(1, sync::relaxed);
      }
      return static_cast<std::uint32_t>(end - graph.first[v]);
    }
    // Whether v has been reached.
    std::uint64_t accept(vertex v, std::uint32_t level) const {
      // (3) relaxed; alone: v's own, in a loop of its own
      const std::uint8_t marked = next[v].load(sync::relaxed);
      frontier[v] = marked;
      if (marked == 0) return 0;
      levels[v] = level;
      // (4) relaxed; alone: as (3)
      next[v].store(0, sync::relaxed);
      return 1;
    }
  };
  arrays work() {
    return {graph().for_c(), graph().hub(), levels_.data(), frontier_.data(), next_.data()};
  }

  std::uint32_t level(vertex v) const { return levels_[v]; }
  void take_level(vertex v, std::uint32_t level) { levels_[v] = level; }

  friend void run_omp(cows_search& k);

 private:
  std::vector<std::uint32_t> levels_;  // no_vertex: none
  std::vector<std::uint8_t> frontier_;
  std::vector<sync::atomic<std::uint8_t>> next_;
};

void run_serial(cows_search& k);
void run_doall(cows_search& k, const std::string& schedule);
void run_omp(cows_search& k);

}  // namespace doall::bench
