// Gauss elimination without pivoting on an N x (N + 1) system.
//
// AFS, section 4.2:
//   DO SEQUENTIAL K = 2,N
//     DO PARALLEL I = K,N
//       DO SEQUENTIAL J = K-1,N+1
//         A[I][J] = A[I][J] - A[K-1][J] * A[I][K-1]/A[K-1][K-1]
//
// Imbalance: little; iterations of one loop are alike, the loops get shorter.
// Affinity: yes, row I is used by every loop until it is the pivot; but a share of
// [K, N] moves on with K.
//
// The quotient is the same for all J and is computed once, before A[I][K-1] is
// overwritten. The system is diagonally dominant: no pivot is small.
#pragma once

#include "kernels/kernel.hpp"
#include "kernels/rows.hpp"

namespace doall::bench {

class gauss final : public kernel {
 public:
  explicit gauss(size s);

  void reset() override { system_ = input_; }
  std::span<const std::byte> answer() const override { return system_.bytes(); }
  std::vector<std::size_t> loop_lengths() const override { return {static_cast<std::size_t>(n_)}; }

  int n() const { return n_; }

  // Iteration `row`, from pivot + 1 to n - 1: takes the pivot's variable out of it.
  void eliminate(int pivot, int row);

  // Of the loop below `pivot`: as long as that one is.
  std::span<const std::uint64_t> cost_sums(int pivot) const {
    return std::span(cost_sums_).first(static_cast<std::size_t>(n_ - pivot));
  }

  double at(int row, int column) const {
    return system_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  }

 private:
  int n_;
  rows<double> system_;  // the last column is the right-hand side
  rows<double> input_;
  std::vector<std::uint64_t> cost_sums_;
};

template <class Loops>
void run(gauss& k, const Loops& loops) {
  for (int pivot = 0; pivot + 1 < k.n(); ++pivot) {
    loops.each(pivot + 1, k.n(), [&](int row) { k.eliminate(pivot, row); }, k.cost_sums(pivot));
  }
}

}  // namespace doall::bench
