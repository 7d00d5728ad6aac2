#include "kernels/convolution.hpp"

#include "base/rng.hpp"

namespace doall::bench {

convolution::convolution(std::size_t image, std::size_t filter, std::uint64_t seed)
    : n_(image),
      m_(filter),
      image_(image + filter - 1, image + filter - 1),
      filter_(filter, filter),
      out_(image, image) {
  base::rng random(seed);
  for (std::size_t i = 0; i < n_; ++i) {
    std::int32_t* row = image_[i + before()] + before();
    for (std::size_t j = 0; j < n_; ++j) row[j] = static_cast<std::int32_t>(random.below(256));
  }
  for (std::size_t u = 0; u < m_; ++u) {
    std::int32_t* row = filter_[u];
    for (std::size_t v = 0; v < m_; ++v) row[v] = static_cast<std::int32_t>(random.below(33)) - 16;
  }
}

void convolution::compute(std::size_t row, std::size_t column) {
  note(0, row * n_ + column);
  // The last pixel that a weight meets, in the numbers of the image with its margin.
  const std::size_t last_row = row + m_ - 1;
  const std::size_t last_column = column + m_ - 1;
  std::int32_t sum = 0;
  for (std::size_t u = 0; u < m_; ++u) {
    const std::int32_t* weights = filter_[u];
    const std::int32_t* pixels = image_[last_row - u];
    for (std::size_t v = 0; v < m_; ++v) sum += weights[v] * pixels[last_column - v];
  }
  out_[row][column] = sum;
}

}  // namespace doall::bench
