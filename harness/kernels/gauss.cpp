#include "kernels/gauss.hpp"

#include "base/rng.hpp"

namespace doall::bench {

gauss::gauss(size s)
    : n_(s == size::paper ? 768 : 96),
      system_(static_cast<std::size_t>(n_), static_cast<std::size_t>(n_) + 1),
      input_(system_),
      cost_sums_(equal_cost_sums(static_cast<std::size_t>(n_))) {
  base::rng random(2);
  const auto n = static_cast<std::size_t>(n_);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= n; ++j) {
      input_[i][j] = static_cast<double>(random.below(1000)) / 1000;
    }
    input_[i][i] += static_cast<double>(n);
  }
}

void gauss::eliminate(int pivot, int row) {
  note(0, static_cast<std::size_t>(row));
  const double* above = system_[static_cast<std::size_t>(pivot)];
  double* here = system_[static_cast<std::size_t>(row)];
  const double factor = here[pivot] / above[pivot];
  for (int j = pivot; j <= n_; ++j) here[j] -= above[j] * factor;
}

}  // namespace doall::bench
