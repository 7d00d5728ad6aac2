// Quicksort.
//
// LBS, section 1, Figure 2: a call puts what is less than a pivot before it and the others
// after it, then sorts both sides by a loop of two iterations, each a call. Section 5: "we
// call a serial quicksort when the subarray has less than 100 elements, and serial partition
// when [it] has less than T = 3 N / #Procs elements", as the shared partition
// (shared_partition.hpp) does almost three times the work. Table 2: 10K and 1M integers.
//
// With one worker, or two, all partitions are serial; and so they are, section 5 again, in
// programs that serialise nested loops.
//
// A threshold at which splitting stops, if all loops have the same, is 1 here: from 2 on,
// calls are no longer parallel. (The paper's 16 and 256 must be of its partition's loops.)
//
// Imbalance: large, the sides of a pivot. Affinity: none.
//
// The integers are random, of 32 bits, so few are equal: all equal ones lie on one side of
// a pivot, and N of them would take N^2 steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernel.hpp"
#include "lanes/serial.hpp"

namespace doall::bench {

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

  // For lanes/recorded.hpp: of a block. Three passes, 43 cycles an element where the serial
  // partition takes 15, as the paper has it of its processors, which predict nothing.
  static constexpr std::uint64_t count_cycles = 14 * block_elements;
  static constexpr std::uint64_t scatter_cycles = 15 * block_elements;
  static constexpr std::uint64_t restore_cycles = 14 * block_elements;

 private:
  std::span<std::int32_t> block_of(std::span<std::int32_t> all, std::size_t block) const;

  std::span<std::int32_t> values_;  // the pivot, and the blocks
  std::span<std::int32_t> buffer_;
  std::size_t pivot_ = 0;
  std::vector<std::size_t> less_;  // of each block; from place() on, of all before it
};

class quicksort final : public kernel {
 public:
  explicit quicksort(size s) : quicksort(s == size::paper ? 1'000'000 : 10'000) {}
  explicit quicksort(std::size_t n, std::uint64_t seed = 1);  // n: at least 1

  void reset() override { values_ = input_; }
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(values_)); }
  // Which calls there have been is told by no log: they are not a loop's iterations.
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  // Elements [first, last).
  struct part {
    std::size_t first;
    std::size_t last;

    std::size_t size() const { return last - first; }
    // What lies before an element (side 0) or after it (side 1).
    part beside(std::size_t element, std::size_t side) const {
      return side == 0 ? part{first, element} : part{element + 1, last};
    }
  };
  part whole() const { return {0, values_.size()}; }

  static bool is_serial(const part& p) { return p.size() < 100; }
  bool has_shared_partition(const part& p, std::size_t workers) const {
    return p.size() * workers >= 3 * values_.size();
  }

  void sort(const part& p);

  // Tells where the pivot is now.
  std::size_t partition(const part& p);

  // To be done by its steps. Several can be in hand for parts that do not overlap.
  shared_partition partition_together(const part& p);

  std::span<const std::int32_t> input() const { return input_; }
  std::span<const std::int32_t> values() const { return values_; }

  // For lanes/recorded.hpp: of sort, and of partition.
  static std::uint64_t sort_cycles(const part& p);
  static std::uint64_t partition_cycles(const part& p);

 private:
  std::vector<std::int32_t> input_;
  std::vector<std::int32_t> values_;
  std::vector<std::int32_t> buffer_;
};

// Tells where the pivot is. The shared one's loops are inner ones, also those of the first call:
// loops that serialise these never come to them.
template <class Loops>
std::size_t partition_by(quicksort& k, const Loops& loops, const quicksort::part& p,
                         std::size_t workers) {
  if (!k.has_shared_partition(p, workers)) {
    charge(loops, [&] { return k.partition_cycles(p); });
    return k.partition(p);
  }
  shared_partition shared = k.partition_together(p);
  loops.inner(shared.blocks(), [&](std::size_t block) {
    charge(loops, [&] { return shared.count_cycles; });
    shared.count(block);
  });
  shared.place();
  loops.inner(shared.blocks(), [&](std::size_t block) {
    charge(loops, [&] { return shared.scatter_cycles; });
    shared.scatter(block);
  });
  loops.inner(shared.blocks(), [&](std::size_t block) {
    charge(loops, [&] { return shared.restore_cycles; });
    shared.restore(block);
  });
  return p.first + shared.pivot();
}

// The paper's Figure 2, of a call that is an iteration of another's loop.
template <class Loops>
void sort_by(quicksort& k, const Loops& loops, const quicksort::part& p, std::size_t workers) {
  if (k.is_serial(p)) {
    charge(loops, [&] { return k.sort_cycles(p); });
    return k.sort(p);
  }
  const std::size_t pivot = partition_by(k, loops, p, workers);
  loops.inner(2, [&](std::size_t side) { sort_by(k, loops, p.beside(pivot, side), workers); });
}

// `workers`: as many as can come to an inner loop.
template <class Loops>
void run(quicksort& k, const Loops& loops, std::size_t workers) {
  const quicksort::part all = k.whole();
  const std::size_t pivot = partition_by(k, loops, all, workers);
  loops.outer(2, [&](std::size_t side) { sort_by(k, loops, all.beside(pivot, side), workers); });
}

template <class Loops>
void run(quicksort& k, const Loops& loops) {
  run(k, loops, loops.workers());
}

}  // namespace doall::bench
