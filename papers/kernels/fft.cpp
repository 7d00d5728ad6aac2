#include "kernels/fft.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace doall::bench {

fourier::fourier(std::size_t longest) {
  for (std::size_t k = 0; k < longest / 2; ++k) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(longest);
    roots_.push_back({std::cos(angle), -std::sin(angle)});
  }
}

// Before a pass there are `done` transforms left, of n / done points each and interleaved
// point by point. A butterfly makes two of half as many points of each: the sums of its two
// halves lead to the even waves, their differences, turned, to the odd ones.
const fourier::buffer& fourier::transform(direction d, std::size_t n, buffer& from,
                                          buffer& other) const {
  const double sign = d == direction::forward ? 1 : -1;
  const std::size_t root_step = 2 * roots_.size() / n;
  buffer* source = &from;
  buffer* target = &other;
  for (std::size_t done = 1; done < n; done *= 2) {
    const std::size_t half = n / done / 2;
    const std::size_t width = done * lines;
    for (std::size_t k = 0; k < half; ++k) {
      const complex_number root = roots_[k * done * root_step];
      const complex_number turn = {root.re, sign * root.im};
      const complex_number* first = source->points + k * width;
      const complex_number* second = first + half * width;
      complex_number* sums = target->points + 2 * k * width;
      complex_number* differences = sums + width;
      for (std::size_t i = 0; i < width; ++i) {
        const complex_number a = first[i];
        const complex_number b = second[i];
        sums[i] = a + b;
        differences[i] = turn * (a - b);
      }
    }
    std::swap(source, target);
  }
  return *source;
}

}  // namespace doall::bench
