// The points of a periodic cube, and the sums that a 27-point operator takes of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "kernels/rows.hpp"

namespace doall::bench {

// n^3 points, at 1 to n along each axis. At 0 and at n + 1 lies a copy of the cube's other
// end, so that a point's neighbours need no remainders; wrap_rows of planes 1 to n and then
// wrap_planes of rows 0 to n + 1 renew it.
class cube {
 public:
  static constexpr std::size_t ends = 2;  // of a line, besides its n points

  explicit cube(std::size_t n) : n_(n), lines_(index(n + ends, 0) + 1, n + ends) {}

  std::size_t n() const { return n_; }
  double* line(std::size_t plane, std::size_t row) { return lines_[index(plane, row)]; }
  const double* line(std::size_t plane, std::size_t row) const { return lines_[index(plane, row)]; }

  // All of it, and one number that is kept behind the points for the cube's owner.
  std::span<const std::byte> bytes() const { return lines_.bytes(); }
  double& kept_number() { return *lines_[index(n_ + ends, 0)]; }
  double kept_number() const { return *lines_[index(n_ + ends, 0)]; }

  void clear_plane(std::size_t plane) {
    for (std::size_t row = 0; row < n_ + ends; ++row) std::fill_n(line(plane, row), n_ + ends, 0.0);
  }

  // The ends of a plane's lines, and the lines at its ends.
  void wrap_rows(std::size_t plane) {
    for (std::size_t row = 1; row <= n_; ++row) {
      double* points = line(plane, row);
      points[0] = points[n_];
      points[n_ + 1] = points[1];
    }
    copy_line(line(plane, n_), line(plane, 0));
    copy_line(line(plane, 1), line(plane, n_ + 1));
  }
  // A row's lines in the planes at the ends.
  void wrap_planes(std::size_t row) {
    copy_line(line(n_, row), line(0, row));
    copy_line(line(1, row), line(n_ + 1, row));
  }

 private:
  std::size_t index(std::size_t plane, std::size_t row) const { return plane * (n_ + ends) + row; }
  void copy_line(const double* from, double* to) const { std::copy_n(from, n_ + ends, to); }

  std::size_t n_;
  rows<double> lines_;
};

// Of an operator that reads a point and the 26 around it, by where they lie.
struct weights {
  double centre, face, edge, corner;
};

// What an operator reads for a line of points. The eight lines around it are added up
// beforehand, four and four: each of the sums serves three points.
class around_line {
 public:
  static constexpr std::size_t length_max = 256 + cube::ends;

  around_line(const cube& of, std::size_t plane, std::size_t row) : centre_(of.line(plane, row)) {
    const double* below = of.line(plane - 1, row);
    const double* above = of.line(plane + 1, row);
    const double* left = of.line(plane, row - 1);
    const double* right = of.line(plane, row + 1);
    const double* below_left = of.line(plane - 1, row - 1);
    const double* below_right = of.line(plane - 1, row + 1);
    const double* above_left = of.line(plane + 1, row - 1);
    const double* above_right = of.line(plane + 1, row + 1);
    for (std::size_t i = 0; i < of.n() + cube::ends; ++i) {
      near_[i] = below[i] + above[i] + left[i] + right[i];
      far_[i] = below_left[i] + below_right[i] + above_left[i] + above_right[i];
    }
  }

  // The operator at a point of the line, 1 to n.
  template <weights w>
  double apply(std::size_t i) const {
    double sum = w.centre * centre_[i];
    if constexpr (w.face != 0) sum += w.face * (centre_[i - 1] + centre_[i + 1] + near_[i]);
    if constexpr (w.edge != 0) sum += w.edge * (near_[i - 1] + near_[i + 1] + far_[i]);
    if constexpr (w.corner != 0) sum += w.corner * (far_[i - 1] + far_[i + 1]);
    return sum;
  }

 private:
  const double* centre_;
  double near_[length_max];  // of the four lines that are next to it
  double far_[length_max];   // of the four across an edge
};

}  // namespace doall::bench
