// The stencil kernels conserve what their equations conserve, come near to solutions
// that are known, and do not depend on the order of a loop's iterations. That every
// runtime computes the same bits is for the benchmark that runs them to check.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "kernel_runs.hpp"
#include "kernels/advection.hpp"
#include "kernels/hydro.hpp"
#include "kernels/kernel.hpp"
#include "kernels/lattice_boltzmann.hpp"

namespace doall::bench {
namespace {

// Orders in which a parallel loop may run.
enum class order { backwards, odd_first };

struct reordered_loops {
  order how;

  void each(int first, int last, const auto& body) const {
    if (how == order::backwards) {
      for (int i = last - 1; i >= first; --i) body(i);
      return;
    }
    for (const int begin : {first + 1, first}) {
      for (int i = begin; i < last; i += 2) body(i);
    }
  }
  double least(int first, int last, const auto& body) const {
    double least = std::numeric_limits<double>::infinity();
    each(first, last, [&](int i) { least = std::min(least, body(i)); });
    return least;
  }
  void each(int count, const auto& body) const { each(0, count, body); }
};

template <class Kernel>
void expect_same_bits_in_any_order() {
  Kernel k(size::small);
  k.reset();
  const auto input = answer_of(k);
  const auto serial = serial_answer(k);
  EXPECT_NE(serial, input);
  run(k);
  EXPECT_EQ(answer_of(k), serial) << "of a second run";
  for (const order how : {order::backwards, order::odd_first}) {
    expect_serial_bits(k, [&] { run(k, reordered_loops{how}); });
  }
}

TEST(Stencils, OrderDoesNotMatter) {
  expect_same_bits_in_any_order<advection>();
  expect_same_bits_in_any_order<lattice_boltzmann>();
  expect_same_bits_in_any_order<hydro>();
}

// Every iteration is noted within the length that its loop is said to have.
template <class Kernel>
void expect_iterations_counted() {
  Kernel k(size::small);
  const auto lengths = k.loop_lengths();
  residence log(lengths);
  k.watch(&log);
  run(k);
  const auto runs = log.runs();
  std::size_t begin = 0;
  for (std::size_t loop = 0; loop < lengths.size(); ++loop) {
    const auto of_loop = std::span(runs).subspan(begin, lengths[loop]);
    EXPECT_TRUE(std::ranges::any_of(of_loop, [](auto n) { return n > 0; })) << loop;
    begin += lengths[loop];
  }
}

TEST(Stencils, IterationsAreCounted) {
  expect_iterations_counted<advection>();
  expect_iterations_counted<lattice_boltzmann>();
  expect_iterations_counted<hydro>();
}

TEST(Advection, MeshIsThePapers) {
  const advection k(size::paper);
  EXPECT_EQ(k.grid().nodes.size(), 5568);
  EXPECT_NEAR(static_cast<double>(k.grid().edges.size()), 16'399, 10);
  EXPECT_EQ(k.grid().spokes.size(), 2 * k.grid().edges.size());
}

// The faces of a dual cell, and its part of the walls, go round it once.
TEST(Advection, CellsAreClosedAndFillTheSquare) {
  const mesh m(12, 16);
  std::vector<point> sums(m.nodes.size(), point{0, 0});
  for (std::size_t i = 0; i < m.edges.size(); ++i) {
    const auto add = [&](int node, double sign) {
      sums[static_cast<std::size_t>(node)].x += sign * m.normals[i].x;
      sums[static_cast<std::size_t>(node)].y += sign * m.normals[i].y;
    };
    EXPECT_LT(m.edges[i].from, m.edges[i].to);
    add(m.edges[i].from, 1);
    add(m.edges[i].to, -1);
  }
  EXPECT_EQ(m.walls.size(), 2 * (12 + 16) - 4);
  for (const mesh::wall& w : m.walls) {
    sums[static_cast<std::size_t>(w.node)].x += w.normal.x;
    sums[static_cast<std::size_t>(w.node)].y += w.normal.y;
  }
  double area = 0;
  for (std::size_t i = 0; i < m.nodes.size(); ++i) {
    EXPECT_NEAR(sums[i].x, 0, 1e-15) << i;
    EXPECT_NEAR(sums[i].y, 0, 1e-15) << i;
    EXPECT_GT(m.volumes[i], 0) << i;
    area += m.volumes[i];
  }
  EXPECT_NEAR(area, 1, 1e-14);
}

double mass(const advection& k) {
  double sum = 0;
  for (std::size_t i = 0; i < k.grid().nodes.size(); ++i) sum += k.psi(i) * k.grid().volumes[i];
  return sum;
}

TEST(Advection, ConservesMassAndMakesNoExtrema) {
  advection k(32, 44, 60);
  k.reset();
  const double before = mass(k);
  run(k);
  EXPECT_NEAR(mass(k), before, 1e-13 * before);
  for (std::size_t i = 0; i < k.grid().nodes.size(); ++i) {
    EXPECT_GE(k.psi(i), advection::background * (1 - 1e-12)) << i;
    EXPECT_LE(k.psi(i), 1 + 1e-12) << i;
  }
}

TEST(Advection, GradientIsPsis) {
  advection k(64, 87, 1);
  k.reset();
  for (int i = 0; i < k.edge_strips(); ++i) k.face_means(i);
  for (int i = 0; i < k.node_strips(); ++i) k.gather_gradient(i);
  for (int i = 0; i < k.wall_strips(); ++i) k.close_gradient(i);
  constexpr double apart = 1e-6;
  for (std::size_t i = 0; i < k.grid().nodes.size(); ++i) {
    const auto [x, y] = k.grid().nodes[i];
    const double to_x = advection::initial({x + apart, y}) - advection::initial({x - apart, y});
    const double to_y = advection::initial({x, y + apart}) - advection::initial({x, y - apart});
    // At the edge of what is not constant the curvature jumps.
    EXPECT_NEAR(k.gradient(i).x, to_x / (2 * apart), 1) << i;
    EXPECT_NEAR(k.gradient(i).y, to_y / (2 * apart), 1) << i;
  }
  for (const mesh::wall& w : k.grid().walls) {
    EXPECT_NEAR(k.gradient(static_cast<std::size_t>(w.node)).x, 0, 1e-12) << w.node;
    EXPECT_NEAR(k.gradient(static_cast<std::size_t>(w.node)).y, 0, 1e-12) << w.node;
  }
}

// How far the field is from where it began, where the flow has brought it back.
double error(int corrections, int scale) {
  advection k(24 * scale, 32 * scale, 80 * scale, corrections);
  run(k);
  double sum = 0;
  for (std::size_t i = 0; i < k.grid().nodes.size(); ++i) {
    sum += std::abs(k.psi(i) - advection::initial(k.grid().nodes[i])) * k.grid().volumes[i];
  }
  return sum;
}

TEST(Advection, CorrectionsUndoTheSmearing) {
  EXPECT_LT(error(1, 1), error(0, 1) * 0.6);
  EXPECT_LT(error(2, 1), error(1, 1) * 0.8);
  // First order would halve the error.
  EXPECT_LT(error(2, 2), error(2, 1) * 0.4);
}

lattice_boltzmann::moments sum(const lattice_boltzmann& k) {
  lattice_boltzmann::moments all{};
  for (int row = 0; row < k.row_count(); ++row) {
    for (int x = 0; x < k.n(); ++x) {
      const auto m = k.at(x, row);
      all = {all.density + m.density, all.x + m.x, all.y + m.y, all.z + m.z};
    }
  }
  return all;
}

double kinetic_energy(const lattice_boltzmann& k) {
  double energy = 0;
  for (int row = 0; row < k.row_count(); ++row) {
    for (int x = 0; x < k.n(); ++x) {
      const auto m = k.at(x, row);
      energy += (m.x * m.x + m.y * m.y + m.z * m.z) / (2 * m.density);
    }
  }
  return energy;
}

TEST(LatticeBoltzmann, ConservesMassAndMomentum) {
  lattice_boltzmann k(16, 20);
  k.reset();
  const auto before = sum(k);
  run(k);
  const auto after = sum(k);
  EXPECT_NEAR(before.density, 16 * 16 * 16, 1e-9);
  EXPECT_NEAR(after.density, before.density, 1e-9);
  for (const double momentum : {after.x, after.y, after.z}) EXPECT_NEAR(momentum, 0, 1e-10);
}

// The first run lets pressure and stress find what belongs to the flow.
TEST(LatticeBoltzmann, WavesDecayByTheViscosity) {
  lattice_boltzmann k(32, 50);
  run(k);
  const double before = kinetic_energy(k);
  run_serial(k);
  const double wave_number = 2 * std::numbers::pi / k.n();
  const double rate = -std::log(kinetic_energy(k) / before) / (2 * k.steps());
  EXPECT_NEAR(rate / (wave_number * wave_number), lattice_boltzmann::viscosity,
              0.01 * lattice_boltzmann::viscosity);
}

// The waves advect one another and yet stay where they are: populations that stream the
// wrong way would move them.
TEST(LatticeBoltzmann, FlowKeepsItsShape) {
  lattice_boltzmann k(32, 50);
  run(k);
  std::vector<lattice_boltzmann::moments> before;
  for (int row = 0; row < k.row_count(); ++row) before.push_back(k.at(5, row));
  run_serial(k);
  const double wave_number = 2 * std::numbers::pi / k.n();
  const double decay =
      std::exp(-lattice_boltzmann::viscosity * wave_number * wave_number * k.steps());
  for (int row = 0; row < k.row_count(); ++row) {
    const auto m = k.at(5, row);
    const auto& was = before[static_cast<std::size_t>(row)];
    EXPECT_NEAR(m.x, was.x * decay, 5e-4) << row;
    EXPECT_NEAR(m.y, was.y * decay, 5e-4) << row;
    EXPECT_NEAR(m.z, was.z * decay, 5e-4) << row;
  }
}

TEST(Hydro, ConservesMassAndEnergy) {
  for (const auto input : {hydro::problem::corner, hydro::problem::blast}) {
    hydro k(64, 60, input);
    k.reset();
    const auto before = k.sum();
    run(k);
    const auto after = k.sum();
    EXPECT_NEAR(after.mass, before.mass, 1e-12 * before.mass);
    EXPECT_GT(after.kinetic, 0.02 * before.internal);
    const double energy = after.internal + after.kinetic;
    EXPECT_LE(energy, before.internal);  // the remap smears velocity
    EXPECT_NEAR(energy, before.internal, 0.005 * before.internal);
  }
}

// Sod (J. Comput. Phys. 27, 1978): between the contact and the shock, and between the
// contact and the rarefaction, the exact solution is constant.
TEST(Hydro, TubeIsSods) {
  hydro k(200, 150, hydro::problem::tube);
  run(k);
  const double time = k.time();
  ASSERT_GT(time, 1.2);
  ASSERT_LT(time, 2.5);  // nothing has reached a wall
  struct {
    double speed, density, velocity;  // position is 5 + speed * time
  } const expected[] = {
      {-1.5, 1, 0}, {0.45, 0.42632, 0.92745}, {1.35, 0.26557, 0.92745}, {2.0, 0.125, 0}};
  for (const auto& e : expected) {
    const int j = static_cast<int>((5 + e.speed * time) / 10 * k.n());
    EXPECT_NEAR(k.density.row(100)[j], e.density, 0.005 * e.density) << e.speed;
    EXPECT_NEAR(k.u.row(100)[j], e.velocity, 0.01) << e.speed;
  }
  for (int row = 0; row < k.n(); ++row) {
    for (int j = 0; j < k.n(); ++j) {
      ASSERT_NEAR(k.density.row(row)[j], k.density.row(0)[j], 1e-12) << row << ' ' << j;
      ASSERT_NEAR(k.v.row(row)[j], 0, 1e-12) << row << ' ' << j;
    }
  }
}

// How much of the wave is there, in parts of what there was.
double wave_part(const hydro& k) {
  double sum = 0;
  for (int j = 0; j < k.n(); ++j) {
    sum += k.density.row(0)[j] * std::cos(std::numbers::pi * (j + 0.5) / k.n());
  }
  return sum * 2 / k.n() / hydro::amplitude;
}

// Second order in time: by half a step of the old pressure sound would grow as fast as
// the viscosity damps it, which acts where gas is compressed, half of the time.
TEST(Hydro, SoundStandsAndDecaysByTheViscosity) {
  hydro k(64, 260, hydro::problem::wave);
  run(k);
  const double wave_number = std::numbers::pi / hydro::box;
  const double sound = std::sqrt(hydro::gamma);
  const double viscosity = hydro::linear_viscosity * sound * hydro::box / k.n() / 2;
  const double decay = std::exp(-viscosity * wave_number * wave_number / 2 * k.time());
  ASSERT_NEAR(k.time(), 2 * hydro::box / sound, 1);  // about a period
  EXPECT_NEAR(wave_part(k), std::cos(sound * wave_number * k.time()) * decay, 0.01);
}

// The blast comes back from all four walls.
TEST(Hydro, BlastStaysSymmetric) {
  hydro k(64, 150, hydro::problem::blast);
  run(k);
  const int last = k.n() - 1;
  EXPECT_NE(k.density.row(0)[last / 2], 1);
  double turned = 0;
  for (int row = 0; row <= last; ++row) {
    EXPECT_EQ(k.u.row(row)[0], 0);
    EXPECT_EQ(k.v.row(0)[row], 0);
    for (int j = 0; j <= last; ++j) {
      const double here = k.density.row(row)[j];
      EXPECT_NEAR(here, k.density.row(row)[last - j], 1e-10) << row << ' ' << j;
      EXPECT_NEAR(here, k.density.row(last - row)[j], 1e-10) << row << ' ' << j;
      EXPECT_NEAR(k.u.row(row)[j], -k.u.row(row)[last + 1 - j], 1e-10) << row << ' ' << j;
      turned = std::max(turned, std::abs(here - k.density.row(j)[row]));
    }
  }
  // One direction comes before the other, in turn.
  EXPECT_LT(turned, 0.01);
}

// No equation knows a length: a quarter of the blast between walls is what the whole is
// without them, if its cells are twice as wide.
TEST(Hydro, WallsAreMirrors) {
  hydro whole(64, 150, hydro::problem::blast);
  hydro quarter(32, 150, hydro::problem::quarter_blast);
  run(whole);
  run(quarter);
  EXPECT_NEAR(quarter.time(), 2 * whole.time(), 1e-10);
  for (int row = 0; row < quarter.n(); ++row) {
    for (int j = 0; j < quarter.n(); ++j) {
      const auto expect_same = [&](const field& of_quarter, const field& of_whole) {
        EXPECT_NEAR(of_quarter.row(row)[j], of_whole.row(row + 32)[j + 32], 1e-10)
            << row << ' ' << j;
      };
      expect_same(quarter.density, whole.density);
      expect_same(quarter.energy, whole.energy);
      expect_same(quarter.u, whole.u);
      expect_same(quarter.v, whole.v);
    }
  }
}

}  // namespace
}  // namespace doall::bench
