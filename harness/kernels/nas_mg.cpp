#include "kernels/nas_mg.hpp"

#include <cmath>
#include <set>
#include <utility>

#include "kernels/kernel.hpp"
#include "kernels/nas.hpp"

namespace doall::bench {
namespace {

// Loops by number, as residence counts them; each has one for every grid.
enum loop : std::size_t {
  subtract,
  coarsen,
  clear,
  refine,
  relax,
  wrap_solution_rows,
  wrap_solution_planes,
  wrap_residual_rows,
  wrap_residual_planes,
  square,
  loops
};

bool reaches_beyond_ends(std::size_t loop) {
  return loop == clear || loop == refine || loop == wrap_solution_planes ||
         loop == wrap_residual_planes;
}

// The report's A, S (of classes up to A) and P.
constexpr weights poisson = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};
constexpr weights smoother = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};
constexpr weights restriction = {1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16};

constexpr std::size_t coarsest_points = 2;  // along an axis
constexpr std::size_t charges_of_a_sign = 10;
constexpr double tolerance = 1e-8;

// What the norm is to be, by NPB 3.4.
struct problem {
  std::size_t n, iterations;
  double norm;
};

const problem& problem_of(nas_class c) {
  static constexpr problem all[] = {
      {32, 4, 0.5307707005734e-4},
      {128, 4, 0.6467329375339e-5},
      {256, 4, 0.2433365309069e-5},
  };
  return all[static_cast<std::size_t>(c)];
}

}  // namespace

nas_mg::nas_mg(size s, nas_class c)
    : class_(s == size::paper ? c : nas_class::s), right_side_(problem_of(class_).n) {
  for (std::size_t n = coarsest_points; n <= right_side_.n(); n *= 2) levels_.emplace_back(n);
  place_charges();
}

// The generator's numbers lie along x, then y, then z.
void nas_mg::place_charges() {
  using placed = std::pair<double, std::size_t>;
  const auto keep_largest = [](std::set<placed>& kept, const placed& candidate) {
    if (kept.size() == charges_of_a_sign) {
      if (candidate < *kept.begin()) return;
      kept.erase(kept.begin());
    }
    kept.insert(candidate);
  };
  const std::size_t n = right_side_.n();
  std::set<placed> largest;
  std::set<placed> smallest;  // negated
  nas_random random(nas_random::usual_seed);
  for (std::size_t i = 0; i < n * n * n; ++i) {
    const double number = random.next();
    keep_largest(largest, {number, i});
    keep_largest(smallest, {-number, i});
  }
  const auto place = [&](const std::set<placed>& kept, double charge) {
    for (const auto& [number, i] : kept) {
      right_side_.line(i / (n * n) + 1, i / n % n + 1)[i % n + 1] = charge;
    }
  };
  place(largest, 1);
  place(smallest, -1);
}

std::size_t nas_mg::iterations() const { return problem_of(class_).iterations; }

void nas_mg::reset() {
  for (level& l : levels_) {
    for (std::size_t plane = 0; plane < l.solution.n() + cube::ends; ++plane) {
      l.solution.clear_plane(plane);
      l.residual.clear_plane(plane);
    }
  }
  take(0);
}

std::vector<std::size_t> nas_mg::loop_lengths() const {
  std::vector<std::size_t> lengths;
  for (std::size_t loop = 0; loop < loops; ++loop) {
    for (const level& l : levels_) {
      lengths.push_back(l.solution.n() + (reaches_beyond_ends(loop) ? cube::ends : 0));
    }
  }
  return lengths;
}

void nas_mg::compute_residual(std::size_t level, std::size_t i) {
  note_of(subtract, level, i);
  const cube& solution = levels_[level].solution;
  cube& residual = levels_[level].residual;
  const cube& right_side = level == top() ? right_side_ : residual;
  const std::size_t plane = i + 1;
  for (std::size_t row = 1; row <= solution.n(); ++row) {
    const around_line around(solution, plane, row);
    const double* from = right_side.line(plane, row);
    double* to = residual.line(plane, row);
    for (std::size_t x = 1; x <= solution.n(); ++x) to[x] = from[x] - around.apply<poisson>(x);
  }
}

// A coarse point lies where the fine one of twice its number does.
void nas_mg::restrict_residual(std::size_t level, std::size_t i) {
  note_of(coarsen, level, i);
  const cube& fine = levels_[level + 1].residual;
  cube& coarse = levels_[level].residual;
  const std::size_t plane = i + 1;
  for (std::size_t row = 1; row <= coarse.n(); ++row) {
    const around_line around(fine, 2 * plane, 2 * row);
    double* to = coarse.line(plane, row);
    for (std::size_t x = 1; x <= coarse.n(); ++x) to[x] = around.apply<restriction>(2 * x);
  }
}

void nas_mg::smooth(std::size_t level, std::size_t i) {
  note_of(relax, level, i);
  const cube& residual = levels_[level].residual;
  cube& solution = levels_[level].solution;
  const std::size_t plane = i + 1;
  for (std::size_t row = 1; row <= residual.n(); ++row) {
    const around_line around(residual, plane, row);
    double* to = solution.line(plane, row);
    for (std::size_t x = 1; x <= residual.n(); ++x) to[x] += around.apply<smoother>(x);
  }
}

double nas_mg::square_plane(std::size_t i) const {
  note_of(square, top(), i);
  const cube& residual = levels_.back().residual;
  double sum = 0;
  for (std::size_t row = 1; row <= residual.n(); ++row) {
    const double* line = residual.line(i + 1, row);
    for (std::size_t x = 1; x <= residual.n(); ++x) sum += line[x] * line[x];
  }
  return sum;
}

void nas_mg::clear_solution(std::size_t level, std::size_t i) {
  note_of(clear, level, i);
  levels_[level].solution.clear_plane(i);
}

// A fine point adds the mean of the eight coarse ones around it. Where it lies on one along
// an axis, that is on both of its sides.
void nas_mg::interpolate(std::size_t level, std::size_t i) {
  note_of(refine, level, i);
  const cube& coarse = levels_[level - 1].solution;
  cube& fine = levels_[level].solution;
  double sums[around_line::length_max];  // of four coarse lines
  for (std::size_t row = 0; row < fine.n() + cube::ends; ++row) {
    const double* below_left = coarse.line(i / 2, row / 2);
    const double* below_right = coarse.line(i / 2, (row + 1) / 2);
    const double* above_left = coarse.line((i + 1) / 2, row / 2);
    const double* above_right = coarse.line((i + 1) / 2, (row + 1) / 2);
    for (std::size_t x = 0; x < coarse.n() + cube::ends; ++x) {
      sums[x] = below_left[x] + below_right[x] + above_left[x] + above_right[x];
    }
    double* to = fine.line(i, row);
    for (std::size_t x = 0; x <= coarse.n(); ++x) {
      to[2 * x] += sums[x] / 4;
      to[2 * x + 1] += (sums[x] + sums[x + 1]) / 8;
    }
  }
}

void nas_mg::wrap_rows(field f, std::size_t level, std::size_t i) {
  note_of(f == field::solution ? wrap_solution_rows : wrap_residual_rows, level, i);
  at(f, level).wrap_rows(i + 1);
}

void nas_mg::wrap_planes(field f, std::size_t level, std::size_t i) {
  note_of(f == field::solution ? wrap_solution_planes : wrap_residual_planes, level, i);
  at(f, level).wrap_planes(i);
}

void nas_mg::take(double squares) {
  const auto n = static_cast<double>(points(top()));
  norm_ = std::sqrt(squares / (n * n * n));
  const bool verified = agrees(norm_, problem_of(class_).norm, tolerance);
  levels_.back().residual.kept_number() = verified ? 1 : 0;
}

std::size_t nas_mg::chunk(std::size_t workers) const { return chunk_of(points(top()), workers); }

}  // namespace doall::bench
