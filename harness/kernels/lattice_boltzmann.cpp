#include "kernels/lattice_boltzmann.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace doall::bench {
namespace {

constexpr std::size_t collide_loop = 0;
constexpr std::size_t stream_loop = 1;

struct lattice_velocity {
  int x, y, z;
  double weight;
};

// At rest, to the six faces of a cube, to its twelve edges.
constexpr double rest = 1.0 / 3;
constexpr double face = 1.0 / 18;
constexpr double edge = 1.0 / 36;
constexpr std::array<lattice_velocity, 19> velocities = {{
    {0, 0, 0, rest},  {1, 0, 0, face},   {-1, 0, 0, face},  {0, 1, 0, face},   {0, -1, 0, face},
    {0, 0, 1, face},  {0, 0, -1, face},  {1, 1, 0, edge},   {-1, -1, 0, edge}, {1, -1, 0, edge},
    {-1, 1, 0, edge}, {1, 0, 1, edge},   {-1, 0, -1, edge}, {1, 0, -1, edge},  {-1, 0, 1, edge},
    {0, 1, 1, edge},  {0, -1, -1, edge}, {0, 1, -1, edge},  {0, -1, 1, edge},
}};

// Cells that are computed at once: what compilers vectorise has a fixed length.
constexpr int block = 8;

// Of a population, at one cell's density and velocity.
double equilibrium(const lattice_velocity& v, double density, double x, double y, double z) {
  const double along = 3 * (v.x * x + v.y * y + v.z * z);
  return v.weight * density * (1 + along + along * along / 2 - 1.5 * (x * x + y * y + z * z));
}

}  // namespace

lattice_boltzmann::lattice_boltzmann(size s)
    : lattice_boltzmann(s == size::paper ? 32 : 8, s == size::paper ? 4 : 3) {}

lattice_boltzmann::lattice_boltzmann(int n, int steps)
    : n_(n),
      steps_(steps),
      now_(row_of(velocities.size(), 0), static_cast<std::size_t>(n)),
      next_(now_) {}

void lattice_boltzmann::reset() {
  constexpr double speed = 0.02;  // of 0.58, the speed of sound
  const auto wave = [&](int i, double phase) {
    return speed * std::sin(2 * std::numbers::pi * (i + 0.5) / n_ + phase);
  };
  constexpr double quarter = std::numbers::pi / 2;
  for (int row = 0; row < row_count(); ++row) {
    const int y = row % n_;
    const int z = row / n_;
    for (int x = 0; x < n_; ++x) {
      const double u = wave(z, 0) + wave(y, quarter);
      const double v = wave(x, 0) + wave(z, quarter);
      const double w = wave(y, 0) + wave(x, quarter);
      for (std::size_t q = 0; q < velocities.size(); ++q) {
        now_[row_of(q, row)][x] = equilibrium(velocities[q], 1, u, v, w);
      }
    }
  }
}

std::vector<std::size_t> lattice_boltzmann::loop_lengths() const {
  return {static_cast<std::size_t>(row_count()), static_cast<std::size_t>(row_count())};
}

lattice_boltzmann::moments lattice_boltzmann::at(int x, int row) const {
  moments m{};
  for (std::size_t q = 0; q < velocities.size(); ++q) {
    const double population = now_[row_of(q, row)][x];
    m.density += population;
    m.x += velocities[q].x * population;
    m.y += velocities[q].y * population;
    m.z += velocities[q].z * population;
  }
  return m;
}

void lattice_boltzmann::collide_row(int row) {
  note(collide_loop, static_cast<std::size_t>(row));
  for (int x = 0; x < n_; x += block) collide_block(row, x);
}

void lattice_boltzmann::collide_block(int row, int begin) {
  std::array<double, block> density{};
  std::array<double, block> x{};
  std::array<double, block> y{};
  std::array<double, block> z{};
  for (std::size_t q = 0; q < velocities.size(); ++q) {
    const auto [to_x, to_y, to_z, weight] = velocities[q];
    const double* population = now_[row_of(q, row)] + begin;
    for (std::size_t i = 0; i < block; ++i) {
      density[i] += population[i];
      x[i] += to_x * population[i];
      y[i] += to_y * population[i];
      z[i] += to_z * population[i];
    }
  }
  for (std::size_t i = 0; i < block; ++i) {
    x[i] /= density[i];
    y[i] /= density[i];
    z[i] /= density[i];
  }
  for (std::size_t q = 0; q < velocities.size(); ++q) {
    double* population = now_[row_of(q, row)] + begin;
    for (std::size_t i = 0; i < block; ++i) {
      const double target = equilibrium(velocities[q], density[i], x[i], y[i], z[i]);
      population[i] += (target - population[i]) / tau;
    }
  }
}

void lattice_boltzmann::stream_row(int row) {
  note(stream_loop, static_cast<std::size_t>(row));
  const int y = row % n_;
  const int z = row / n_;
  for (std::size_t q = 0; q < velocities.size(); ++q) {
    const lattice_velocity& v = velocities[q];
    const int from_y = (y - v.y + n_) % n_;
    const int from_z = (z - v.z + n_) % n_;
    const double* from = now_[row_of(q, from_z * n_ + from_y)];
    double* to = next_[row_of(q, row)];
    if (v.x == 0) {
      std::copy_n(from, n_, to);
    } else if (v.x > 0) {
      to[0] = from[n_ - 1];
      std::copy_n(from, n_ - 1, to + 1);
    } else {
      std::copy_n(from + 1, n_ - 1, to);
      to[n_ - 1] = from[0];
    }
  }
}

}  // namespace doall::bench
