// A step of compressible flow on a staggered grid, in the manner of CloverLeaf, as in
// fine-grain, section 5.2.3.
//
// The Euler equations of an ideal gas in two dimensions, by the method that is published
// of CloverLeaf (Mallinson et al., Cray User Group, 2013): density, energy and pressure
// lie in cells, velocity at their corners, flux on their sides. A step follows the gas
// (explicit, second order in time by a predictor and a corrector), which deforms the
// cells, and then moves what they hold back to the grid, one direction after the other
// and in alternating order (second order, limited: van Leer, J. Comput. Phys. 23, 1977).
// Written from the method; simpler here: shocks are smeared by the artificial viscosity of
// von Neumann & Richtmyer (J. Appl. Phys. 21, 1950) with a linear term.
//
// A step, each line parallel loops over rows:
//   ideal_gas             pressure and speed of sound
//   smear_shocks          artificial viscosity
//   time_step_of          ... and the least of all rows: a reduction
//   compress              half a step: density and energy of the deformed cells
//   ideal_gas             pressure at half the step
//   accelerate
//   compress              the whole step, by the mean of old and new velocities
//   sweep_volume          what the cells' sides sweep; x, then y
//   twice, once a direction:
//     cell_volumes        before and after
//     cell_flux           of mass and energy
//     remap_cells
//     node_flux           of mass between corners
//     node_masses         before and after
//     momentum_flux, remap_nodes    for each component of velocity
//   keep_cells, keep_nodes          the new values are the old ones
// Between them two tiny loops for each field whose neighbours will be read, mirror_sides
// and mirror_ends, fill two cells beyond the walls with the mirror image. 63 loops a
// step; the paper counts 111 in CloverLeaf's code.
//
// Invariants: mass is constant, to rounding; energy (internal and kinetic) is while the
// gas is followed, and the remap loses some of the kinetic part where velocity is
// smeared. What is symmetric stays so. A row writes its own row alone; the reduction is
// a minimum, which has the same bits in any order.
//
// Input: CloverLeaf's benchmark, dense and hot gas in a corner of a 10 x 10 box.
// Sizes: the paper's 960^2 (160 MB). Imbalance: none. Affinity: yes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/rows.hpp"

namespace doall::bench {

// A field on a staggered grid of n * n cells, with two more beyond each wall.

// Where the values lie, and so what their mirror image at a wall is: normal to the wall a
// component changes its sign. (On the wall itself it stays 0, for all that changes it is
// mirrored to the last bit.)
enum class place {
  cell,
  corner_x,  // component of a vector at the cells' corners
  corner_y,
  side_x,  // flux through the sides that x is normal to
  side_y,
};

// A view: rows have `stride` values, and row(k)[j] is the value of cell (j, k) or of its
// side or corner that has the lowest coordinates. -2 <= j, k <= n + 1 for cells; sides and
// corners have one more.
class field {
 public:
  static constexpr int beyond = 2;  // cells, at each wall

  field(double* memory, std::ptrdiff_t stride, place at)
      : origin_(memory + beyond * stride + beyond), stride_(stride), at_(at) {}

  double* row(int k) const { return origin_ + k * stride_; }
  std::ptrdiff_t stride() const { return stride_; }

  // Fills what lies beyond the walls at both ends of row k.
  void mirror_sides(int n, int k) const {
    mirror(row(k), 1, n, at_ == place::side_x || at_corner(), odd_in_x());
  }
  // The same of column j.
  void mirror_ends(int n, int j) const {
    mirror(origin_ + j, stride_, n, at_ == place::side_y || at_corner(), odd_in_y());
  }

 private:
  bool at_corner() const { return at_ == place::corner_x || at_ == place::corner_y; }
  bool odd_in_x() const { return at_ == place::side_x || at_ == place::corner_x; }
  bool odd_in_y() const { return at_ == place::side_y || at_ == place::corner_y; }

  static void mirror(double* line, std::ptrdiff_t step, int n, bool on_wall, bool odd) {
    const double sign = odd ? -1 : 1;
    const int image = on_wall ? 0 : -1;  // of -i is i + image
    for (int i = 1; i <= beyond; ++i) {
      line[-i * step] = sign * line[(i + image) * step];
      line[(n + i + image) * step] = sign * line[(n - i) * step];
    }
  }

  double* origin_;
  std::ptrdiff_t stride_;
  place at_;
};

// The memory of so many fields, one after the other.
class field_memory {
 public:
  field_memory(int n, std::size_t fields)
      : rows_a_field_(static_cast<std::size_t>(n) + 2 * field::beyond + 1),
        values_(fields * rows_a_field_, rows_a_field_) {}

  // A field of it; at most as many as there is memory for.
  field next(place at) {
    const std::size_t first = rows_a_field_ * taken_++;
    return {values_[first], values_[first + 1] - values_[first], at};
  }

  // Of the first fields.
  std::span<const std::byte> bytes(std::size_t fields) const {
    const auto* begin = reinterpret_cast<const std::byte*>(values_[0]);
    const auto* end = reinterpret_cast<const std::byte*>(values_[fields * rows_a_field_]);
    return {begin, end};
  }

 private:
  std::size_t rows_a_field_;
  std::size_t taken_ = 0;
  rows<double> values_;
};

enum class axis { x, y };
enum class sweep { first, second };

class hydro final : public kernel {
 public:
  enum class problem {
    corner,         // CloverLeaf's
    tube,           // Sod's, along x
    blast,          // hot gas in the middle
    quarter_blast,  // the upper right quarter of it, which fills the box
    wave,           // sound that stands between the walls, along x
  };

  static constexpr double box = 10;  // length and height
  static constexpr double gamma = 1.4;
  static constexpr double amplitude = 1e-3;  // of the wave's density, which is 1
  // Of the term that damps sound: viscosity over density, speed of sound and cell width.
  static constexpr double linear_viscosity = 0.5;

  explicit hydro(size s);
  // n * n cells, n at least 2.
  hydro(int n, int steps, problem input = problem::corner);

  void reset() override;
  // Density, energy and velocity, with what lies beyond the walls.
  std::span<const std::byte> answer() const override;
  std::vector<std::size_t> loop_lengths() const override;

  int n() const { return n_; }
  int steps() const { return steps_; }
  double time() const { return time_; }

  // Row `row` of the loops above; where a loop's bounds are not [0, n) for cells and
  // [0, n] for corners, run() has them.
  void ideal_gas(const field& of_density, const field& of_energy, int row);
  void smear_shocks(int row);
  double time_step_of(int row) const;
  void compress(double part_of_step, const field& end_u, const field& end_v, int row);
  void accelerate(int row);
  void sweep_volume(axis a, int row);
  void cell_volumes(axis a, sweep which, int row);
  void cell_flux(axis a, int row);  // of mass and energy
  void remap_cells(axis a, int row);
  void node_flux(axis a, int row);
  void node_masses(axis a, int row);
  void momentum_flux(axis a, const field& velocity, int row);
  void remap_nodes(axis a, const field& velocity, int row);
  void keep_cells(int row);
  void keep_nodes(int row);
  void mirror_sides(const field& f, int row);
  void mirror_ends(const field& f, int strip);
  int strips() const;  // of mirror_ends

  // Serial, between loops: the gas allows a step of `allowed`, and steps grow slowly.
  void begin_step(double allowed);

  // Of the whole box, at the beginning of a step.
  struct totals {
    double mass, internal, kinetic;
  };
  totals sum() const;

 private:
  static constexpr std::size_t fields = 22;
  static constexpr std::size_t answer_fields = 4;
  field_memory memory_;  // before the fields, which are views of it

 public:
  // At the beginning of a step. These four are the answer.
  const field density = memory_.next(place::cell);
  const field energy = memory_.next(place::cell);  // internal, of a unit of mass
  const field u = memory_.next(place::corner_x);   // velocity
  const field v = memory_.next(place::corner_y);
  // While the step goes on.
  const field density_new = memory_.next(place::cell);
  const field energy_new = memory_.next(place::cell);
  const field u_new = memory_.next(place::corner_x);
  const field v_new = memory_.next(place::corner_y);
  const field pressure = memory_.next(place::cell);
  const field viscosity = memory_.next(place::cell);  // as a pressure
  const field volume_flux_x = memory_.next(place::side_x);
  const field volume_flux_y = memory_.next(place::side_y);
  const field mass_flux_x = memory_.next(place::side_x);
  const field mass_flux_y = memory_.next(place::side_y);

 private:
  // Never mirrored.
  const field sound_speed_ = memory_.next(place::cell);
  const field volume_before_ = memory_.next(place::cell);
  const field volume_after_ = memory_.next(place::cell);
  const field energy_flux_ = memory_.next(place::side_x);
  const field node_flux_ = memory_.next(place::corner_x);
  const field mass_before_ = memory_.next(place::corner_x);
  const field mass_after_ = memory_.next(place::corner_x);
  const field momentum_flux_ = memory_.next(place::corner_x);

  int n_;
  int steps_;
  problem input_;
  double width_;   // of a cell
  double volume_;  // likewise: an area
  double time_ = 0;
  double time_step_ = 0;
};

// The order of hydro's loops, for every runtime, which gives two members:
//   loops.each(first, last, body)    runs body(first) to body(last - 1) in parallel
//   loops.least(first, last, body)   ... and returns the least result
// A loop below is a site of its own: they are instantiated for every body.

// Moves what the deformed cells and their corners hold along one axis. Rows lie along x:
// a loop that reaches beyond the walls along y has more of them.
template <class Loops>
void run_sweep(hydro& k, const Loops& loops, axis a, sweep which, const auto& mirror) {
  const int n = k.n();
  const int beyond = a == axis::y ? field::beyond : 0;
  loops.each(-field::beyond, n + field::beyond, [&](int row) { k.cell_volumes(a, which, row); });
  loops.each(0, n + 1, [&](int row) { k.cell_flux(a, row); });
  loops.each(0, n, [&](int row) { k.remap_cells(a, row); });
  mirror(k.density_new);
  mirror(k.energy_new);
  mirror(a == axis::x ? k.mass_flux_x : k.mass_flux_y);
  mirror(k.u_new);
  mirror(k.v_new);
  loops.each(-beyond, n + 1 + beyond / 2, [&](int row) { k.node_flux(a, row); });
  loops.each(-beyond / 2, n + 1 + beyond / 2, [&](int row) { k.node_masses(a, row); });
  for (const field* velocity : {&k.u_new, &k.v_new}) {
    loops.each(-beyond / 2, n + 1, [&](int row) { k.momentum_flux(a, *velocity, row); });
    loops.each(0, n + 1, [&](int row) { k.remap_nodes(a, *velocity, row); });
  }
}

template <class Loops>
void run(hydro& k, const Loops& loops) {
  const int n = k.n();
  const auto mirror = [&](const field& f) {
    loops.each(0, n + 1, [&](int row) { k.mirror_sides(f, row); });
    loops.each(0, k.strips(), [&](int strip) { k.mirror_ends(f, strip); });
  };
  for (int step = 0; step < k.steps(); ++step) {
    loops.each(0, n, [&](int row) { k.ideal_gas(k.density, k.energy, row); });
    loops.each(0, n, [&](int row) { k.smear_shocks(row); });
    k.begin_step(loops.least(0, n, [&](int row) { return k.time_step_of(row); }));

    loops.each(0, n, [&](int row) { k.compress(0.5, k.u, k.v, row); });
    loops.each(0, n, [&](int row) { k.ideal_gas(k.density_new, k.energy_new, row); });
    mirror(k.density);
    mirror(k.pressure);
    mirror(k.viscosity);
    loops.each(0, n + 1, [&](int row) { k.accelerate(row); });
    loops.each(0, n, [&](int row) { k.compress(1, k.u_new, k.v_new, row); });

    loops.each(0, n, [&](int row) { k.sweep_volume(axis::x, row); });
    loops.each(0, n + 1, [&](int row) { k.sweep_volume(axis::y, row); });
    mirror(k.volume_flux_x);
    mirror(k.volume_flux_y);
    mirror(k.density_new);
    mirror(k.energy_new);
    const bool x_first = step % 2 == 0;
    run_sweep(k, loops, x_first ? axis::x : axis::y, sweep::first, mirror);
    run_sweep(k, loops, x_first ? axis::y : axis::x, sweep::second, mirror);

    loops.each(0, n, [&](int row) { k.keep_cells(row); });
    loops.each(0, n + 1, [&](int row) { k.keep_nodes(row); });
  }
}

}  // namespace doall::bench
