// Discrete Fourier transforms of several lines at once, whose lengths are powers of two.
//
// Stockham's algorithm (Cochran et al., What is the fast Fourier transform?, Proc. IEEE 55,
// 1967): log2 n passes of n / 2 butterflies go from one buffer to the other and leave the
// result in order, without a pass that reverses bits. Points of several lines lie side by
// side, so that all of a pass is contiguous in memory however far apart a line's points are.
//
// State: the roots of unity, which transforms only read; the buffers are the caller's, so
// any number of threads may transform at once. Nothing is scaled, either way: there and back
// multiplies by n.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/nas_grid.hpp"

namespace doall::bench {

class fourier {
 public:
  enum class direction { forward, inverse };

  static constexpr std::size_t length_max = 256;
  static constexpr std::size_t lines = 8;  // at once: two cache lines of each point

  struct buffer {
    complex_number points[length_max * lines];  // point by point: all lines' first, ...
  };

  // For lines of this length, or of a smaller power of two.
  explicit fourier(std::size_t longest);

  // Transforms lines of n points in `from` and returns where the result is: in one of the
  // two buffers. It uses both.
  const buffer& transform(direction d, std::size_t n, buffer& from, buffer& other) const;

 private:
  std::vector<complex_number> roots_;  // exp(-2 pi i k / longest), k < longest / 2
};

}  // namespace doall::bench
