// Heavy data accesses without computation: each iteration walks through an array of its own.
//
// hybrid, section V, `balanced` and `unbalanced`:
//   DO SEQUENTIAL phase
//     DO PARALLEL i = 1,N
//       walks through array i in strides of 13 elements, modulo its length
// which defeats the prefetcher. Arrays do not overlap, and none shares a cache line.
//
// Imbalance: none, or large. Affinity: yes, array i is iteration i's, phase after phase.
//
// Balanced: all arrays have the same length. Unbalanced: array i has a length in proportion to
// i + 1. The paper leaves its "variable amounts" open; random ones would add up to nearly the
// same in each block of N/P iterations. Growing ones make `static` take 2 - 1/P times as long as
// what is balanced: its last worker has the part (2P - 1)/P^2 of all.
//
// Working sets, as the paper has them of a cache of 16 MB a socket (< 12 MB, < 16 MB, 266 MB on
// four): half of this machine's last-level caches, all of them, and four times as much, but at
// most an eighth of its memory. The unbalanced arrays together are as large as the balanced.
//
// The paper leaves N and the number of phases open too. 4,096 iterations are 128 for each of its
// 32 cores; 10 phases make one in ten a cold one.
//
// A walk reads and writes each element once, as no length is a multiple of 13. Whole numbers:
// what it has read adds up to the same, whoever ran what.
#pragma once

#include <cstddef>

#include "base/cache_line.hpp"
#include "kernels/kernel.hpp"

namespace doall::bench {

enum class balance { balanced, unbalanced };
enum class working_set { half_of_cache, all_of_cache, beyond_cache };

// In bytes, on this machine.
std::size_t bytes_of(working_set w);

class strided final : public kernel {
 public:
  // Of that working set; of a hundred iterations and some kilobytes when it is small.
  strided(size s, balance b, working_set w);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(sums_)); }
  std::vector<std::size_t> loop_lengths() const override { return {iterations()}; }

  int phases() const { return phases_; }
  std::size_t iterations() const { return sums_.size(); }
  // Goes through array i once.
  void walk(std::size_t i);

  std::size_t length(std::size_t i) const { return (begins_[i + 1] - begins_[i]) * line_elements; }
  std::size_t bytes() const { return lines_.size() * sizeof(line); }
  std::uint64_t sum(std::size_t i) const { return sums_[i]; }

  // What is equal for all runtimes: how many iterations are dealt at once.
  std::size_t chunk(std::size_t workers) const;

 private:
  static constexpr std::size_t line_elements = base::line_bytes / sizeof(std::uint64_t);
  struct alignas(base::line_bytes) line {
    std::uint64_t elements[line_elements] = {};
  };

  strided(std::size_t iterations, int phases, balance b, std::size_t bytes);
  std::span<std::uint64_t> array(std::size_t i);

  int phases_;
  std::vector<std::size_t> begins_;  // of the arrays, in lines; and the last's end
  std::vector<line> lines_;
  std::vector<std::uint64_t> sums_;  // what walks have read, by iteration
};

// The microbenchmarks' loops, for every runtime.
template <class Loops>
void run(strided& k, const Loops& loops) {
  for (int phase = 0; phase < k.phases(); ++phase) {
    loops.each(k.iterations(), [&](std::size_t i) { k.walk(i); });
  }
}

// How large this machine's caches are.

// All last-level caches together, in bytes, as Linux or the C library tells; 16 MB, as one
// of hybrid's machine has, when neither does. Of the whole machine: a lane's own threads may be
// pinned, and all lanes must come to the same.
std::size_t last_level_cache_bytes();

}  // namespace doall::bench
