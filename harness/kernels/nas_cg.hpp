// NAS CG: an estimate of the largest eigenvalue of a sparse symmetric matrix, by the inverse
// power method, whose systems are solved by 25 steps of conjugate gradients.
//
// Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, kernel CG; hybrid, section V:
//   x = (1, ..., 1), 15 times:
//     z = 0, r = p = x, rho = r r, 25 times:
//       q = A p, alpha = rho / p q, z += alpha p, r -= alpha q
//       beta = r r / rho, rho = r r, p = r + beta p
//     |x - A z| is computed, zeta = shift + 1 / x z, x = z / |z|
// 1,400 rows in class S, 7,000 in W, 14,000 in A.
//
// Imbalance: little, rows differ in their length. Affinity: yes, each loop's row j reads and
// writes what the other loops' rows j do.
//
// An iteration of every loop is eight rows, a cache line of each vector: workers on
// neighbouring iterations share none, and all loops divide the rows alike.
//
// The sums' last bits depend on who adds what first, as in any program that reduces doubles,
// and zeta's on theirs. So the answer is the verdict that NAS asks for, that zeta is right up to
// 10^-10 of it: each of the 375 steps goes into it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/nas.hpp"
#include "kernels/rows.hpp"

namespace doall::bench {

// The matrix of NAS CG.
//
// RNR-94-007, kernel CG: A = sum over i of w(i) x(i) x(i)^T, to whose diagonal 0.1 - shift is
// added. w falls from 1 to 0.1 as a geometric sequence. x(i) is a sparse vector: so many random
// elements at random places, then element i becomes 1/2. A random element takes two numbers,
// its value and its place; the place is a part of the next power of two above n, and the
// element is dropped if that is beyond n or taken.
class sparse_matrix {
 public:
  struct element {
    std::size_t column;
    double value;
  };
  using sparse_vector = std::vector<element>;

  // n rows of the sum of outer products of vectors of `elements` random elements.
  sparse_matrix(std::size_t n, std::size_t elements, double shift);

  std::size_t rows() const { return row_begins_.size() - 1; }
  std::size_t elements() const { return values_.size(); }

  // Of that row and `vector`.
  double product(std::size_t row, const double* vector) const {
    double sum = 0;
    for (std::size_t i = row_begins_[row]; i < row_begins_[row + 1]; ++i) {
      sum += values_[i] * vector[columns_[i]];
    }
    return sum;
  }

 private:
  std::vector<std::size_t> row_begins_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
};

class nas_cg final : public kernel {
 public:
  static constexpr int estimates = 15;
  static constexpr int descents = 25;

  // Of that class, of S when it is small.
  nas_cg(size s, nas_class c);

  void reset() override;
  std::span<const std::byte> answer() const override {
    return std::as_bytes(std::span(&verdict_, 1));
  }
  std::vector<std::size_t> loop_lengths() const override { return {blocks()}; }

  std::size_t blocks() const { return (matrix_.rows() + block_rows - 1) / block_rows; }

  // What the loops do to a block of rows; some return what it adds to a sum.
  double start(std::size_t block);                  // r r
  double multiply(std::size_t block);               // q = A p; p q
  double descend(double alpha, std::size_t block);  // z and r; r r
  void turn(double beta, std::size_t block);        // p
  double residual(std::size_t block) const;         // |x - A z| squared

  struct products {
    double x_z = 0;
    double z_z = 0;
    products& operator+=(const products& other);
  };
  products project(std::size_t block) const;
  void normalise(double norm, std::size_t block);  // x = z / norm

  // At the end of an estimate.
  void take(const products& sums, double residual);

  bool verified() const override { return verdict_.verified != 0; }
  double zeta() const { return zeta_; }
  double residual() const { return residual_; }
  const sparse_matrix& matrix() const { return matrix_; }

  std::size_t chunk(std::size_t workers) const;

 private:
  static constexpr std::size_t block_rows = 8;
  struct verdict {
    std::uint64_t verified = 0;
  };
  struct shape;
  struct row_range {
    std::size_t begin;
    std::size_t end;
  };

  static const shape& shape_of(nas_class c);
  row_range noted(std::size_t block) const;

  const shape& shape_;
  sparse_matrix matrix_;
  rows<double> vectors_;
  double* x_;
  double* z_;
  double* p_;
  double* q_;
  double* r_;
  double zeta_ = 0;
  double residual_ = 0;
  verdict verdict_;
};

inline nas_cg::products operator+(nas_cg::products a, const nas_cg::products& b) { return a += b; }

// The order of CG's loops, for every runtime.
template <class Loops>
void run(nas_cg& k, const Loops& loops) {
  const std::size_t blocks = k.blocks();
  for (int estimate = 0; estimate < nas_cg::estimates; ++estimate) {
    double rho = loops.sum(blocks, [&](std::size_t b) { return k.start(b); });
    for (int descent = 0; descent < nas_cg::descents; ++descent) {
      const double alpha = rho / loops.sum(blocks, [&](std::size_t b) { return k.multiply(b); });
      const double rho_before = rho;
      rho = loops.sum(blocks, [&](std::size_t b) { return k.descend(alpha, b); });
      const double beta = rho / rho_before;
      loops.each(blocks, [&](std::size_t b) { k.turn(beta, b); });
    }
    const double residual = loops.sum(blocks, [&](std::size_t b) { return k.residual(b); });
    const auto sums = loops.sum(blocks, [&](std::size_t b) { return k.project(b); });
    const double norm = std::sqrt(sums.z_z);
    loops.each(blocks, [&](std::size_t b) { k.normalise(norm, b); });
    k.take(sums, std::sqrt(residual));
  }
}

}  // namespace doall::bench
