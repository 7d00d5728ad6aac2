#include "kernels/quicksort.hpp"

#include <algorithm>
#include <bit>

#include "base/rng.hpp"

namespace doall::bench {

quicksort::quicksort(std::size_t n, std::uint64_t seed) : input_(n), values_(n), buffer_(n) {
  base::rng random(seed);
  for (std::int32_t& v : input_) v = static_cast<std::int32_t>(random.next());
}

std::size_t quicksort::partition(const part& p) {
  const std::span<std::int32_t> values = std::span(values_).subspan(p.first, p.size());
  put_pivot_first(values);
  const std::int32_t pivot = values.front();
  const auto others =
      std::partition(values.begin() + 1, values.end(), [pivot](auto v) { return v < pivot; });
  std::iter_swap(values.begin(), others - 1);
  return p.first + static_cast<std::size_t>(others - 1 - values.begin());
}

void quicksort::sort(const part& p) {
  if (p.size() < 2) return;
  const std::size_t pivot = partition(p);
  sort({p.first, pivot});
  sort({pivot + 1, p.last});
}

shared_partition quicksort::partition_together(const part& p) {
  return {std::span(values_).subspan(p.first, p.size()),
          std::span(buffer_).subspan(p.first, p.size())};
}

// Half of the comparisons come out other than the branch predictor thought.
std::uint64_t quicksort::partition_cycles(const part& p) { return 15 * p.size(); }

std::uint64_t quicksort::sort_cycles(const part& p) {
  return 20 * p.size() * static_cast<std::uint64_t>(std::bit_width(p.size()));
}

}  // namespace doall::bench
