// PageRank by power iteration: every vertex's rank.
//
// COWS, section VI. Brin & Page (1998), damping 0.85; what vertices without edges have goes to all;
// until ranks change by less than 10^-3 in sum. The paper does not say when it stops: that is 14
// rounds on Slashdot and 26 on Florida's roads, where it has 13 to 26 (Figure 12: two loops, 26 to
// 52 executions). The even ranks of before the first round are the input. Each round:
//   each vertex gathers what its neighbours give along each edge
//   each vertex: how much that changed, and what it gives along each edge now
//
// Imbalance: large where degrees follow a power law. Affinity: yes, the same vertices each time.
//
// It ends: a round changes at most 0.85 of what the one before it changed.
//
// Loops: gather() is costed, the other is uniform. Floating-point sums are over one vertex's
// neighbours, in the order of its row; sums over all vertices are of whole numbers, 2^60 being 1.
#pragma once

#include <cmath>

#include "kernels/cows_kernel.hpp"

namespace doall::bench {

class rank_flow final : public cows_kernel {
 public:
  static constexpr double damping = 0.85;
  static constexpr double enough = 1e-3;

  // Over some vertices.
  struct sums {
    std::uint64_t change = 0;
    std::uint64_t dangling = 0;

    sums& operator+=(const sums& other) {
      change += other.change;
      dangling += other.dangling;
      return *this;
    }
    friend sums operator+(sums a, const sums& b) { return a += b; }
  };
  static double floating(std::uint64_t fixed) { return static_cast<double>(fixed) * 0x1p-60; }

  rank_flow(size s, const graph_input& input) : rank_flow(ordered_graph_from(s, input)) {}
  explicit rank_flow(shared_ordered_graph g);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(ranks_)); }

  std::uint64_t first_dangling() const { return first_dangling_; }
  // What every vertex gets, whatever its neighbours have.
  double of_all(std::uint64_t dangling) const {
    const auto n = static_cast<double>(vertices());
    return (1 - damping) / n + damping * (floating(dangling) / n);
  }
  std::uint32_t gather(vertex v, double of_all) {
    double sum = 0;
    const cows_graph g = graph().for_c();
    for (std::uint64_t e = g.first[v]; e < g.first[v + 1]; ++e) sum += shares_[g.neighbour[e]];
    new_ranks_[v] = of_all + damping * sum;
    return graph().degree(v);
  }
  sums accept(vertex v) {
    const double change = std::abs(new_ranks_[v] - ranks_[v]);
    return {.change = fixed(change), .dangling = give(v, new_ranks_[v])};
  }
  void advance() { ranks_.swap(new_ranks_); }

  double rank(vertex v) const { return ranks_[v]; }

  friend void run_omp(rank_flow& k, const cows_program_set& programs);

 private:
  // By way of a signed number, which processors convert in one instruction: no branch.
  static std::uint64_t fixed(double part) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(part * 0x1p60));
  }

  // Returns what goes to all.
  std::uint64_t give(vertex v, double rank) {
    const std::uint32_t degree = graph().degree(v);
    shares_[v] = degree == 0 ? 0 : rank / degree;
    return degree == 0 ? fixed(rank) : 0;
  }

  std::vector<double> ranks_;
  std::vector<double> new_ranks_;
  std::vector<double> shares_;
  std::uint64_t first_dangling_ = 0;
};

void run_serial(rank_flow& k);

template <class Loops>
void run(rank_flow& k, const Loops& loops) {
  const auto n = static_cast<vertex>(k.vertices());
  rank_flow::sums sums{.dangling = k.first_dangling()};
  double change = 1;
  while (change >= k.enough) {
    const double of_all = k.of_all(sums.dangling);
    loops.each(loop_kind::costed, "gather", n,
               [&k, of_all](vertex v) { return k.gather(v, of_all); });
    sums = loops.sum("accept", n, [&k](vertex v) { return k.accept(v); });
    change = k.floating(sums.change);
    k.advance();
  }
}

}  // namespace doall::bench
