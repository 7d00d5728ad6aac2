// All ways to place N queens on a board of N by N squares so that none attacks another.
//
// LBS, section 5, "recursively nested parallelism": a call has a queen in each row up to some
// row,
//   for each column in parallel
//     if a queen there, in the next row, is safe: call with it
// Table 2: N = 9 and 11. Calls with more than N/2 queens are serial, its cut-off.
//
// Imbalance: large, most columns are attacked and the safe ones lead unequally far.
// Affinity: none.
//
// A board is copied for each safe column, as iterations run at once: the paper's parallel tsp
// builds its tours so. Who finds solutions adds them to one count, as XMT's prefix sum does.
#pragma once

#include <array>

#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "kernels/kernel.hpp"
#include "lanes/serial.hpp"

namespace doall::bench {

class queens final : public kernel {
 public:
  explicit queens(size s) : queens(s == size::paper ? std::size_t{11} : std::size_t{9}) {}
  explicit queens(std::size_t n) : n_(n) {}  // 1 to 16

  // One queen in each of the first `rows` rows.
  struct board {
    std::size_t rows = 0;
    std::array<std::uint8_t, 16> columns{};

    void add(std::size_t column) { columns[rows++] = static_cast<std::uint8_t>(column); }
  };

  void reset() override;
  std::span<const std::byte> answer() const override {
    return std::as_bytes(std::span(&solutions_, 1));
  }
  // Which columns are tried is told by the count.
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  std::size_t n() const { return n_; }

  // Whether none of the queens attacks that square of the next row.
  static bool is_safe(const board& b, std::size_t column);

  bool is_serial(const board& b) const { return b.rows > n_ / 2; }

  // Counts the solutions that begin like this one.
  void count_from(board b);

  std::uint64_t solutions() const;

  // For lanes/recorded.hpp: of trying a column, and of count_from.
  static std::uint64_t try_cycles(const board& b);
  std::uint64_t count_cycles(board b) const;

 private:
  template <class AtBoard>
  std::uint64_t search(board& b, const AtBoard& at_board) const;

  std::size_t n_;
  // Apart from n_, which everybody reads.
  alignas(base::apart_bytes) sync::atomic<std::uint64_t> solutions_{0};
};

// An iteration of the loop over the columns of the row after b's.
template <class Loops>
void try_column(queens& k, const Loops& loops, const queens::board& b, std::size_t column) {
  charge(loops, [&] { return k.try_cycles(b); });
  if (!k.is_safe(b, column)) return;
  queens::board next = b;
  next.add(column);
  if (k.is_serial(next)) {
    charge(loops, [&] { return k.count_cycles(next); });
    k.count_from(next);
  } else {
    loops.inner(k.n(), [&](std::size_t c) { try_column(k, loops, next, c); });
  }
}

template <class Loops>
void run(queens& k, const Loops& loops) {
  const queens::board empty;
  loops.outer(k.n(), [&](std::size_t column) { try_column(k, loops, empty, column); });
}

}  // namespace doall::bench
