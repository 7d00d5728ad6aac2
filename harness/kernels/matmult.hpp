// A matrix by a matrix.
//
// LBS, section 5, "straight-forward dense matrix by matrix multiplication":
//   for each row i in parallel
//     for each column j in parallel
//       c(i,j) = sum of a(i,k) * b(k,j) over k, serially
// Table 2: 64 x 64 and 512 x 512. The inner loop's iteration holds a loop: the paper's ppt
// is 1.
//
// Imbalance: none. Affinity: none from run to run; the cells of a row of c share one of a.
#pragma once

#include "kernels/kernel.hpp"
#include "kernels/rows.hpp"
#include "lanes/serial.hpp"

namespace doall::bench {

class matmult final : public kernel {
 public:
  explicit matmult(size s) : matmult(s == size::paper ? std::size_t{512} : std::size_t{64}) {}
  explicit matmult(std::size_t n, std::uint64_t seed = 1);

  void reset() override { c_ = rows<std::int32_t>(n_, n_); }
  std::span<const std::byte> answer() const override { return c_.bytes(); }
  std::vector<std::size_t> loop_lengths() const override { return {n_ * n_}; }  // cells

  std::size_t n() const { return n_; }

  void compute(std::size_t row, std::size_t column);

  // For lanes/recorded.hpp: of a cell.
  std::uint64_t cell_cycles() const { return 2 * n_; }

  std::int32_t a(std::size_t row, std::size_t column) const { return a_[row][column]; }
  std::int32_t b(std::size_t row, std::size_t column) const { return b_[row][column]; }
  std::int32_t c(std::size_t row, std::size_t column) const { return c_[row][column]; }

 private:
  std::size_t n_;
  rows<std::int32_t> a_;
  rows<std::int32_t> b_;
  rows<std::int32_t> c_;
};

template <class Loops>
void run(matmult& k, const Loops& loops) {
  loops.outer(k.n(), [&](std::size_t row) {
    loops.inner(k.n(), [&](std::size_t column) {
      charge(loops, [&] { return k.cell_cycles(); });
      k.compute(row, column);
    });
  });
}

}  // namespace doall::bench
