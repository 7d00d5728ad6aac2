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

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/nas_class.hpp"
#include "kernels/nas_cube.hpp"

namespace doall::bench {

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
