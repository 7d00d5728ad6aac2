// A sparse matrix by a dense vector.
//
// LBS, section 5, "sparse matrix by dense vector multiplication":
//   for each row i in parallel
//     y(i) = sum of a(i,j) * x(j) over the row's non-zeros, in parallel
// Table 2: 30,000 rows, 100 columns and 60,000 non-zeros; 80,000 rows, 5,000 columns and
// 40 million non-zeros, 320 MB of them. The inner loop is fine, and its length is known
// only when it is met: the paper's ppt is 77.
//
// Imbalance: little, rows are many; the longest have 5 times the mean's non-zeros, in the
// small matrix 26 times. Affinity: none, the matrix is only read.
//
// The paper does not say how long rows are. Here their lengths follow a power law, as the
// degrees of many graphs do: one row in l^2 is l times as long as the shortest, or longer, up
// to a limit that leaves every non-zero a column of its own.
#pragma once

#include "kernels/kernel.hpp"
#include "lanes/serial.hpp"

namespace doall::bench {

class spmv final : public kernel {
 public:
  struct shape {
    std::size_t rows;
    std::size_t columns;
    std::size_t nonzeros;  // at most rows * columns
  };

  explicit spmv(size s)
      : spmv(s == size::paper ? shape{80'000, 5'000, 40'000'000} : shape{30'000, 100, 60'000}) {}
  explicit spmv(shape s, std::uint64_t seed = 1);

  void reset() override { y_.assign(y_.size(), 0); }
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(y_)); }
  // What each non-zero adds is told by the answer.
  std::vector<std::size_t> loop_lengths() const override { return {rows()}; }

  std::size_t rows() const { return y_.size(); }
  std::size_t row_length(std::size_t row) const { return offsets_[row + 1] - offsets_[row]; }

  // Iterations [first, last) of the inner loop: what these of the row's non-zeros add.
  std::int32_t add_up(std::size_t row, std::size_t first, std::size_t last) const;
  void put(std::size_t row, std::int32_t sum) {
    note(0, row);
    y_[row] = sum;
  }

  // For lanes/recorded.hpp: of a non-zero, by the paper's ppt: 77 of them take 1,000 cycles.
  static constexpr std::uint64_t nonzero_cycles = 13;

  struct nonzero {
    std::uint32_t column;
    std::int32_t value;
  };
  std::span<const nonzero> row(std::size_t row) const {
    return std::span(nonzeros_).subspan(offsets_[row], row_length(row));
  }
  std::span<const std::int32_t> x() const { return x_; }
  std::span<const std::int32_t> y() const { return y_; }

  // Where each row begins, and the end: the outer loop's costs as running sums.
  std::span<const std::uint64_t> offsets() const { return offsets_; }

 private:
  std::vector<std::uint64_t> offsets_;
  std::vector<nonzero> nonzeros_;
  std::vector<std::int32_t> x_;
  std::vector<std::int32_t> y_;
};

template <class Loops>
void run(spmv& k, const Loops& loops) {
  loops.outer(k.rows(), [&](std::size_t row) {
    k.put(row, loops.inner_sum(k.row_length(row), [&](std::size_t first, std::size_t last) {
      charge(loops, [&] { return (last - first) * k.nonzero_cycles; });
      return k.add_up(row, first, last);
    }));
  });
}

}  // namespace doall::bench
