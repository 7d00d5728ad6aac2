#include "kernels/packing.hpp"

#include <algorithm>
#include <utility>

namespace doall::bench {
namespace {

// Ligra's.
constexpr std::size_t block_length = 1024;

std::size_t blocks_of(std::size_t length) { return (length + block_length - 1) / block_length; }

template <class T>
std::span<T> block_of(std::span<T> all, std::size_t block) {
  const std::size_t begin = block * block_length;
  return all.subspan(begin, std::min(block_length, all.size() - begin));
}

// In place, each becomes the sum of those before it; returns the sum of all.
std::uint32_t exclusive_sums(std::span<std::uint32_t> values, std::uint32_t sum = 0) {
  for (std::uint32_t& v : values) sum += std::exchange(v, sum);
  return sum;
}

}  // namespace

std::size_t prefix_sums::blocks() const { return blocks_of(values_.size()); }

void prefix_sums::sum_block(std::size_t block) {
  std::uint32_t sum = 0;
  for (const std::uint32_t v : block_of(values_, block)) sum += v;
  sums_[block] = sum;
}

std::uint32_t prefix_sums::join() { return exclusive_sums(sums_); }

void prefix_sums::place_block(std::size_t block) {
  exclusive_sums(block_of(values_, block), sums_[block]);
}

std::size_t packing::blocks() const { return blocks_of(values_.size()); }

void packing::count_block(std::size_t block) {
  const auto values = block_of(values_, block);
  counts_[block] = static_cast<std::uint32_t>(
      std::ranges::count_if(values, [](vertex v) { return v != no_vertex; }));
}

std::uint32_t packing::join() { return exclusive_sums(counts_); }

void packing::write_block(std::size_t block) {
  vertex* to = out_ + counts_[block];
  for (const vertex v : block_of(values_, block)) {
    if (v != no_vertex) *to++ = v;
  }
}

}  // namespace doall::bench
