// Successive over-relaxation on an N x N grid.
//
// AFS, section 4.2:
//   DO SEQUENTIAL I = 1,MAXITERATIONS
//     DO PARALLEL J = 1,N
//       DO SEQUENTIAL K = 1,N
//         A(J,K) = UPDATE(A,J,K)
//
// Imbalance: none. Affinity: yes, row J is row J's worker's, sweep after sweep.
//
// The paper's loop reads rows that others are writing, so its answer depends on
// who comes first. Here a sweep is two parallel loops over the rows, one for each
// colour of a chessboard: a point is computed from its four neighbours, which have
// the other colour. No race, and the same bits in any order. The paper leaves
// MAXITERATIONS open on the machine whose N = 512 this is.
#pragma once

#include "kernels/kernel.hpp"
#include "kernels/rows.hpp"

namespace doall::bench {

class sor final : public kernel {
 public:
  explicit sor(size s);

  void reset() override;
  std::span<const std::byte> answer() const override { return grid_.bytes(); }
  std::vector<std::size_t> loop_lengths() const override { return {rows_count()}; }

  int n() const { return n_; }
  int sweeps() const { return sweeps_; }

  // Iteration j, from 1 to n: the points of one colour (0 or 1) of row j.
  void update_row(int colour, int j);

  std::span<const std::uint64_t> cost_sums() const { return cost_sums_; }

  double at(int j, int k) const {
    return grid_[static_cast<std::size_t>(j)][static_cast<std::size_t>(k)];
  }

 private:
  // With the boundary, which stays as it is.
  std::size_t rows_count() const { return static_cast<std::size_t>(n_) + 2; }

  int n_;
  int sweeps_;
  rows<double> grid_;
  rows<double> input_;
  std::vector<std::uint64_t> cost_sums_;
};

template <class Loops>
void run(sor& k, const Loops& loops) {
  for (int sweep = 0; sweep < k.sweeps(); ++sweep) {
    for (const int colour : {0, 1}) {
      loops.each(1, k.n() + 1, [&](int j) { k.update_row(colour, j); }, k.cost_sums());
    }
  }
}

}  // namespace doall::bench
