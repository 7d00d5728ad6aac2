#include "kernels/sor.hpp"

#include "base/rng.hpp"

namespace doall::bench {

sor::sor(size s)
    : n_(s == size::paper ? 512 : 64),
      sweeps_(s == size::paper ? 20 : 4),
      grid_(rows_count(), rows_count()),
      input_(grid_),
      cost_sums_(equal_cost_sums(static_cast<std::size_t>(n_))) {
  base::rng random(1);
  for (std::size_t j = 0; j < rows_count(); ++j) {
    for (std::size_t k = 0; k < rows_count(); ++k) {
      input_[j][k] = static_cast<double>(random.below(1000)) / 1000;
    }
  }
}

void sor::reset() { grid_ = input_; }

void sor::update_row(int colour, int j) {
  constexpr double omega = 1.5;
  const auto row = static_cast<std::size_t>(j);
  note(0, row);
  const double* above = grid_[row - 1];
  const double* below = grid_[row + 1];
  double* here = grid_[row];
  for (int k = 1 + (j + colour) % 2; k <= n_; k += 2) {
    const double mean = (above[k] + below[k] + here[k - 1] + here[k + 1]) / 4;
    here[k] += omega * (mean - here[k]);
  }
}

}  // namespace doall::bench
