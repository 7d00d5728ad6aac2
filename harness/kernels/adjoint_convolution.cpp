#include "kernels/adjoint_convolution.hpp"

#include "base/rng.hpp"

namespace doall::bench {

adjoint_convolution::adjoint_convolution(size s, direction d)
    : order_(d), a_(s == size::paper ? 75 * 75 : 20 * 20) {
  base::rng random(4);
  const std::size_t n = a_.size();
  for (std::size_t i = 0; i < n; ++i) {
    b_.push_back(static_cast<double>(random.below(1000)) / 1000);
    c_.push_back(static_cast<double>(random.below(1000)) / 1000);
  }
  cost_sums_ = sums_of(n, [&](std::size_t i) { return n - i; });
}

void adjoint_convolution::convolve(int i) {
  const auto first = static_cast<std::size_t>(i);
  note(0, first);
  double sum = a_[first];
  for (std::size_t k = first; k < a_.size(); ++k) sum += x * b_[k] * c_[k - first];
  a_[first] = sum;
}

}  // namespace doall::bench
