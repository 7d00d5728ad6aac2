#include "kernels/spmv.hpp"

#include <algorithm>
#include <cmath>

#include "base/rng.hpp"

namespace doall::bench {
namespace {

// Rows' weights, at least 1 and beyond that by a power law, as running sums. Of all
// non-zeros a row gets the part that it has of all weights; no weight is so large that
// this could be more than there are columns.
std::vector<double> weight_sums(const spmv::shape& s, base::rng& random) {
  const double places = static_cast<double>(s.rows) * static_cast<double>(s.columns);
  const double most = places / static_cast<double>(s.nonzeros);
  std::vector<double> sums(s.rows + 1);
  for (std::size_t row = 0; row < s.rows; ++row) {
    const double uniform = std::ldexp(static_cast<double>((random.next() >> 11) + 1), -53);
    sums[row + 1] = sums[row] + std::min(most, 1 / std::sqrt(uniform));
  }
  return sums;
}

std::vector<std::uint64_t> offsets_of(const spmv::shape& s, base::rng& random) {
  const std::vector<double> sums = weight_sums(s, random);
  std::vector<std::uint64_t> offsets(s.rows + 1);
  for (std::size_t row = 1; row <= s.rows; ++row) {
    const double part = sums[row] / sums.back();
    const auto offset = static_cast<std::uint64_t>(part * static_cast<double>(s.nonzeros));
    // Rounded, a row could have a non-zero more than there are columns.
    const std::uint64_t room_after = (s.rows - row) * s.columns;
    const std::uint64_t least = s.nonzeros - std::min<std::uint64_t>(s.nonzeros, room_after);
    offsets[row] = std::clamp(offset, least, offsets[row - 1] + s.columns);
  }
  return offsets;
}

}  // namespace

spmv::spmv(shape s, std::uint64_t seed) : nonzeros_(s.nonzeros), x_(s.columns), y_(s.rows) {
  base::rng random(seed);
  const auto entry = [&] { return static_cast<std::int32_t>(random.below(201)) - 100; };
  offsets_ = offsets_of(s, random);
  for (std::size_t row = 0; row < s.rows; ++row) {
    // One column out of each of as many equal parts of them.
    const std::size_t length = row_length(row);
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t begin = i * s.columns / length;
      const std::size_t end = (i + 1) * s.columns / length;
      nonzeros_[offsets_[row] + i] = {static_cast<std::uint32_t>(begin + random.below(end - begin)),
                                      entry()};
    }
  }
  for (std::int32_t& of_x : x_) of_x = entry();
}

std::int32_t spmv::add_up(std::size_t row, std::size_t first, std::size_t last) const {
  const nonzero* of_row = nonzeros_.data() + offsets_[row];
  std::int32_t sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += of_row[i].value * x_[of_row[i].column];
  return sum;
}

}  // namespace doall::bench
