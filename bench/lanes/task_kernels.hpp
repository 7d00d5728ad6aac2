// The programs of `doall bench tasks`: their inputs, and what a task does besides making others.
// The algorithms are those of the Barcelona OpenMP Tasks Suite (Duran, Teruel, Ferrer, Martorell,
// Ayguade, ICPP 2009), written anew. How they are cut into tasks stands in task_programs.hpp, once
// for both compilers; bodies stand in task_kernels.cpp, compiled once and linked into every lane.
//
//   fib         fib(n) = fib(n - 1) + fib(n - 2), two tasks a call
//   nqueens     all ways to place 9 queens, a task for each safe square
//   sort        merge sort of integers, whose merges are cut by binary search
//   strassen    the product of two matrices by seven products of half their size
//   sparselu    an LU factorisation of a matrix of blocks, most of which are zero
//   health      villages in a tree, whose patients wait, are treated, or are sent up
//   alignment   the best alignment of each pair of sequences, with affine gaps
//
// Each has a cut-off, beyond which no tasks are made. Answers are whole numbers, or made of doubles
// by the same operations in the same order: the same bits, whoever ran what.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "lanes/recursion_kernels.hpp"

namespace doall::bench {

class fib_tasks final : public counting_kernel {
 public:
  explicit fib_tasks(size s) : n(s == size::paper ? 21 : 12) {}

  static constexpr unsigned cut_levels = 8;
  const unsigned n;
};
// Below the cut-off.
std::uint64_t fib_alone(unsigned n);

class queens_tasks final : public counting_kernel {
 public:
  explicit queens_tasks(size s) : n(s == size::paper ? 9 : 6) {}

  static constexpr unsigned cut_levels = 3;
  const std::size_t n;
};
// How many full boards of n rows begin like b.
std::uint64_t boards_alone(const queens::board& b, std::size_t n);

class sort_tasks final : public kernel {
 public:
  using part = std::span<std::int32_t>;
  using source = std::span<const std::int32_t>;

  explicit sort_tasks(size s);

  void reset() override { values_ = input_; }
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(values_)); }
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  part whole() { return values_; }
  part buffer() { return buffer_; }

  // Parts of so many elements are sorted and merged without tasks.
  static constexpr std::size_t cut_elements = 8192;
  static constexpr std::size_t fine_elements = 64;
  static void sort_alone(part p);
  static void merge_alone(source left, source right, part to);

 private:
  std::vector<std::int32_t> input_;
  std::vector<std::int32_t> values_;
  std::vector<std::int32_t> buffer_;
};

// A square of a row-major matrix.
struct square {
  double* at;
  std::size_t stride;

  // One of its quarters.
  square quarter(std::size_t half, unsigned row, unsigned column) const {
    return {at + row * half * stride + column * half, stride};
  }
};

class strassen_tasks final : public kernel {
 public:
  explicit strassen_tasks(size s);

  void reset() override { product_.assign(product_.size(), 0); }
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(product_)); }
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  square left() { return {left_.data(), n}; }
  square right() { return {right_.data(), n}; }
  square product() { return {product_.data(), n}; }

  static constexpr unsigned cut_levels = 2;
  static constexpr std::size_t leaf = 16;
  const std::size_t n;

 private:
  std::vector<double> left_;
  std::vector<double> right_;
  std::vector<double> product_;
};
// Of n by n elements. to = a + sign * b; to += sign * a; to = a b by rows and columns.
void add_squares(square to, square a, double sign, square b, std::size_t n);
void add_to_square(square to, double sign, square a, std::size_t n);
void multiply_squares(square to, square a, square b, std::size_t n);

class sparse_lu_tasks final : public kernel {
 public:
  static constexpr std::size_t block = 12;
  using values = std::array<double, block * block>;

  explicit sparse_lu_tasks(size s);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(blocks_)); }
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  const std::size_t n;  // blocks a row
  bool has(std::size_t i, std::size_t j) const { return present_[i * n + j] != 0; }
  values& at(std::size_t i, std::size_t j) { return blocks_[i * n + j]; }
  // Makes room for what a product fills: zeros.
  void fill(std::size_t i, std::size_t j);

 private:
  std::vector<values> input_;
  std::vector<char> input_present_;
  std::vector<values> blocks_;
  std::vector<char> present_;
};
using lu_block = sparse_lu_tasks::values;
void factor(lu_block& diagonal);
void solve_row(const lu_block& diagonal, lu_block& right);     // below the diagonal, 1s on it
void solve_column(const lu_block& diagonal, lu_block& below);  // above and on it
void subtract_product(lu_block& from, const lu_block& below, const lu_block& right);

class health_tasks final : public counting_kernel {
 public:
  struct patient {
    std::uint32_t seed;
    std::uint32_t busy_until;
  };
  struct village {
    std::vector<village> below;
    std::vector<patient> waiting;
    std::vector<patient> treated;
    std::vector<patient> sent_up;
    std::uint64_t seed = 0;
    std::uint64_t cured = 0;
    unsigned staff = 0;
  };

  explicit health_tasks(size s);

  void reset() override;

  // What happens in one village in a step, after those below it.
  static void step(village& v, std::uint32_t now);
  static std::uint64_t sum_of(const village& v);

  static constexpr unsigned cut_levels = 2;
  const unsigned levels;
  const std::uint32_t steps;
  village root;
};

class alignment_tasks final : public kernel {
 public:
  explicit alignment_tasks(size s);

  void reset() override { scores_.assign(scores_.size(), 0); }
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(scores_)); }
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  std::size_t sequences() const { return sequences_.size(); }
  // Of a pair.
  void align(std::size_t i, std::size_t j);

 private:
  std::vector<std::vector<std::uint8_t>> sequences_;
  std::vector<std::int32_t> scores_;
};

// A taskloop of so many tasks, some times in a row.
class taskloop_tasks final : public counting_kernel {
 public:
  taskloop_tasks(size, std::size_t number, unsigned of_each) : tasks(number), units(of_each) {}

  static void work_for(unsigned units);

  static constexpr int loops = 50;
  const std::size_t tasks;
  const unsigned units;  // of work a task; kernels/compute.hpp
};

// One thread makes all tasks, each of so much work.
class producer_tasks final : public counting_kernel {
 public:
  producer_tasks(size s, unsigned of_each)
      : tasks(s == size::paper ? 20'000 : 500), units(of_each) {}

  const std::size_t tasks;
  const unsigned units;
};

void run_serial(fib_tasks& k);
void run_serial(queens_tasks& k);
void run_serial(sort_tasks& k);
void run_serial(strassen_tasks& k);
void run_serial(sparse_lu_tasks& k);
void run_serial(health_tasks& k);
void run_serial(alignment_tasks& k);
void run_serial(taskloop_tasks& k);
void run_serial(producer_tasks& k);

}  // namespace doall::bench
