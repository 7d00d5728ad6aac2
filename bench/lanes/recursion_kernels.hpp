// The programs of `doall bench recursion`: their inputs, and what a call does besides calling
// itself. How the calls are shared out stands in nests.hpp, once for all runtimes; bodies stand
// in kernels.cpp, compiled once and linked into every lane.
//
//   fib             fib(n) = fib(n - 1) + fib(n - 2): nothing but calls
//   queens          all ways to place 12 queens, a loop over the columns of each row, no cut-off
//   tree-search     counts the nodes of an unbalanced tree that hashes define (after UTS's
//                   binomial trees: Olivier et al., LCPC 2006): a node in eight has eight
//                   children; 4,073,521 nodes, 1,501 levels, some 20 ns a node
//   tree-search-bare  the same tree, of which a node is its hash alone: some 6 ns
//   quicksort       10^7 integers, serial from 32 elements down
//   mergesort       likewise, with a second array
//   tree-13ns, ...  loops of 4 inside loops of 4, with leaves of about that length
//   sparse-product  kernels/spmv, with rows whose lengths differ by a factor of 125
//
// Answers are counts, sums of integers and sorted arrays: the same bits in any order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/queens.hpp"

namespace doall::bench {

// A program whose answer is one number.
class counting_kernel : public kernel {
 public:
  void reset() override { count_ = 0; }
  std::span<const std::byte> answer() const override {
    return std::as_bytes(std::span(&count_, 1));
  }
  // How often what ran is told by the answer.
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  void set(std::uint64_t count) { count_ = count; }

 private:
  std::uint64_t count_ = 0;
};

class fib_numbers final : public counting_kernel {
 public:
  explicit fib_numbers(size s) : n(s == size::paper ? 30 : 18) {}

  const unsigned n;
};

class all_queens final : public counting_kernel {
 public:
  explicit all_queens(size s) : n(s == size::paper ? 12 : 8) {}

  const std::size_t n;
};

class tree_search final : public counting_kernel {
 public:
  tree_search(size s, unsigned more_steps)
      : root(s == size::paper ? 75 : 114),
        root_children(s == size::paper ? 2000 : 40),
        more_steps_(more_steps) {}

  static constexpr std::size_t children = 8;

  // The child's hash, and the steps that a node costs besides it.
  std::uint64_t child(std::uint64_t node, std::size_t index) const;
  // One node in a little more than eight: a tree of 1 node in the mean has 1,000.
  static bool has_children(std::uint64_t node) { return node < most_with_children; }

  const std::uint64_t root;
  const std::size_t root_children;

 private:
  unsigned more_steps_;
  static constexpr auto most_with_children = static_cast<std::uint64_t>(0.124875 * 0x1p64);
};

class leaf_tree final : public counting_kernel {
 public:
  leaf_tree(size s, unsigned paper_depth, unsigned leaf_units)
      : depth(s == size::paper ? paper_depth : 4), units(leaf_units) {}

  static constexpr std::size_t children = 4;

  std::uint64_t leaf(std::uint64_t place) const;

  const unsigned depth;
  const unsigned units;  // kernels/compute.hpp
};

class sorting_kernel : public kernel {
 public:
  using part = std::span<std::int32_t>;

  explicit sorting_kernel(size s);

  void reset() override { values_ = input_; }
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(values_)); }
  std::vector<std::size_t> loop_lengths() const override { return {}; }
  bool verified() const override;

  part whole() { return values_; }

  static constexpr std::size_t serial_elements = 32;
  // Of so many elements or fewer.
  static void sort_serially(part p);

 private:
  std::vector<std::int32_t> input_;
  std::vector<std::int32_t> values_;
};

class quick_sorting final : public sorting_kernel {
 public:
  using sorting_kernel::sorting_kernel;

  // Puts what is less before the pivot and the others after it; returns where it is then.
  static std::size_t partition(part p);
};

class merge_sorting final : public sorting_kernel {
 public:
  explicit merge_sorting(size s) : sorting_kernel(s), buffer_(whole().size()) {}

  part buffer() { return buffer_; }

  // Both halves are sorted.
  static void merge(std::span<const std::int32_t> left, std::span<const std::int32_t> right,
                    part to);

 private:
  std::vector<std::int32_t> buffer_;
};

void run_serial(fib_numbers& k);
void run_serial(all_queens& k);
void run_serial(tree_search& k);
void run_serial(leaf_tree& k);
void run_serial(quick_sorting& k);
void run_serial(merge_sorting& k);

}  // namespace doall::bench
