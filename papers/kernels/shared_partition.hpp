// Quicksort's partition, by several workers.
//
// LBS, section 5, has one that "performs almost three times more work than the serial
// version", and does not show it. Here: three loops over blocks of neighbouring elements,
//   count   how many of the block are less than the pivot
//   (place  serially: where those of each block go, the counts' prefix sums)
//   scatter the block's elements to their places in a buffer
//   restore a block of the buffer to the array
//
// In time that is some 1.25 of the serial one, by one thread: comparisons that a processor
// predicts wrongly outweigh the moves, and either has the same number of them.
//
// The pivot waits at the front, outside of all blocks. A loop's iterations write to
// different places: a block's own count, its own places, itself. The elements keep their
// order on either side, so the outcome does not depend on who runs what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace doall::bench {

// Swaps the median of the first, the middle and the last element to the front, the pivot of
// any partition. At least one element.
void put_pivot_first(std::span<std::int32_t> values);

class shared_partition {
  static constexpr std::size_t block_elements = 1024;

 public:
  // As long as each other, at least one element.
  shared_partition(std::span<std::int32_t> values, std::span<std::int32_t> buffer);

  std::size_t blocks() const { return less_.size(); }

  void count(std::size_t block);
  void place();  // when all are counted; the pivot too
  void scatter(std::size_t block);
  void restore(std::size_t block);  // when all are scattered

  // From the first element, once it is placed.
  std::size_t pivot() const { return pivot_; }

  // For lanes/recorded.hpp: of a block.
  static constexpr std::uint64_t count_cycles = 2 * block_elements;
  static constexpr std::uint64_t scatter_cycles = 15 * block_elements;
  static constexpr std::uint64_t restore_cycles = 1 * block_elements;

 private:
  std::span<std::int32_t> block_of(std::span<std::int32_t> all, std::size_t block) const;

  std::span<std::int32_t> values_;  // the pivot, and the blocks
  std::span<std::int32_t> buffer_;
  std::size_t pivot_ = 0;
  std::vector<std::size_t> less_;  // of each block; from place() on, of all before it
};

}  // namespace doall::bench
