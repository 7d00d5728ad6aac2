#include "kernels/linear_regression.hpp"

#include <algorithm>

#include "base/rng.hpp"

namespace doall::bench {

five_sums& five_sums::operator+=(const five_sums& other) {
  x += other.x;
  y += other.y;
  xx += other.xx;
  yy += other.yy;
  xy += other.xy;
  return *this;
}

// Points around y = x/2 + 64.
linear_regression::linear_regression(size s, std::size_t bytes)
    : points_((s == size::paper ? bytes : bytes / 100) / sizeof(point)) {
  base::rng random(1);
  for (point& p : points_) {
    const std::uint64_t bits = random.next();
    p.x = static_cast<std::uint8_t>(bits);
    p.y = static_cast<std::uint8_t>(p.x / 2 + 32 + (bits >> 8) % 64);
  }
}

five_sums linear_regression::sum_piece(std::size_t piece) const {
  const std::size_t begin = piece * piece_points;
  const std::size_t end = std::min(begin + piece_points, points_.size());
  // 1,024 points of 255 * 255 at most fit, and 32 bits are added faster.
  std::uint32_t x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint32_t px = points_[i].x;
    const std::uint32_t py = points_[i].y;
    x += px;
    y += py;
    xx += px * px;
    yy += py * py;
    xy += px * py;
  }
  return {x, y, xx, yy, xy};
}

linear_regression::line linear_regression::fitted() const {
  const auto n = static_cast<double>(points_.size());
  const auto x = static_cast<double>(sums_.x);
  const auto y = static_cast<double>(sums_.y);
  const auto xx = static_cast<double>(sums_.xx);
  const auto xy = static_cast<double>(sums_.xy);
  const double slope = (n * xy - x * y) / (n * xx - x * x);
  return {slope, (y - slope * x) / n};
}

}  // namespace doall::bench
