// NAS FT: a partial differential equation by fast Fourier transforms, as in hybrid,
// section V.
//
// Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, section 2.2.4; sizes of classes S
// and W as in NPB 3. The heat equation du/dt = alpha laplace(u), alpha = 10^-6, on a periodic
// grid whose points begin with numbers of the benchmark's generator: transformed to waves,
// each wave k decays by exp(-4 pi^2 alpha |k|^2) a step. After each of six steps the waves
// are transformed back, and 1,024 points of the result are added up: the step's checksum.
//
// Parallel loops:
//   planes of z  fill_plane          random numbers; each plane begins the sequence anew
//   planes of z  transform_plane     of all lines along x, and, in a loop of its own, y
//   planes of y  transform_plane     along z
//   planes of z  evolve_plane        the waves, and a copy to be transformed back
//   pieces       sum_piece           64 of the checksum's points: a reduction
// The three loops of a transform run once forward and then once a step, inverse.
//
// Who writes a plane reads and writes it alone: the same bits in any order. The answer is
// the last step's field, and the verdict on the checksums, not the checksums, whose last
// bits depend on who adds what first.
//
// NAS counts the whole program, as here; only the roots of unity and the decays of a step,
// which are a few kilobytes, are made beforehand.
//
// Sizes: W, 128 * 128 * 32 (17 MB); the paper's is C, 512^3 (4.3 GB). Small is S, 64^3.
// Imbalance: none. Affinity: yes, but what is a plane of z in one loop is a part of every
// plane of y in another.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/nas.hpp"
#include "kernels/rows.hpp"

namespace doall::bench {

// Complex numbers on a three-dimensional grid.

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

class nas_ft final : public kernel {
 public:
  // Of that class, of S when it is small.
  nas_ft(size s, nas_class c);

  void reset() override;
  std::span<const std::byte> answer() const override { return field_.bytes(); }
  std::vector<std::size_t> loop_lengths() const override;

  static constexpr std::size_t steps = 6;  // of classes up to A
  const extents& points() const { return field_.n(); }
  const complex_grid& field() const { return field_; }  // not scaled

  // Iteration i of the loops above. An inverse transform is of the field, a forward one of
  // the waves.
  void fill_plane(std::size_t i);
  void transform_plane(fourier::direction d, line_axis along, std::size_t i);
  void evolve_plane(std::size_t i);
  complex_number sum_piece(std::size_t i) const;

  // How many iterations these have.
  std::size_t planes(line_axis transformed) const;
  static constexpr std::size_t pieces() { return summed_points / piece_points; }

  // The sum of a step's pieces, 0 <= step < steps.
  void take(std::size_t step, complex_number sum);
  complex_number checksum(std::size_t step) const { return checksums_[step]; }
  // Whether all checksums are NAS's.
  bool verified() const override { return field_.kept_line()->re != 0; }

  std::size_t chunk(std::size_t workers) const;

 private:
  static constexpr std::size_t summed_points = 1024;
  static constexpr std::size_t piece_points = 64;

  nas_class class_;
  fourier fourier_;
  complex_grid waves_;
  complex_grid field_;
  std::array<std::vector<double>, 3> decay_;  // of a step, by the wave's number on each axis
  std::array<complex_number, steps> checksums_{};
};

// The order of FT's loops, for every runtime.
template <class Loops>
void run(nas_ft& k, const Loops& loops) {
  const auto transform = [&](fourier::direction d) {
    loops.each(k.planes(along_x), [&](std::size_t i) { k.transform_plane(d, along_x, i); });
    loops.each(k.planes(along_y), [&](std::size_t i) { k.transform_plane(d, along_y, i); });
    loops.each(k.planes(along_z), [&](std::size_t i) { k.transform_plane(d, along_z, i); });
  };
  loops.each(k.points()[along_z], [&](std::size_t i) { k.fill_plane(i); });
  transform(fourier::direction::forward);
  for (std::size_t step = 0; step < nas_ft::steps; ++step) {
    loops.each(k.points()[along_z], [&](std::size_t i) { k.evolve_plane(i); });
    transform(fourier::direction::inverse);
    k.take(step, loops.sum(k.pieces(), [&](std::size_t i) { return k.sum_piece(i); }));
  }
}

}  // namespace doall::bench
