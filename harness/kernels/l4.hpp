// L4: three parallel nests in a sequential loop.
//
// AFS, Figure 2, after Polychronopoulos & Kuck (GSS); {u} is u units of computing,
// C is true with probability 1/2:
//   DO SEQUENTIAL I1 = 1,50
//     DO PARALLEL I2 = 1,10
//       DO PARALLEL I3 = 1,10
//         DO PARALLEL I4 = 1,10
//           {10} [if C then {50}]
//     DO PARALLEL I5 = 1,100
//       {50}
//       DO PARALLEL I6 = 1,5
//         {100} [if C then {30}]
//     DO PARALLEL I7 = 1,20
//       DO PARALLEL I8 = 1,4
//         {30}
//
// Imbalance: little. Affinity: none, there is no data.
//
// AFS takes nests as coalesced: I2 to I4 are one loop of 1000 iterations, I7 and I8
// one of 80. I5 is a loop of 100 whose iterations run I6 within: its {50} comes
// before its I6, so the two cannot be one loop. C is a bit of a fixed hash of the
// iteration's indices. An iteration leaves its result in a word of its own, which
// is what is verified, and goes on from there the next time.
#pragma once

#include <array>

#include "kernels/kernel.hpp"

namespace doall::bench {

class l4 final : public kernel {
 public:
  explicit l4(size s);

  void reset() override { results_.fill(1); }
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(results_)); }
  std::vector<std::size_t> loop_lengths() const override { return {cube, pairs, grid}; }

  static constexpr int cube = 10 * 10 * 10;  // I2, I3, I4
  static constexpr int pairs = 100;          // I5
  static constexpr int grid = 20 * 4;        // I7, I8

  int rounds() const { return rounds_; }  // I1

  void run_cube(int round, int i);
  void run_pairs(int round, int i);
  void run_grid(int i);

  // Of one of the loops: C makes iterations differ, but not one more often than another.
  std::span<const std::uint64_t> cost_sums(std::size_t iterations) const {
    return std::span(cost_sums_).first(iterations + 1);
  }

 private:
  int rounds_;
  std::vector<std::uint64_t> cost_sums_;
  std::array<std::uint64_t, cube + pairs + grid> results_{};
};

template <class Loops>
void run(l4& k, const Loops& loops) {
  const auto costs = [&](int n) { return k.cost_sums(static_cast<std::size_t>(n)); };
  for (int round = 0; round < k.rounds(); ++round) {
    loops.each(0, l4::cube, [&](int i) { k.run_cube(round, i); }, costs(l4::cube));
    loops.each(0, l4::pairs, [&](int i) { k.run_pairs(round, i); }, costs(l4::pairs));
    loops.each(0, l4::grid, [&](int i) { k.run_grid(i); }, costs(l4::grid));
  }
}

}  // namespace doall::bench
