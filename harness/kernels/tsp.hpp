// The travelling salesperson's problem: the length of the shortest cycle through all N nodes.
//
// LBS, section 5, "recursively nested parallelism": a call has a tour of some of the nodes,
//   for each node in parallel
//     if the tour has not been there: call with the tour and the node
// and a tour of all nodes is closed. Table 2: N = 9 and 11. Calls with more than N/2 nodes
// after the first are serial, its cut-off.
//
// Imbalance: none among the nodes to go to, the others cost nothing. Affinity: none.
//
// Every tour is looked at, also one that is too long already: to leave those out would make
// the work depend on who comes first, and runtimes could not be compared. Distances are
// random, of a complete graph without directions. A tour is passed on as what is needed of it:
// who was visited, and its length. The shortest yet is one word that everybody lowers.
#pragma once

#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "kernels/kernel.hpp"
#include "kernels/rows.hpp"
#include "lanes/serial.hpp"

namespace doall::bench {

class tsp final : public kernel {
 public:
  explicit tsp(size s) : tsp(s == size::paper ? std::size_t{11} : std::size_t{9}) {}
  explicit tsp(std::size_t n, std::uint64_t seed = 1);  // 3 to 32 nodes

  // From node 0.
  struct tour {
    std::uint32_t visited = 1;  // a bit a node
    std::uint32_t last = 0;
    std::uint32_t steps = 0;
    std::uint32_t length = 0;

    bool has(std::size_t node) const { return (visited >> node & 1) != 0; }
  };

  void reset() override;
  std::span<const std::byte> answer() const override {
    return std::as_bytes(std::span(&shortest_, 1));
  }
  // Which nodes are gone to is told by no log: most are not, as others were visited before.
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  std::size_t n() const { return n_; }
  std::uint32_t distance(std::size_t from, std::size_t to) const { return distances_[from][to]; }

  tour extended(const tour& t, std::size_t node) const;

  bool is_serial(const tour& t) const { return t.steps > n_ / 2; }

  // Looks at all cycles that begin like t.
  void close(const tour& t);

  std::uint32_t shortest() const;

  // For lanes/recorded.hpp: of trying a node, and of close.
  static constexpr std::uint64_t try_cycles = 4;
  std::uint64_t close_cycles(const tour& t) const;

 private:
  std::uint32_t shortest_from(const tour& t) const;

  std::size_t n_;
  rows<std::uint32_t> distances_;
  // Apart from those, which everybody reads.
  alignas(base::apart_bytes) sync::atomic<std::uint32_t> shortest_{0};
};

// An iteration of the loop over the nodes to which t could go on.
template <class Loops>
void try_node(tsp& k, const Loops& loops, const tsp::tour& t, std::size_t node) {
  charge(loops, [&] { return k.try_cycles; });
  if (t.has(node)) return;
  const tsp::tour next = k.extended(t, node);
  if (k.is_serial(next)) {
    charge(loops, [&] { return k.close_cycles(next); });
    k.close(next);
  } else {
    loops.inner(k.n(), [&](std::size_t to) { try_node(k, loops, next, to); });
  }
}

template <class Loops>
void run(tsp& k, const Loops& loops) {
  const tsp::tour start;
  loops.outer(k.n(), [&](std::size_t node) { try_node(k, loops, start, node); });
}

}  // namespace doall::bench
