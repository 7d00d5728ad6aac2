#include "kernels/hydro.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace doall::bench {
namespace {

// Loops by number, as residence counts them.
enum loop : std::size_t {
  gas,
  viscous,
  time_steps,
  deform,
  accelerated,
  swept,
  cell_sizes,
  cell_fluxes,
  cells,
  node_fluxes,
  masses,
  momentum_fluxes,
  nodes,
  kept_cells,
  kept_nodes,
  sides,
  ends,
  loops
};

// Of a step, in cells: how far sound and gas together may come.
constexpr double courant = 0.5;
constexpr double growth = 1.5;
constexpr double first_step = 0.01;  // over a cell's width

constexpr double quadratic_viscosity = 4.0 / 3;

constexpr int strip_length = 64;

std::size_t number(int row) { return static_cast<std::size_t>(row + field::beyond); }

struct gas_state {
  double density, energy;
};

gas_state initial(hydro::problem input, double x, double y) {
  switch (input) {
    case hydro::problem::corner: return x < 5 && y < 2 ? gas_state{1, 2.5} : gas_state{0.2, 1};
    case hydro::problem::tube: return x < 5 ? gas_state{1, 2.5} : gas_state{0.125, 2};
    case hydro::problem::blast: return {1, std::hypot(x - 5, y - 5) < 1 ? 10.0 : 1.0};
    case hydro::problem::quarter_blast: return {1, std::hypot(x, y) < 2 ? 10.0 : 1.0};
    case hydro::problem::wave: break;
  }
  const double rho = 1 + hydro::amplitude * std::cos(std::numbers::pi * x / hydro::box);
  return {rho, std::pow(rho, hydro::gamma - 1) / (hydro::gamma - 1)};  // pressure rho^gamma
}

// Van Leer's slope: the harmonic mean of the differences, 0 at an extremum.
double slope(double behind, double ahead) {
  const double product = behind * ahead;
  return product > 0 ? 2 * product / (behind + ahead) : 0;
}

// What a flux takes along when `part` of the donor leaves: the value in the middle of what
// leaves, of the donor at `from`, whose neighbours `ahead` and behind it lie on the line.
double carried(const double* from, std::ptrdiff_t ahead, double part) {
  return *from + (1 - part) / 2 * slope(*from - from[-ahead], from[ahead] - *from);
}

// Indices [first, last) of a loop along a row.
struct columns {
  int first, last;
};

// `along` where the loop looks along x, as far as `across` where it looks along y and the
// rows reach beyond the walls instead.
columns reach(axis a, columns along, columns across) { return a == axis::x ? along : across; }

std::ptrdiff_t next(axis a, const field& f) { return a == axis::x ? 1 : f.stride(); }

}  // namespace

hydro::hydro(size s) : hydro(s == size::paper ? 960 : 24, 2) {}

hydro::hydro(int n, int steps, problem input)
    : memory_(n, fields),
      n_(n),
      steps_(steps),
      input_(input),
      width_(box / n),
      volume_(width_ * width_) {}

void hydro::reset() {
  for (int k = 0; k < n_; ++k) {
    for (int j = 0; j < n_; ++j) {
      const gas_state gas = initial(input_, (j + 0.5) * width_, (k + 0.5) * width_);
      density.row(k)[j] = gas.density;
      energy.row(k)[j] = gas.energy;
    }
  }
  for (int k = 0; k <= n_; ++k) {
    std::fill_n(u.row(k), n_ + 1, 0.0);
    std::fill_n(v.row(k), n_ + 1, 0.0);
  }
  time_ = 0;
  time_step_ = first_step * width_;
}

std::span<const std::byte> hydro::answer() const { return memory_.bytes(answer_fields); }

std::vector<std::size_t> hydro::loop_lengths() const {
  return std::vector<std::size_t>(loops, number(n_ + field::beyond + 1));
}

int hydro::strips() const { return (n_ + 2 * field::beyond + 1 + strip_length - 1) / strip_length; }

void hydro::mirror_sides(const field& f, int row) {
  note(sides, number(row));
  f.mirror_sides(n_, row);
}

void hydro::mirror_ends(const field& f, int strip) {
  note(ends, static_cast<std::size_t>(strip));
  const int begin = strip * strip_length - field::beyond;
  const int end = std::min(begin + strip_length, n_ + field::beyond + 1);
  for (int j = begin; j < end; ++j) f.mirror_ends(n_, j);
}

void hydro::ideal_gas(const field& of_density, const field& of_energy, int row) {
  note(gas, number(row));
  const double* rho = of_density.row(row);
  const double* e = of_energy.row(row);
  double* p = pressure.row(row);
  double* sound = sound_speed_.row(row);
  for (int j = 0; j < n_; ++j) {
    p[j] = (gamma - 1) * rho[j] * e[j];
    sound[j] = std::sqrt(gamma * (gamma - 1) * e[j]);
  }
}

void hydro::smear_shocks(int row) {
  note(viscous, number(row));
  const std::ptrdiff_t up = u.stride();
  const double* rho = density.row(row);
  const double* sound = sound_speed_.row(row);
  const double* to_x = u.row(row);
  const double* to_y = v.row(row);
  double* q = viscosity.row(row);
  for (int j = 0; j < n_; ++j) {
    const double stretch_x = to_x[j + 1] + to_x[j + 1 + up] - to_x[j] - to_x[j + up];
    const double stretch_y = to_y[j + up] + to_y[j + 1 + up] - to_y[j] - to_y[j + 1];
    const double squeeze = std::max(0.0, -(stretch_x + stretch_y) / 2);
    q[j] = rho[j] * squeeze * (linear_viscosity * sound[j] + quadratic_viscosity * squeeze);
  }
}

double hydro::time_step_of(int row) const {
  note(time_steps, number(row));
  const std::ptrdiff_t up = u.stride();
  const double* rho = density.row(row);
  const double* sound = sound_speed_.row(row);
  const double* q = viscosity.row(row);
  const double* to_x = u.row(row);
  const double* to_y = v.row(row);
  const auto greatest = [up](const double* velocity) {
    return std::max(std::max(std::abs(velocity[0]), std::abs(velocity[1])),
                    std::max(std::abs(velocity[up]), std::abs(velocity[up + 1])));
  };
  double fastest = 0;
  for (int j = 0; j < n_; ++j) {
    const double flow = std::max(greatest(to_x + j), greatest(to_y + j));
    fastest = std::max(fastest, flow + std::sqrt(sound[j] * sound[j] + 2 * q[j] / rho[j]));
  }
  return courant * width_ / fastest;
}

void hydro::begin_step(double allowed) {
  time_step_ = std::min(allowed, growth * time_step_);
  time_ += time_step_;
}

// The corners move by the mean of the velocities at the beginning and at the end.
void hydro::compress(double part_of_step, const field& end_u, const field& end_v, int row) {
  note(deform, number(row));
  const double path = part_of_step * time_step_ * width_ / 4;
  const std::ptrdiff_t up = u.stride();
  const double* x0 = u.row(row);
  const double* x1 = end_u.row(row);
  const double* y0 = v.row(row);
  const double* y1 = end_v.row(row);
  const double* rho = density.row(row);
  const double* e = energy.row(row);
  const double* p = pressure.row(row);
  const double* q = viscosity.row(row);
  double* rho_new = density_new.row(row);
  double* e_new = energy_new.row(row);
  for (int j = 0; j < n_; ++j) {
    const double left = x0[j] + x0[j + up] + x1[j] + x1[j + up];
    const double right = x0[j + 1] + x0[j + 1 + up] + x1[j + 1] + x1[j + 1 + up];
    const double below = y0[j] + y0[j + 1] + y1[j] + y1[j + 1];
    const double above = y0[j + up] + y0[j + 1 + up] + y1[j + up] + y1[j + 1 + up];
    const double growth_of_volume = path * ((right - left) + (above - below));
    rho_new[j] = rho[j] * volume_ / (volume_ + growth_of_volume);
    e_new[j] = e[j] - (p[j] + q[j]) * growth_of_volume / (rho[j] * volume_);
  }
}

// A corner's mass is a quarter of each of its four cells'.
void hydro::accelerate(int row) {
  note(accelerated, number(row));
  const std::ptrdiff_t down = -density.stride();
  const double* rho = density.row(row);
  const double* p = pressure.row(row);
  const double* q = viscosity.row(row);
  const auto force = [&](std::ptrdiff_t cell) { return p[cell] + q[cell]; };
  for (int j = 0; j <= n_; ++j) {
    const double mass = volume_ / 4 * ((rho[j - 1 + down] + rho[j + down]) + (rho[j - 1] + rho[j]));
    const double impulse = time_step_ * width_ / 2 / mass;
    const double x = (force(j) - force(j - 1)) + (force(j + down) - force(j - 1 + down));
    const double y = (force(j) - force(j + down)) + (force(j - 1) - force(j - 1 + down));
    u_new.row(row)[j] = u.row(row)[j] - impulse * x;
    v_new.row(row)[j] = v.row(row)[j] - impulse * y;
  }
}

void hydro::sweep_volume(axis a, int row) {
  note(swept, number(row));
  const double path = time_step_ * width_ / 4;
  const double* begin = (a == axis::x ? u : v).row(row);
  const double* end = (a == axis::x ? u_new : v_new).row(row);
  double* flux = (a == axis::x ? volume_flux_x : volume_flux_y).row(row);
  const std::ptrdiff_t other = a == axis::x ? u.stride() : 1;  // end of the side
  const int last = a == axis::x ? n_ : n_ - 1;
  for (int j = 0; j <= last; ++j) {
    flux[j] = path * (begin[j] + begin[j + other] + end[j] + end[j + other]);
  }
}

// Between the sweeps a cell is the grid's along one axis, and still deformed along the other.
void hydro::cell_volumes(axis a, sweep which, int row) {
  note(cell_sizes, number(row));
  const std::ptrdiff_t up = volume_flux_y.stride();
  const double* x = volume_flux_x.row(row);
  const double* y = volume_flux_y.row(row);
  double* before = volume_before_.row(row);
  double* after = volume_after_.row(row);
  for (int j = -field::beyond; j < n_ + field::beyond; ++j) {
    const double growth_x = x[j + 1] - x[j];
    const double growth_y = y[j + up] - y[j];
    const double along = a == axis::x ? growth_x : growth_y;
    const double across = a == axis::x ? growth_y : growth_x;
    after[j] = which == sweep::first ? volume_ + across : volume_;
    before[j] = after[j] + along;
  }
}

void hydro::cell_flux(axis a, int row) {
  note(cell_fluxes, number(row));
  const std::ptrdiff_t step = next(a, density_new);
  const double* volume_flux = (a == axis::x ? volume_flux_x : volume_flux_y).row(row);
  const double* rho = density_new.row(row);
  const double* e = energy_new.row(row);
  const double* volume = volume_before_.row(row);
  double* mass_flux = (a == axis::x ? mass_flux_x : mass_flux_y).row(row);
  double* energy_flux = energy_flux_.row(row);
  for (int j = 0; j <= n_; ++j) {
    const bool onwards = volume_flux[j] > 0;
    const std::ptrdiff_t donor = onwards ? j - step : j;
    const std::ptrdiff_t ahead = onwards ? step : -step;
    const double part = std::abs(volume_flux[j]) / volume[donor];
    mass_flux[j] = volume_flux[j] * carried(rho + donor, ahead, part);
    const double mass_part = std::abs(mass_flux[j]) / (rho[donor] * volume[donor]);
    energy_flux[j] = mass_flux[j] * carried(e + donor, ahead, mass_part);
  }
}

void hydro::remap_cells(axis a, int row) {
  note(cells, number(row));
  const std::ptrdiff_t step = next(a, density_new);
  const double* mass_flux = (a == axis::x ? mass_flux_x : mass_flux_y).row(row);
  const double* energy_flux = energy_flux_.row(row);
  const double* before = volume_before_.row(row);
  const double* after = volume_after_.row(row);
  double* rho = density_new.row(row);
  double* e = energy_new.row(row);
  for (int j = 0; j < n_; ++j) {
    const double mass = rho[j] * before[j];
    const double mass_now = mass + (mass_flux[j] - mass_flux[j + step]);
    e[j] = (e[j] * mass + (energy_flux[j] - energy_flux[j + step])) / mass_now;
    rho[j] = mass_now / after[j];
  }
}

// Element j: from corner j to the next one. Corners have a quarter of each of four cells,
// so a quarter of the mass that passes the sides on either hand of both.
void hydro::node_flux(axis a, int row) {
  note(node_fluxes, number(row));
  const std::ptrdiff_t step = next(a, node_flux_);
  const std::ptrdiff_t aside = a == axis::x ? -node_flux_.stride() : -1;
  const double* cell_flux = (a == axis::x ? mass_flux_x : mass_flux_y).row(row);
  double* flux = node_flux_.row(row);
  const auto [first, last] = reach(a, {-2, n_ + 2}, {0, n_ + 1});
  for (int j = first; j < last; ++j) {
    flux[j] = ((cell_flux[j + aside] + cell_flux[j]) +
               (cell_flux[j + aside + step] + cell_flux[j + step])) /
              4;
  }
}

void hydro::node_masses(axis a, int row) {
  note(masses, number(row));
  const std::ptrdiff_t step = next(a, node_flux_);
  const std::ptrdiff_t down = -density_new.stride();
  const double* rho = density_new.row(row);
  const double* volume = volume_after_.row(row);
  const double* flux = node_flux_.row(row);
  double* before = mass_before_.row(row);
  double* after = mass_after_.row(row);
  const auto cell = [&](std::ptrdiff_t at) { return rho[at] * volume[at]; };
  const auto [first, last] = reach(a, {-1, n_ + 2}, {0, n_ + 1});
  for (int j = first; j < last; ++j) {
    after[j] = ((cell(j - 1 + down) + cell(j + down)) + (cell(j - 1) + cell(j))) / 4;
    before[j] = after[j] + (flux[j] - flux[j - step]);
  }
}

void hydro::momentum_flux(axis a, const field& velocity, int row) {
  note(momentum_fluxes, number(row));
  const std::ptrdiff_t step = next(a, velocity);
  const double* speed = velocity.row(row);
  const double* flux = node_flux_.row(row);
  const double* mass = mass_before_.row(row);
  double* momentum = momentum_flux_.row(row);
  const auto [first, last] = reach(a, {-1, n_ + 1}, {0, n_ + 1});
  for (int j = first; j < last; ++j) {
    const bool onwards = flux[j] > 0;
    const std::ptrdiff_t donor = onwards ? j : j + step;
    const double part = std::abs(flux[j]) / mass[donor];
    momentum[j] = flux[j] * carried(speed + donor, onwards ? step : -step, part);
  }
}

void hydro::remap_nodes(axis a, const field& velocity, int row) {
  note(nodes, number(row));
  const std::ptrdiff_t step = next(a, velocity);
  const double* momentum = momentum_flux_.row(row);
  const double* before = mass_before_.row(row);
  const double* after = mass_after_.row(row);
  double* speed = velocity.row(row);
  for (int j = 0; j <= n_; ++j) {
    speed[j] = (speed[j] * before[j] + (momentum[j - step] - momentum[j])) / after[j];
  }
}

void hydro::keep_cells(int row) {
  note(kept_cells, number(row));
  std::copy_n(density_new.row(row), n_, density.row(row));
  std::copy_n(energy_new.row(row), n_, energy.row(row));
}

void hydro::keep_nodes(int row) {
  note(kept_nodes, number(row));
  std::copy_n(u_new.row(row), n_ + 1, u.row(row));
  std::copy_n(v_new.row(row), n_ + 1, v.row(row));
}

hydro::totals hydro::sum() const {
  totals t{};
  for (int k = 0; k < n_; ++k) {
    for (int j = 0; j < n_; ++j) {
      const double mass = density.row(k)[j] * volume_;
      t.mass += mass;
      t.internal += mass * energy.row(k)[j];
      for (const int to_y : {0, 1}) {
        for (const int to_x : {0, 1}) {
          const double x = u.row(k + to_y)[j + to_x];
          const double y = v.row(k + to_y)[j + to_x];
          t.kinetic += mass / 4 * (x * x + y * y) / 2;
        }
      }
    }
  }
  return t;
}

}  // namespace doall::bench
