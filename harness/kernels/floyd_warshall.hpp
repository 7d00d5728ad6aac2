// All shortest paths of a graph by the algorithm of Floyd and Warshall.
//
// LBS, section 5, on a "weighted adjacency matrix":
//   for each node k serially
//     for each node i in parallel
//       for each node j in parallel
//         d(i,j) = min(d(i,j), d(i,k) + d(k,j))
// Table 2: 64 and 512 nodes. An iteration of the inner loop takes a nanosecond or two: the
// paper's ppt is 91, and LBS+ runs the loop serially, since its length is known beforehand.
//
// Imbalance: none. Affinity: yes, row i.
//
// From a node to another there is an edge in one case of eight, of a length from 1 to 100;
// the paper does not say which graphs it has.
//
// Row k and column k are read by everybody while k is the node in between. They do not
// change then, for d(k,k) = 0; and a distance that does not shrink is not written: no race.
#pragma once

#include "kernels/kernel.hpp"
#include "kernels/rows.hpp"
#include "lanes/serial.hpp"

namespace doall::bench {

class floyd_warshall final : public kernel {
 public:
  // Of nodes between which there is no path. Two of them have a sum.
  static constexpr std::int32_t unreached = 1'000'000'000;

  explicit floyd_warshall(size s)
      : floyd_warshall(s == size::paper ? std::size_t{512} : std::size_t{64}) {}
  explicit floyd_warshall(std::size_t nodes, std::uint64_t seed = 1);

  void reset() override { distances_ = edges_; }
  std::span<const std::byte> answer() const override { return distances_.bytes(); }
  std::vector<std::size_t> loop_lengths() const override { return {n_ * n_}; }  // pairs

  std::size_t nodes() const { return n_; }

  // Iterations [first, last) of the inner loop: paths from `from` by way of `via`.
  void relax(std::size_t via, std::size_t from, std::size_t first, std::size_t last);

  // For lanes/recorded.hpp: of an iteration of the inner loop, by the paper's ppt: 91 of them take 1,000 cycles.
  static constexpr std::uint64_t pair_cycles = 11;

  // `unreached`: none.
  std::int32_t edge(std::size_t from, std::size_t to) const { return edges_[from][to]; }
  std::int32_t distance(std::size_t from, std::size_t to) const { return distances_[from][to]; }

 private:
  std::size_t n_;
  rows<std::int32_t> distances_;
  rows<std::int32_t> edges_;
};

template <class Loops>
void run(floyd_warshall& k, const Loops& loops) {
  for (std::size_t via = 0; via < k.nodes(); ++via) {
    loops.outer(k.nodes(), [&](std::size_t from) {
      loops.inner(k.nodes(), [&](std::size_t first, std::size_t last) {
        charge(loops, [&] { return (last - first) * k.pair_cycles; });
        k.relax(via, from, first, last);
      });
    });
  }
}

}  // namespace doall::bench
