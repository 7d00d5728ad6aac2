#include "kernels/nas_is.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "kernels/kernel.hpp"
#include "kernels/nas.hpp"

namespace doall::bench {
namespace {

// As residence counts them. Both loops over blocks are one: they read the same keys.
enum loop : std::size_t { over_blocks, over_lines, over_buckets };

constexpr std::size_t tests = 5;
constexpr std::size_t block_keys_min = 1024;
constexpr std::size_t blocks_max = 256;

}  // namespace

// NPB 3.4: in iteration t the key at `index` has the rank `rank` + t - `from` if its rank
// rises, as small keys' do, otherwise `rank` - (t - `from`).
struct nas_is::test {
  enum class direction { rises, falls };

  std::size_t index;
  std::int64_t rank;
  direction moves;
  std::int64_t from;

  std::int64_t rank_in(std::uint32_t iteration) const {
    const std::int64_t moved = std::int64_t{iteration} - from;
    return moves == direction::rises ? rank + moved : rank - moved;
  }
};

struct nas_is::shape {
  unsigned keys_log2;
  unsigned range_log2;
  std::array<test, tests> verified;
};

const nas_is::shape& nas_is::shape_of(nas_class c) {
  using enum test::direction;
  static constexpr shape all[] = {
      {16,
       11,
       {{{48'427, 0, rises, 0},
         {17'148, 18, rises, 0},
         {23'627, 346, rises, 0},
         {62'548, 64'917, falls, 0},
         {4'431, 65'463, falls, 0}}}},
      {20,
       16,
       {{{357'773, 1'249, rises, 2},
         {934'767, 11'698, rises, 2},
         {875'723, 1'039'987, falls, 0},
         {898'999, 1'043'896, falls, 0},
         {404'505, 1'048'018, falls, 0}}}},
      {23,
       19,
       {{{2'112'377, 104, rises, 1},
         {662'041, 17'523, rises, 1},
         {5'336'171, 123'928, rises, 1},
         {3'642'833, 8'288'932, falls, 1},
         {4'250'760, 8'388'264, falls, 1}}}},
  };
  return all[static_cast<std::size_t>(c)];
}

nas_is::nas_is(size s, nas_class c)
    : shape_(shape_of(s == size::paper ? c : nas_class::s)),
      keys_end_(std::size_t{1} << shape_.range_log2),
      bucket_keys_log2_(shape_.range_log2 - buckets_log2),
      input_(std::size_t{1} << shape_.keys_log2),
      keys_(input_.size()),
      in_buckets_(input_.size()),
      bucket_begins_(buckets() + 1),
      tested_(tests),
      results_(keys_end_ + 1) {
  blocks_ = std::min(blocks_max, input_.size() / block_keys_min);
  counts_.resize(blocks_ * buckets());
  nas_random random(nas_random::usual_seed);
  const double quarter = static_cast<double>(keys_end_ / 4);
  for (std::uint32_t& key : input_) {
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += random.next();
    key = static_cast<std::uint32_t>(quarter * sum);
  }
}

void nas_is::reset() {
  keys_ = input_;
  std::ranges::fill(results_, 0);
}

std::vector<std::size_t> nas_is::loop_lengths() const { return {blocks_, lines(), buckets()}; }

std::size_t nas_is::chunk(std::size_t workers) const { return chunk_of(blocks_, workers); }

std::span<const std::uint32_t> nas_is::keys_of(std::size_t block) const {
  const std::size_t count = keys_.size() / blocks_;
  return std::span(keys_).subspan(block * count, count);
}

void nas_is::begin(std::uint32_t iteration) {
  keys_[iteration] = iteration;
  keys_[iteration + iterations] = static_cast<std::uint32_t>(keys_end_) - iteration;
  for (std::size_t i = 0; i < tests; ++i) tested_[i] = keys_[shape_.verified[i].index];
}

void nas_is::count_block(std::size_t block) {
  note(over_blocks, block);
  std::uint32_t* counts = counts_of(block);
  std::fill_n(counts, buckets(), 0);
  for (const std::uint32_t key : keys_of(block)) ++counts[bucket_of(key)];
}

// A count becomes the number of keys of the same bucket in the blocks before; the bucket's
// sum waits where place_buckets() wants it.
void nas_is::place_line(std::size_t line) {
  note(over_lines, line);
  std::array<std::uint32_t, buckets_a_line> sums{};
  for (std::size_t block = 0; block < blocks_; ++block) {
    std::uint32_t* counts = counts_of(block) + line * buckets_a_line;
    for (std::size_t i = 0; i < buckets_a_line; ++i) {
      const std::uint32_t before = sums[i];
      sums[i] += counts[i];
      counts[i] = before;
    }
  }
  std::ranges::copy(sums, &bucket_begins_[1 + line * buckets_a_line]);
}

void nas_is::place_buckets() {
  std::partial_sum(bucket_begins_.begin(), bucket_begins_.end(), bucket_begins_.begin());
}

void nas_is::scatter_block(std::size_t block) {
  note(over_blocks, block);
  std::uint32_t* counts = counts_of(block);
  for (std::size_t i = 0; i < buckets(); ++i) counts[i] += bucket_begins_[i];
  for (const std::uint32_t key : keys_of(block)) in_buckets_[counts[bucket_of(key)]++] = key;
}

void nas_is::rank_bucket(std::size_t bucket) {
  note(over_buckets, bucket);
  const std::uint32_t begin = bucket_begins_[bucket];
  const std::uint32_t end = bucket_begins_[bucket + 1];
  const std::size_t keys = std::size_t{1} << bucket_keys_log2_;
  std::uint32_t* ranks = &results_[bucket * keys];
  std::fill_n(ranks, keys, 0);
  const auto first_key = static_cast<std::uint32_t>(bucket * keys);
  for (std::uint32_t i = begin; i < end; ++i) ++ranks[in_buckets_[i] - first_key];
  std::exclusive_scan(ranks, ranks + keys, ranks, begin);
}

void nas_is::verify_some(std::uint32_t iteration) {
  for (std::size_t i = 0; i < tests; ++i) {
    const std::int64_t rank = ranks()[tested_[i]];
    if (rank == shape_.verified[i].rank_in(iteration)) ++passed();
  }
}

bool nas_is::verified() const {
  if (passed() != iterations * tests) return false;
  std::vector<std::uint32_t> next(ranks().begin(), ranks().end());
  std::vector<std::uint32_t> sorted(keys_.size(), static_cast<std::uint32_t>(keys_end_));
  for (const std::uint32_t key : keys_) {
    const std::uint32_t place = next[key]++;
    if (place >= sorted.size()) return false;
    sorted[place] = key;
  }
  // Each key has taken a place of its own, else one still has what is above all keys.
  return std::ranges::is_sorted(sorted) && sorted.back() < keys_end_;
}

}  // namespace doall::bench
