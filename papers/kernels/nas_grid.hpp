// Complex numbers on a three-dimensional grid.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "kernels/rows.hpp"

namespace doall::bench {

// std::complex's product looks after infinities, which costs more than the product.
struct complex_number {
  double re, im;

  complex_number& operator+=(complex_number b) { return *this = {re + b.re, im + b.im}; }

  friend complex_number operator+(complex_number a, complex_number b) { return a += b; }
  friend complex_number operator-(complex_number a, complex_number b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend complex_number operator*(complex_number a, complex_number b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend complex_number operator*(double a, complex_number b) { return {a * b.re, a * b.im}; }
};

enum line_axis : std::size_t { along_x, along_y, along_z };

// Points along each axis.
using extents = std::array<std::size_t, 3>;

// Lines lie along x. A line has a point more than it needs and a plane a line, for powers of
// two are bad strides: the points of a line along y or z would fall into a few sets of the
// caches.
class complex_grid {
 public:
  explicit complex_grid(const extents& n)
      : n_(n), lines_(index(n[along_z], 0) + 1, n[along_x] + 1) {}

  const extents& n() const { return n_; }
  complex_number* line(std::size_t z, std::size_t y) { return lines_[index(z, y)]; }
  const complex_number* line(std::size_t z, std::size_t y) const { return lines_[index(z, y)]; }

  // From a point to the next along an axis.
  std::ptrdiff_t stride(line_axis a) const {
    return a == along_x ? 1 : (a == along_y ? line(0, 1) : line(1, 0)) - line(0, 0);
  }

  // All of it, and a line that is kept behind the points for the grid's owner.
  std::span<const std::byte> bytes() const { return lines_.bytes(); }
  complex_number* kept_line() { return lines_[index(n_[along_z], 0)]; }
  const complex_number* kept_line() const { return lines_[index(n_[along_z], 0)]; }

 private:
  std::size_t index(std::size_t z, std::size_t y) const { return z * (n_[along_y] + 1) + y; }

  extents n_;
  rows<complex_number> lines_;
};

}  // namespace doall::bench
