// Prefix sums and packing of arrays, block by block, as Ligra's sequences have them:
// two passes that are parallel loops over blocks, and between them the sums of the blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/graph.hpp"

namespace doall::bench {

// `values` become the sums of those before them.
class prefix_sums {
 public:
  explicit prefix_sums(std::span<std::uint32_t> values) : values_(values), sums_(blocks()) {}

  std::size_t blocks() const;

  void sum_block(std::size_t block);    // first pass
  std::uint32_t join();                 // between them; returns the sum of all
  void place_block(std::size_t block);  // second pass

 private:
  std::span<std::uint32_t> values_;
  std::vector<std::uint32_t> sums_;
};

// Those of `values` that are vertices, to `out`, in their order.
class packing {
 public:
  packing(std::span<const vertex> values, vertex* out)
      : values_(values), out_(out), counts_(blocks()) {}

  std::size_t blocks() const;

  void count_block(std::size_t block);  // first pass
  std::uint32_t join();                 // between them; returns how many there are
  void write_block(std::size_t block);  // second pass

 private:
  std::span<const vertex> values_;
  vertex* out_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace doall::bench
