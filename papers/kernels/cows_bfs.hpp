// Breadth-first search from the hub: every vertex's level. The deepest is what the paper calls the
// diameter of a rooted graph.
//
// COWS, section VI, with Figure 10's pattern: a loop over all vertices, of which those of the
// frontier look at their neighbours.
//   until no vertex has been reached
//     each vertex of the deepest level marks its neighbours as found
//     each vertex: if it is found and has no level, it is of the next
//
// A mark that is there is not made again. The neighbours of a level are largely the same vertices,
// and every store would take their cache line away from all other workers.
//
// Imbalance: large, the more the fewer vertices a frontier has. Affinity: little.
//
// Loops: push() is guarded, the others are uniform. ligra-mix's search keeps its frontiers packed
// instead; that is why this one's loops are unequal.
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

  // What iterations work on. Loops have it by value: a byte that is written may be part of
  // anything, so that a body would ask the kernel anew after each where its arrays are.
  struct arrays {
    cows_graph graph;
    vertex hub;
    std::uint32_t* levels;
    sync::atomic<std::uint8_t>* found;

    void begin(vertex v) const {
      levels[v] = v == hub ? 0 : no_vertex;
      // (1) relaxed; alone: a loop of its own
      found[v].store(v == hub, sync::relaxed);
    }
    std::uint32_t push(vertex v, std::uint32_t depth) const {
      if (levels[v] != depth) return 0;
      const std::uint64_t end = graph.first[v + 1];
      for (std::uint64_t edge = graph.first[v]; edge < end; ++edge) {
        const vertex u = graph.neighbour[edge];
        // (2) relaxed; alone: who misses a mark that was just made makes it once more
        if (found[u].load(sync::relaxed) != 0) continue;
        // (3) relaxed; alone: all who mark it write the same, and it is looked at in the next loop
        found[u].store(1, sync::relaxed);
      }
      return static_cast<std::uint32_t>(end - graph.first[v]);
    }
    // Whether v has been reached.
    std::uint64_t accept(vertex v, std::uint32_t depth) const {
      // (4) relaxed; alone: nobody writes it in this loop
      if (found[v].load(sync::relaxed) == 0 || levels[v] != no_vertex) return 0;
      levels[v] = depth;
      return 1;
    }
  };
  arrays work() { return {graph().for_c(), graph().hub(), levels_.data(), found_.data()}; }

  std::uint32_t level(vertex v) const { return levels_[v]; }
  void take_level(vertex v, std::uint32_t level) { levels_[v] = level; }

  friend void run_omp(cows_search& k, const cows_program_set& programs);

 private:
  std::vector<std::uint32_t> levels_;  // no_vertex: none
  std::vector<sync::atomic<std::uint8_t>> found_;
};

void run_serial(cows_search& k);

template <class Loops>
void run(cows_search& k, const Loops& loops) {
  const auto n = static_cast<vertex>(k.vertices());
  const cows_search::arrays a = k.work();
  loops.each(loop_kind::uniform, "begin", n, [a](vertex v) { a.begin(v); });
  std::uint64_t reached = 1;
  for (std::uint32_t depth = 0; reached != 0; ++depth) {
    loops.each(loop_kind::guarded, "push", n, [a, depth](vertex v) { return a.push(v, depth); });
    reached = loops.sum("accept", n, [a, depth](vertex v) { return a.accept(v, depth + 1); });
  }
}

}  // namespace doall::bench
