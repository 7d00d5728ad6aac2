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

#include "kernels/fft.hpp"
#include "kernels/kernel.hpp"
#include "kernels/nas_class.hpp"
#include "kernels/nas_grid.hpp"

namespace doall::bench {

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
