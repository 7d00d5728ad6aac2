// A matrix whose rows begin at cache lines: workers on neighbouring rows share none.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "base/cache_line.hpp"

namespace doall::bench {

template <class T>
class rows {
 public:
  rows(std::size_t count, std::size_t length)
      : lines_a_row_((length + per_line - 1) / per_line), lines_(count * lines_a_row_) {}

  T* operator[](std::size_t row) { return lines_[row * lines_a_row_].values.data(); }
  const T* operator[](std::size_t row) const { return lines_[row * lines_a_row_].values.data(); }

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(lines_)); }

 private:
  static constexpr std::size_t per_line = base::line_bytes / sizeof(T);
  struct alignas(base::line_bytes) line {
    std::array<T, per_line> values{};
  };

  std::size_t lines_a_row_;
  std::vector<line> lines_;
};

}  // namespace doall::bench
