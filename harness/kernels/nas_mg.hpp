// NAS MG: multigrid for Poisson's equation on a periodic cube, as in hybrid, section V.
//
// Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, section 2.2.2; sizes of classes
// S and W as in NPB 3. A u = v, where v is 1 at ten points, -1 at ten others and 0
// elsewhere: the points where numbers of the benchmark's generator, laid out over the cube,
// are largest and smallest. u begins with 0, and four times
//   u += M (v - A u)
// M is a V-cycle, down to the grid of 2^3 points and back. The operator A, the smoother S
// and the restriction P read 27 points; the prolongation Q interpolates linearly.
//
// Parallel loops, of which each grid has its own executions:
//   planes  compute_residual     r = v - A u; below the finest grid r = r - A u
//   planes  restrict_residual    r = P r of the next finer grid
//   planes  clear_solution       u = 0
//   planes  interpolate          u = u + Q u of the next coarser grid
//   planes  smooth               u = u + S r
//   planes  wrap_rows            what lies beyond the ends of a grid, after those of these
//   rows    wrap_planes          that do not write it themselves
//   planes  square_plane         the norm of r, at the end: a reduction
// A V-cycle of class W has 7 grids and 69 loops, 40 of them on 18 iterations or fewer:
// short loops between long ones.
//
// Who writes a plane reads others' but writes its own alone, and in place only where it
// reads just the point that it writes: the same bits in any order. The answer is the last
// residual, which differs wherever u does; and the verdict on its norm, not the norm, whose
// last bits depend on who adds what first.
//
// Sizes: W, 128^3 (61 MB); the paper's is C, 512^3 (3.6 GB). Small is S, 32^3.
// Imbalance: none. Affinity: yes, of each grid.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/nas.hpp"
#include "kernels/rows.hpp"

namespace doall::bench {

// The points of a periodic cube, and the sums that a 27-point operator takes of them.

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

class nas_mg final : public kernel {
 public:
  // Of that class, of S when it is small.
  nas_mg(size s, nas_class c);

  void reset() override;
  std::span<const std::byte> answer() const override { return levels_.back().residual.bytes(); }
  std::vector<std::size_t> loop_lengths() const override;

  std::size_t iterations() const;
  // Grids, by how fine they are: from 0, which is the coarsest.
  std::size_t top() const { return levels_.size() - 1; }
  // Of a grid, along an axis.
  std::size_t points(std::size_t level) const { return levels_[level].solution.n(); }

  enum class field { solution, residual };
  cube& at(field f, std::size_t level) {
    return f == field::solution ? levels_[level].solution : levels_[level].residual;
  }

  // Iteration i of the loops above on a grid of n^3 points: plane i + 1 of n.
  void compute_residual(std::size_t level, std::size_t i);
  void restrict_residual(std::size_t level, std::size_t i);  // to `level`
  void smooth(std::size_t level, std::size_t i);
  double square_plane(std::size_t i) const;  // of the finest grid

  // Likewise plane i of n + 2: they write what lies beyond the ends.
  void clear_solution(std::size_t level, std::size_t i);
  void interpolate(std::size_t level, std::size_t i);  // to `level`

  // After a field's planes have been written: plane i + 1 of n, and then row i of n + 2.
  void wrap_rows(field f, std::size_t level, std::size_t i);
  void wrap_planes(field f, std::size_t level, std::size_t i);

  // The sum of all squares.
  void take(double squares);
  // The root of the mean square of the last residual, and whether it is NAS's.
  double norm() const { return norm_; }
  bool verified() const override { return levels_.back().residual.kept_number() != 0; }

  std::size_t chunk(std::size_t workers) const;

 private:
  struct level {
    explicit level(std::size_t n) : solution(n), residual(n) {}
    cube solution;
    cube residual;
  };

  void place_charges();
  void note_of(std::size_t loop, std::size_t level, std::size_t i) const {
    note(loop * levels_.size() + level, i);
  }

  nas_class class_;
  std::vector<level> levels_;
  cube right_side_;  // v, of the finest grid
  double norm_ = 0;
};

// The order of MG's loops, for every runtime. A loop below is one
// site for all grids.
template <class Loops>
void run(nas_mg& k, const Loops& loops) {
  using field = nas_mg::field;
  const std::size_t top = k.top();

  const auto wrap = [&](field f, std::size_t level) {
    loops.each(k.points(level), [&](std::size_t i) { k.wrap_rows(f, level, i); });
    loops.each(k.points(level) + cube::ends, [&](std::size_t i) { k.wrap_planes(f, level, i); });
  };
  const auto compute_residual = [&](std::size_t level) {
    loops.each(k.points(level), [&](std::size_t i) { k.compute_residual(level, i); });
    wrap(field::residual, level);
  };
  const auto restrict_residual = [&](std::size_t level) {
    loops.each(k.points(level), [&](std::size_t i) { k.restrict_residual(level, i); });
    wrap(field::residual, level);
  };
  const auto clear_solution = [&](std::size_t level) {
    loops.each(k.points(level) + cube::ends, [&](std::size_t i) { k.clear_solution(level, i); });
  };
  const auto interpolate = [&](std::size_t level) {
    loops.each(k.points(level) + cube::ends, [&](std::size_t i) { k.interpolate(level, i); });
  };
  const auto smooth = [&](std::size_t level) {
    loops.each(k.points(level), [&](std::size_t i) { k.smooth(level, i); });
    wrap(field::solution, level);
  };

  compute_residual(top);
  for (std::size_t iteration = 0; iteration < k.iterations(); ++iteration) {
    for (std::size_t level = top; level-- > 0;) restrict_residual(level);
    clear_solution(0);
    smooth(0);
    for (std::size_t level = 1; level <= top; ++level) {
      if (level < top) clear_solution(level);  // the finest one is what is corrected
      interpolate(level);
      compute_residual(level);
      smooth(level);
    }
    compute_residual(top);
  }
  k.take(loops.sum(k.points(top), [&](std::size_t i) { return k.square_plane(i); }));
}

}  // namespace doall::bench
