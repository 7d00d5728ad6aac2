// A field on a staggered grid of n * n cells, with two more beyond each wall.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/rows.hpp"

namespace doall::bench {

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

}  // namespace doall::bench
