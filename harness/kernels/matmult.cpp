#include "kernels/matmult.hpp"

#include "base/rng.hpp"

namespace doall::bench {

matmult::matmult(std::size_t n, std::uint64_t seed) : n_(n), a_(n, n), b_(n, n), c_(n, n) {
  base::rng random(seed);
  const auto entry = [&] { return static_cast<std::int32_t>(random.below(201)) - 100; };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      a_[i][j] = entry();
      b_[i][j] = entry();
    }
  }
}

void matmult::compute(std::size_t row, std::size_t column) {
  note(0, row * n_ + column);
  const std::int32_t* of_a = a_[row];
  std::int32_t sum = 0;
  for (std::size_t k = 0; k < n_; ++k) sum += of_a[k] * b_[k][column];
  c_[row][column] = sum;
}

}  // namespace doall::bench
