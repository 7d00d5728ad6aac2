#include "kernels/nas_ft.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "kernels/kernel.hpp"
#include "kernels/nas.hpp"

namespace doall::bench {

fourier::fourier(std::size_t longest) {
  for (std::size_t k = 0; k < longest / 2; ++k) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(longest);
    roots_.push_back({std::cos(angle), -std::sin(angle)});
  }
}

// Before a pass there are `done` transforms left, of n / done points each and interleaved
// point by point. A butterfly makes two of half as many points of each: the sums of its two
// halves lead to the even waves, their differences, turned, to the odd ones.
const fourier::buffer& fourier::transform(direction d, std::size_t n, buffer& from,
                                          buffer& other) const {
  const double sign = d == direction::forward ? 1 : -1;
  const std::size_t root_step = 2 * roots_.size() / n;
  buffer* source = &from;
  buffer* target = &other;
  for (std::size_t done = 1; done < n; done *= 2) {
    const std::size_t half = n / done / 2;
    const std::size_t width = done * lines;
    for (std::size_t k = 0; k < half; ++k) {
      const complex_number root = roots_[k * done * root_step];
      const complex_number turn = {root.re, sign * root.im};
      const complex_number* first = source->points + k * width;
      const complex_number* second = first + half * width;
      complex_number* sums = target->points + 2 * k * width;
      complex_number* differences = sums + width;
      for (std::size_t i = 0; i < width; ++i) {
        const complex_number a = first[i];
        const complex_number b = second[i];
        sums[i] = a + b;
        differences[i] = turn * (a - b);
      }
    }
    std::swap(source, target);
  }
  return *source;
}

namespace {

// Loops by number, as residence counts them. The transforms' have one for every axis.
enum loop : std::size_t { fill, evolve, sum, forward, inverse = forward + 3, loops = inverse + 3 };

constexpr double alpha = 1e-6;
constexpr double tolerance = 1e-12;

// What the checksums are to be, by NPB 3.4.
struct problem {
  extents n;
  std::array<complex_number, nas_ft::steps> checksums;
};

const problem& problem_of(nas_class c) {
  static constexpr problem all[] = {
      {{64, 64, 64},
       {{{5.546087004964e2, 4.845363331978e2},
         {5.546385409189e2, 4.865304269511e2},
         {5.546148406171e2, 4.883910722336e2},
         {5.545423607415e2, 4.901273169046e2},
         {5.544255039624e2, 4.917475857993e2},
         {5.542683411902e2, 4.932597244941e2}}}},
      {{128, 128, 32},
       {{{5.673612178944e2, 5.293246849175e2},
         {5.631436885271e2, 5.282149986629e2},
         {5.594024089970e2, 5.270996558037e2},
         {5.560698047020e2, 5.260027904925e2},
         {5.530898991250e2, 5.249400845633e2},
         {5.504159734538e2, 5.239212247086e2}}}},
      {{256, 256, 128},
       {{{5.046735008193e2, 5.114047905510e2},
         {5.059412319734e2, 5.098809666433e2},
         {5.069376896287e2, 5.098144042213e2},
         {5.077892868474e2, 5.101336130759e2},
         {5.085233095391e2, 5.104914655194e2},
         {5.091487099959e2, 5.107917842803e2}}}},
  };
  return all[static_cast<std::size_t>(c)];
}

bool agree(complex_number found, complex_number expected) {
  return agrees(found.re, expected.re, tolerance) && agrees(found.im, expected.im, tolerance);
}

// Of the waves along an axis of n points in a step. The upper half are the negative ones.
std::vector<double> decays(std::size_t n) {
  std::vector<double> all;
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<double>(std::min(i, n - i));
    all.push_back(std::exp(-4 * std::numbers::pi * std::numbers::pi * alpha * k * k));
  }
  return all;
}

}  // namespace

nas_ft::nas_ft(size s, nas_class c)
    : class_(s == size::paper ? c : nas_class::s),
      fourier_(std::ranges::max(problem_of(class_).n)),
      waves_(problem_of(class_).n),
      field_(waves_) {
  for (const line_axis a : {along_x, along_y, along_z}) decay_[a] = decays(points()[a]);
}

// The program itself makes its input.
void nas_ft::reset() {
  for (std::size_t z = 0; z < points()[along_z]; ++z) {
    for (std::size_t y = 0; y < points()[along_y]; ++y) {
      std::fill_n(waves_.line(z, y), points()[along_x], complex_number{});
      std::fill_n(field_.line(z, y), points()[along_x], complex_number{});
    }
  }
  for (std::size_t step = 0; step < steps; ++step) take(step, {});
}

std::vector<std::size_t> nas_ft::loop_lengths() const {
  std::vector<std::size_t> lengths(loops, points()[along_z]);
  lengths[sum] = pieces();
  for (const std::size_t transform : {forward, inverse}) {
    for (const line_axis a : {along_x, along_y, along_z}) lengths[transform + a] = planes(a);
  }
  return lengths;
}

std::size_t nas_ft::planes(line_axis transformed) const {
  return points()[transformed == along_z ? along_y : along_z];
}

// Real and imaginary parts take turns; numbers lie along x, then y, then z.
void nas_ft::fill_plane(std::size_t i) {
  note(fill, i);
  nas_random random(nas_random::usual_seed);
  random.skip(2 * points()[along_x] * points()[along_y] * i);
  for (std::size_t y = 0; y < points()[along_y]; ++y) {
    complex_number* line = waves_.line(i, y);
    for (std::size_t x = 0; x < points()[along_x]; ++x) {
      line[x].re = random.next();
      line[x].im = random.next();
    }
  }
}

// The lines of a plane, some at a time, are copied side by side, transformed there and
// copied back.
void nas_ft::transform_plane(fourier::direction d, line_axis along, std::size_t i) {
  const std::size_t first_loop = d == fourier::direction::forward ? forward : inverse;
  note(first_loop + along, i);
  complex_grid& grid = d == fourier::direction::forward ? waves_ : field_;
  const line_axis across = along == along_x ? along_y : along_x;
  const std::ptrdiff_t to_next_point = grid.stride(along);
  const std::ptrdiff_t to_next_line = grid.stride(across);
  const std::size_t length = points()[along];
  complex_number* plane = along == along_z ? grid.line(0, i) : grid.line(i, 0);
  fourier::buffer from;
  fourier::buffer other;
  for (std::size_t first = 0; first < points()[across]; first += fourier::lines) {
    complex_number* corner = plane + static_cast<std::ptrdiff_t>(first) * to_next_line;
    const auto each_point = [&](const auto& copy) {
      for (std::size_t point = 0; point < length; ++point) {
        complex_number* in_grid = corner + static_cast<std::ptrdiff_t>(point) * to_next_point;
        const std::size_t in_buffer = point * fourier::lines;
        for (std::size_t line = 0; line < fourier::lines; ++line) {
          copy(in_grid[static_cast<std::ptrdiff_t>(line) * to_next_line], in_buffer + line);
        }
      }
    };
    each_point([&](const complex_number& value, std::size_t at) { from.points[at] = value; });
    const fourier::buffer& result = fourier_.transform(d, length, from, other);
    each_point([&](complex_number& value, std::size_t at) { value = result.points[at]; });
  }
}

void nas_ft::evolve_plane(std::size_t i) {
  note(evolve, i);
  for (std::size_t y = 0; y < points()[along_y]; ++y) {
    const double decay = decay_[along_z][i] * decay_[along_y][y];
    complex_number* waves = waves_.line(i, y);
    complex_number* field = field_.line(i, y);
    for (std::size_t x = 0; x < points()[along_x]; ++x) {
      waves[x] = decay * decay_[along_x][x] * waves[x];
      field[x] = waves[x];
    }
  }
}

complex_number nas_ft::sum_piece(std::size_t i) const {
  note(sum, i);
  const auto [nx, ny, nz] = points();
  complex_number all{};
  for (std::size_t j = i * piece_points + 1; j <= (i + 1) * piece_points; ++j) {
    all += field_.line(5 * j % nz, 3 * j % ny)[j % nx];
  }
  return all;
}

void nas_ft::take(std::size_t step, complex_number sum) {
  const auto [nx, ny, nz] = points();
  checksums_[step] = 1 / static_cast<double>(nx * ny * nz) * sum;
  const bool verified = std::ranges::equal(checksums_, problem_of(class_).checksums, agree);
  field_.kept_line()->re = verified ? 1 : 0;
}

std::size_t nas_ft::chunk(std::size_t workers) const {
  return chunk_of(points()[along_z], workers);
}

}  // namespace doall::bench
