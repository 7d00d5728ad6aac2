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

#include <doall/options.hpp>

#include "kernels/kernel.hpp"
#include "kernels/rows.hpp"

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

  // For nested_recorded.hpp: of a cell.
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

void run_serial(matmult& k);
void run_doall(matmult& k, const loop_options& options);
void run_omp_outer(matmult& k);
void run_omp_taskloop(matmult& k);
// Of tbb: simple_partitioner, auto_partitioner or affinity_partitioner.
template <class Partitioner>
void run_tbb(matmult& k, std::size_t grain);

}  // namespace doall::bench
