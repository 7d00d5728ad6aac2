// Adjoint convolution.
//
// AFS, section 4.2:
//   DO PARALLEL I = 1,N*N
//     DO SEQUENTIAL K = I,N*N
//       A(I) = A(I) + X*B(K)*C(I-K)
//
// Imbalance: large, iteration I takes time in proportion to N*N - I. Affinity:
// none, there is one parallel loop and nothing around it.
//
// `reversed` (section 4.3, Figure 8): the last iterations, which are short, are
// given out first. Peers run a loop that counts down; doall's schedules have
// `order=reverse` for it, which the loop's `how` brings along.
#pragma once

#include "kernels/kernel.hpp"

namespace doall::bench {

enum class direction { forward, reversed };

class adjoint_convolution final : public kernel {
 public:
  adjoint_convolution(size s, direction d);

  void reset() override { a_.assign(a_.size(), 0.0); }
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(a_)); }
  std::vector<std::size_t> loop_lengths() const override { return {a_.size()}; }

  int iterations() const { return static_cast<int>(a_.size()); }
  direction order() const { return order_; }

  // Iteration i, from 0.
  void convolve(int i);

  std::span<const std::uint64_t> cost_sums() const { return cost_sums_; }

  double a(int i) const { return a_[static_cast<std::size_t>(i)]; }
  double b(int k) const { return b_[static_cast<std::size_t>(k)]; }
  // The paper's C(-d), whose indices are 0 and less.
  double c(int d) const { return c_[static_cast<std::size_t>(d)]; }
  static constexpr double x = 0.5;

 private:
  direction order_;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> c_;
  std::vector<std::uint64_t> cost_sums_;
};

template <class Loops>
void run(adjoint_convolution& k, const Loops& loops) {
  const auto convolve = [&](int i) { k.convolve(i); };
  if (k.order() == direction::reversed) {
    loops.each_backward(k.iterations(), convolve, k.cost_sums());
  } else {
    loops.each(0, k.iterations(), convolve, k.cost_sums());
  }
}

}  // namespace doall::bench
