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

#include "kernels/kernel.hpp"
#include "kernels/nas_class.hpp"
#include "kernels/nas_matrix.hpp"
#include "kernels/rows.hpp"

namespace doall::bench {

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
