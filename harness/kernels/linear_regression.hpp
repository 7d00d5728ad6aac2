// The line through many points: five sums over pairs of bytes.
//
// Fine-grain, section 5.3, takes it from Phoenix++ (Talbot, Yoo, Kozyrakis,
// MapReduce 2011), on its medium input, which is 100 MB:
//   for each point (x, y): SX += x, SY += y, SXX += x*x, SYY += y*y, SXY += x*y
// One loop, one reduction. At 100 MB on a few threads nothing is left of a
// scheduler's burden, so there is an input of 1 MB too.
//
// Imbalance: none. Affinity: none, the points are only read.
//
// Phoenix++ maps pieces of its file; here, too, an iteration is a piece of 1,024
// points, so that what it computes can be compiled once for all runtimes. Its file is
// text; here bytes are random. Sums are whole numbers: exact in any order.
#pragma once

#include "kernels/kernel.hpp"

namespace doall::bench {

struct five_sums {
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  std::uint64_t xx = 0;
  std::uint64_t yy = 0;
  std::uint64_t xy = 0;

  five_sums& operator+=(const five_sums& other);
  bool operator==(const five_sums&) const = default;
};

inline five_sums operator+(five_sums a, const five_sums& b) { return a += b; }

class linear_regression final : public kernel {
 public:
  static constexpr bool is_reduction = true;

  // Of that input, a hundredth when it is small.
  linear_regression(size s, std::size_t bytes);

  void reset() override { sums_ = {}; }
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(&sums_, 1)); }
  // What each iteration adds is told by the sums.
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  std::size_t pieces() const { return (points_.size() + piece_points - 1) / piece_points; }
  five_sums sum_piece(std::size_t piece) const;

  void take(const five_sums& sums) { sums_ = sums; }
  const five_sums& sums() const { return sums_; }

  // y = slope * x + intercept, of the sums.
  struct line {
    double slope;
    double intercept;
  };
  line fitted() const;

  struct point {
    std::uint8_t x;
    std::uint8_t y;
  };
  std::span<const point> points() const { return points_; }

 private:
  static constexpr std::size_t piece_points = 1024;

  std::vector<point> points_;
  five_sums sums_;
};

template <class Loops>
void run(linear_regression& k, const Loops& loops) {
  k.take(loops.sum(k.pieces(), [&](std::size_t piece) { return k.sum_piece(piece); }));
}

}  // namespace doall::bench
