#include "sim/exactly_once.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace doall::sim {
namespace {

using base::u128;

// A chunk among the iterations with its remainder.
struct interval {
  u64 remainder = 0;
  u64 first = 0;
  u64 end = 0;

  bool operator<(const interval& other) const {
    return remainder != other.remainder ? remainder < other.remainder : first < other.first;
  }
};

[[noreturn]] void fail(u64 iteration, const std::string& what) {
  throw std::logic_error("iteration " + std::to_string(iteration) + " " + what);
}

// Of the chunks with more than one iteration; 1 if there are none.
u64 common_step(std::span<const dealt_chunk> chunks) {
  u64 step = 0;
  for (const dealt_chunk& d : chunks) {
    if (d.what.size() < 2) continue;
    if (step != 0 && step != d.what.step) {
      fail(d.what.begin, "is in a chunk of another step than others");
    }
    step = d.what.step;
  }
  return std::max<u64>(step, 1);
}

}  // namespace

void expect_exactly_once(std::span<const dealt_chunk> chunks, u64 iterations) {
  const u64 step = common_step(chunks);
  std::vector<interval> all;
  all.reserve(chunks.size());
  u64 dealt = 0;
  for (const dealt_chunk& d : chunks) {
    const u64 size = d.what.size();
    if (d.what.end > iterations) fail(d.what.end - 1, "was dealt, beyond the loop's end");
    const u64 first = step == 1 ? d.what.begin : d.what.begin / step;
    all.push_back({step == 1 ? 0 : d.what.begin % step, first, first + size});
    dealt += size;
  }
  if (!std::ranges::is_sorted(all, std::less<>())) std::ranges::sort(all, std::less<>());
  for (std::size_t k = 1; k < all.size(); ++k) {
    const interval& before = all[k - 1];
    if (before.remainder == all[k].remainder && all[k].first < before.end) {
      fail(all[k].first * step + all[k].remainder, "was dealt twice");
    }
  }
  if (dealt == iterations) return;
  throw std::logic_error(std::to_string(iterations - dealt) + " of " + std::to_string(iterations) +
                         " iterations were not dealt");
}

// Sums of i and of i squared below n are n (n - 1) / 2 and n (n - 1) (2 n - 1) / 6: exact in 128
// bits, of which the lower half is kept, if the divisions are made before the last product.
void iteration_sums::sums::add(u64 begin, u64 end) {
  const auto below = [](u64 n) {
    if (n == 0) return sums{};
    const u128 pairs = u128{n} * (n - 1) / 2;
    const u64 odd = 2 * n - 1;  // modulo 2^64
    // pairs * odd / 3, where 3 divides pairs or odd.
    const u128 wide_odd = 2 * u128{n} - 1;
    const u64 squares = pairs % 3 == 0 ? static_cast<u64>(pairs / 3) * odd
                                       : static_cast<u64>(pairs) * static_cast<u64>(wide_odd / 3);
    return sums{n, static_cast<u64>(pairs), squares};
  };
  const sums to = below(end);
  const sums from = below(begin);
  count += to.count - from.count;
  first += to.first - from.first;
  second += to.second - from.second;
}

void iteration_sums::expect_exactly_once() const {
  if (dealt_ == expected_) return;
  throw std::logic_error(std::to_string(dealt_.count) + " iterations of a loop were dealt, of " +
                         std::to_string(expected_.count) + ", or others than its own");
}

}  // namespace doall::sim
