#include "kernels/quicksort.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "base/rng.hpp"

namespace doall::bench {

void put_pivot_first(std::span<std::int32_t> values) {
  std::int32_t& first = values.front();
  std::int32_t& middle = values[values.size() / 2];
  std::int32_t& last = values.back();
  if (middle < first) std::swap(first, middle);
  if (last < first) std::swap(first, last);
  std::swap(first, last < middle ? last : middle);  // the least is first: the lesser of the others
}

shared_partition::shared_partition(std::span<std::int32_t> values, std::span<std::int32_t> buffer)
    : values_(values),
      buffer_(buffer),
      less_((values.size() - 1 + block_elements - 1) / block_elements) {
  put_pivot_first(values_);
}

std::span<std::int32_t> shared_partition::block_of(std::span<std::int32_t> all,
                                                   std::size_t block) const {
  const std::size_t begin = 1 + block * block_elements;
  return all.subspan(begin, std::min(block_elements, all.size() - begin));
}

void shared_partition::count(std::size_t block) {
  const std::int32_t pivot = values_.front();
  const auto of_block = block_of(values_, block);
  less_[block] = static_cast<std::size_t>(
      std::ranges::count_if(of_block, [pivot](std::int32_t v) { return v < pivot; }));
}

void shared_partition::place() {
  pivot_ = std::reduce(less_.begin(), less_.end());
  std::exclusive_scan(less_.begin(), less_.end(), less_.begin(), std::size_t{0});
  buffer_[pivot_] = values_.front();
}

void shared_partition::scatter(std::size_t block) {
  const std::int32_t pivot = values_.front();
  std::size_t less = less_[block];
  // Of the elements before the block, those not less; they come after the pivot.
  std::size_t others = pivot_ + 1 + block * block_elements - less;
  for (const std::int32_t v : block_of(values_, block)) {
    buffer_[v < pivot ? less++ : others++] = v;
  }
}

void shared_partition::restore(std::size_t block) {
  if (block == 0) values_.front() = buffer_.front();
  std::ranges::copy(block_of(buffer_, block), block_of(values_, block).begin());
}

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
