// NAS MG and FT are made of operators and transforms that do what their definitions say, and
// compute the same bits in any order. That they meet NAS's numbers, under every schedule, is
// unit_hybrid_kernels's to check: these numbers are of all points, or of a thousand, and tell
// no place.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "kernel_runs.hpp"
#include "kernels/kernel.hpp"
#include "kernels/nas.hpp"
#include "kernels/nas_ft.hpp"
#include "kernels/nas_mg.hpp"
#include "support/seeds.hpp"

namespace doall::bench {
namespace {

struct backward_loops {
  template <class Body>
  void each(std::size_t count, const Body& body) const {
    while (count-- > 0) body(count);
  }
  template <class Body>
  auto sum(std::size_t count, const Body& body) const {
    decltype(body(count)) all{};
    while (count-- > 0) all += body(count);
    return all;
  }
};

template <class Kernel>
void expect_same_bits_in_any_order() {
  Kernel k(size::small, nas_class::s);
  k.reset();
  const auto input = answer_of(k);
  EXPECT_NE(serial_answer(k), input);
  k.reset();
  EXPECT_EQ(answer_of(k), input);
  expect_serial_bits(k, [&k] { run(k, backward_loops{}); });
}

TEST(NasGrids, OrderDoesNotMatter) {
  expect_same_bits_in_any_order<nas_mg>();
  expect_same_bits_in_any_order<nas_ft>();
}

using field = nas_mg::field;

void fill(cube& c, const auto& value) {
  for (std::size_t z = 0; z < c.n() + cube::ends; ++z) {
    for (std::size_t y = 0; y < c.n() + cube::ends; ++y) {
      for (std::size_t x = 0; x < c.n() + cube::ends; ++x) c.line(z, y)[x] = value(x, y, z);
    }
  }
}

// At points 1 to n; or, with the ends, 0 to n + 1.
enum class part { inside, all };

void expect_values(const cube& c, part which, const auto& value) {
  const std::size_t first = which == part::inside ? 1 : 0;
  const std::size_t last = c.n() + 1 - first;
  for (std::size_t z = first; z <= last; ++z) {
    for (std::size_t y = first; y <= last; ++y) {
      for (std::size_t x = first; x <= last; ++x) {
        ASSERT_NEAR(c.line(z, y)[x], value(x, y, z), 1e-10) << x << ' ' << y << ' ' << z;
      }
    }
  }
}

// A function that operators are compared on; the Laplacian of its squares is 12.
double curved(std::size_t x, std::size_t y, std::size_t z) {
  return static_cast<double>(x * x + 2 * y * y + 3 * z * z + 5 * x + 7 * y + 11 * z);
}

// A grid of 16^3 of class S, below the finest.
constexpr std::size_t coarser = 3;

class NasMg : public testing::Test {
 protected:
  NasMg() { k.reset(); }

  nas_mg k{size::small, nas_class::s};
};

TEST_F(NasMg, OperatorIsTheLaplacian) {
  fill(k.at(field::solution, coarser), curved);
  fill(k.at(field::residual, coarser), curved);
  for (std::size_t i = 0; i < k.points(coarser); ++i) k.compute_residual(coarser, i);
  expect_values(k.at(field::residual, coarser), part::inside,
                [](auto... at) { return curved(at...) - 12; });
}

// By an axis's squares: 2/32 of faces, 8/64 of edges.
TEST_F(NasMg, SmootherIsTheReports) {
  fill(k.at(field::residual, coarser), curved);
  fill(k.at(field::solution, coarser), curved);
  for (std::size_t i = 0; i < k.points(coarser); ++i) k.smooth(coarser, i);
  expect_values(k.at(field::solution, coarser), part::inside, [](auto... at) {
    return curved(at...) - 3.0 / 8 * curved(at...) + (2.0 / 32 - 8.0 / 64) * 6;
  });
}

// Likewise: 2/4 of faces, 8/8 of edges, 8/16 of corners.
TEST_F(NasMg, RestrictionIsTheReports) {
  fill(k.at(field::residual, coarser + 1), curved);
  for (std::size_t i = 0; i < k.points(coarser); ++i) k.restrict_residual(coarser, i);
  expect_values(k.at(field::residual, coarser), part::inside, [](auto x, auto y, auto z) {
    return 4 * curved(2 * x, 2 * y, 2 * z) + (2.0 / 4 + 8.0 / 8 + 8.0 / 16) * 6;
  });
}

TEST_F(NasMg, InterpolationKeepsWhatIsLinear) {
  const auto linear = [](auto x, auto y, auto z) {
    return static_cast<double>(x) + 2 * static_cast<double>(y) + 3 * static_cast<double>(z);
  };
  fill(k.at(field::solution, coarser), linear);
  fill(k.at(field::solution, coarser + 1), curved);
  for (std::size_t i = 0; i < k.points(coarser + 1) + cube::ends; ++i) {
    k.interpolate(coarser + 1, i);
  }
  expect_values(k.at(field::solution, coarser + 1), part::all,
                [&](auto... at) { return curved(at...) + linear(at...) / 2; });
}

TEST_F(NasMg, ClearsTheEndsToo) {
  fill(k.at(field::solution, coarser), curved);
  for (std::size_t i = 0; i < k.points(coarser) + cube::ends; ++i) k.clear_solution(coarser, i);
  expect_values(k.at(field::solution, coarser), part::all, [](auto...) { return 0; });
}

TEST_F(NasMg, CubeIsPeriodic) {
  const std::size_t n = k.points(coarser);
  for (const field f : {field::solution, field::residual}) {
    cube& c = k.at(f, coarser);
    const auto inside = [n](std::size_t x) { return x == 0 ? n : x == n + 1 ? 1 : x; };
    const auto is_inside = [&](auto... at) { return ((inside(at) == at) && ...); };
    fill(c, [&](auto... at) { return is_inside(at...) ? curved(at...) : 0; });
    for (std::size_t i = 0; i < n; ++i) k.wrap_rows(f, coarser, i);
    for (std::size_t i = 0; i < n + cube::ends; ++i) k.wrap_planes(f, coarser, i);
    expect_values(c, part::all, [&](auto... at) { return curved(inside(at)...); });
  }
}

// Of u = 0 the residual is v.
TEST_F(NasMg, HasTenChargesOfASign) {
  int charges[3] = {};
  double squares = 0;
  for (std::size_t i = 0; i < k.points(k.top()); ++i) {
    k.compute_residual(k.top(), i);
    squares += k.square_plane(i);
  }
  expect_values(k.at(field::residual, k.top()), part::inside, [&](auto x, auto y, auto z) {
    const double v = k.at(field::residual, k.top()).line(z, y)[x];
    ++charges[static_cast<int>(v) + 1];
    return std::trunc(v);
  });
  EXPECT_EQ(charges[0], 10);
  EXPECT_EQ(charges[2], 10);
  EXPECT_EQ(squares, 20);
  k.take(squares);
  EXPECT_DOUBLE_EQ(k.norm(), std::sqrt(20.0 / (32 * 32 * 32)));
}

complex_number random_number(base::rng& random) {
  const auto part = [&] { return static_cast<double>(random.below(2001)) / 1000 - 1; };
  return {part(), part()};
}

complex_number wave(fourier::direction d, std::size_t n, std::size_t turns) {
  const double angle =
      2 * std::numbers::pi * static_cast<double>(turns % n) / static_cast<double>(n);
  return {std::cos(angle), (d == fourier::direction::forward ? -1 : 1) * std::sin(angle)};
}

TEST(Fourier, TransformsAsDefined) {
  tests::for_each_case(30, [](base::rng& random) {
    const fourier f(fourier::length_max >> random.below(2));
    const std::size_t n = std::size_t{2} << random.below(7);
    const fourier::direction d =
        random.below(2) == 0 ? fourier::direction::forward : fourier::direction::inverse;
    fourier::buffer from{};
    fourier::buffer other{};
    for (std::size_t i = 0; i < n * fourier::lines; ++i) from.points[i] = random_number(random);
    const fourier::buffer input = from;
    const fourier::buffer& result = f.transform(d, n, from, other);
    const std::size_t line = random.below(fourier::lines);
    for (std::size_t k = 0; k < n; ++k) {
      complex_number sum{};
      for (std::size_t j = 0; j < n; ++j) {
        sum += wave(d, n, j * k) * input.points[j * fourier::lines + line];
      }
      EXPECT_NEAR(result.points[k * fourier::lines + line].re, sum.re, 1e-12) << n << ' ' << k;
      EXPECT_NEAR(result.points[k * fourier::lines + line].im, sum.im, 1e-12) << n << ' ' << k;
    }
  });
}

// How much of wave k there is in value(x, y, z), called point by point along x, then y, z.
complex_number wave_in(const extents& n, const extents& k, const auto& value) {
  complex_number sum{};
  for (std::size_t z = 0; z < n[along_z]; ++z) {
    for (std::size_t y = 0; y < n[along_y]; ++y) {
      const complex_number of_line = wave(fourier::direction::forward, n[along_z], z * k[along_z]) *
                                     wave(fourier::direction::forward, n[along_y], y * k[along_y]);
      for (std::size_t x = 0; x < n[along_x]; ++x) {
        sum += of_line * wave(fourier::direction::forward, n[along_x], x * k[along_x]) *
               value(x, y, z);
      }
    }
  }
  return sum;
}

double squared_number(std::size_t n, std::size_t k) {
  const double number = static_cast<double>(k) - (k < n / 2 ? 0 : static_cast<double>(n));
  return number * number;
}

// Each wave of the input is in the answer, as much smaller as the equation says. Class W's
// axes differ.
TEST(NasFt, WavesDecayAsTheEquationSays) {
  nas_ft ft(size::paper, nas_class::w);
  ft.reset();
  run_serial(ft);
  const extents& n = ft.points();
  tests::for_each_case(5, [&](base::rng& random) {
    const extents k = {random.below(n[along_x]), random.below(n[along_y]),
                       random.below(n[along_z])};
    nas_random numbers(nas_random::usual_seed);
    const complex_number before = wave_in(n, k, [&](auto...) {
      const double re = numbers.next();
      return complex_number{re, numbers.next()};
    });
    const complex_number after = wave_in(n, k, [&](std::size_t x, std::size_t y, std::size_t z) {
      return ft.field().line(z, y)[x];
    });
    double squares = 0;
    for (const line_axis a : {along_x, along_y, along_z}) squares += squared_number(n[a], k[a]);
    const double decay =
        std::exp(-4 * std::numbers::pi * std::numbers::pi * 1e-6 * squares * nas_ft::steps);
    const auto points = static_cast<double>(n[along_x] * n[along_y] * n[along_z]);
    EXPECT_NEAR(after.re / points, decay * before.re, 1e-8);
    EXPECT_NEAR(after.im / points, decay * before.im, 1e-8);
  });
}

}  // namespace
}  // namespace doall::bench
