// Flow by the lattice Boltzmann method on a three-dimensional grid, as in fine-grain,
// section 5.2.2.
//
// A cell holds how much of the fluid moves with each of 19 velocities (D3Q19, weights
// of Qian, d'Humieres & Lallemand, Europhys. Lett. 17, 1992). A step is two parallel
// loops over rows of cells along x:
//   collide_row   each population relaxes towards the equilibrium of its cell's density
//                 and velocity (Bhatnagar, Gross & Krook, Phys. Rev. 94, 1954)
//   stream_row    each population moves on to the next cell of its direction
// The box is periodic. The paper's code, which it cites from McIntosh-Smith & Curran
// (IWOCL 2014), has two parallel loops too.
//
// Input: an Arnold-Beltrami-Childress flow, three shear waves each way that advect one
// another. It keeps its shape and decays by exp(-nu k^2 t) with k = 2 pi / n and the
// viscosity nu = (tau - 1/2) / 3, which a test compares with.
//
// Invariants: mass and momentum are constant, to rounding. Populations are stored by
// velocity, so that neighbours along x are neighbours in memory; streaming reads one
// copy and writes the other.
//
// Sizes: the paper's 32^3 (10 MB); it goes up to 128^3 (640 MB).
// Imbalance: none. Affinity: yes.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/rows.hpp"

namespace doall::bench {

class lattice_boltzmann final : public kernel {
 public:
  explicit lattice_boltzmann(size s);
  // n * n * n cells, n a multiple of 8.
  lattice_boltzmann(int n, int steps);

  void reset() override;
  std::span<const std::byte> answer() const override { return now_.bytes(); }
  std::vector<std::size_t> loop_lengths() const override;

  int n() const { return n_; }
  int steps() const { return steps_; }
  int row_count() const { return n_ * n_; }

  // Iteration `row`: the cells of one y and one z, row = z * n + y.
  void collide_row(int row);
  void stream_row(int row);
  // What has been streamed is the present from here on. Between loops.
  void next() { std::swap(now_, next_); }

  // Density, and momentum by direction, of a cell.
  struct moments {
    double density, x, y, z;
  };
  moments at(int x, int row) const;

  // How soon a population relaxes, in steps.
  static constexpr double tau = 0.8;
  static constexpr double viscosity = (tau - 0.5) / 3;  // cells^2 a step

 private:
  void collide_block(int row, int x);

  // An empty row follows those of each velocity: a cell's populations, a power of two
  // apart, would fall into one set of the caches, which has fewer ways than 19.
  std::size_t row_of(std::size_t velocity, int row) const {
    return velocity * (static_cast<std::size_t>(row_count()) + 1) + static_cast<std::size_t>(row);
  }

  int n_;
  int steps_;
  rows<double> now_;  // populations, row by row of cells, velocity by velocity
  rows<double> next_;
};

// The order of the lattice Boltzmann method's loops, for every runtime: each(count,
// body) is to run body(0) to body(count - 1) in parallel.

template <class Loops>
void run(lattice_boltzmann& k, const Loops& loops) {
  for (int step = 0; step < k.steps(); ++step) {
    loops.each(k.row_count(), [&](int row) { k.collide_row(row); });
    loops.each(k.row_count(), [&](int row) { k.stream_row(row); });
    k.next();
  }
}

}  // namespace doall::bench
