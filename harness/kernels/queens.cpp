#include "kernels/queens.hpp"

namespace doall::bench {
namespace {

bool attacks_none(const queens::board& b, std::size_t column) {
  for (std::size_t row = 0; row < b.rows; ++row) {
    const std::size_t other = b.columns[row];
    const std::size_t away = b.rows - row;
    if (other == column || other + away == column || column + away == other) return false;
  }
  return true;
}

}  // namespace

static_assert(sizeof(sync::atomic<std::uint64_t>) == sizeof(std::uint64_t),
              "the answer is the bytes of a count");

void queens::reset() {
  // (1) relaxed; alone: fork and join of the loops order it with the additions
  solutions_.store(0, sync::relaxed);
}

bool queens::is_safe(const board& b, std::size_t column) { return attacks_none(b, column); }

// Calls at_board for every safe board that begins like b; returns how many of them are full.
template <class AtBoard>
std::uint64_t queens::search(board& b, const AtBoard& at_board) const {
  at_board(b);
  if (b.rows == n_) return 1;
  std::uint64_t found = 0;
  for (std::size_t column = 0; column < n_; ++column) {
    if (!attacks_none(b, column)) continue;
    b.add(column);
    found += search(b, at_board);
    --b.rows;
  }
  return found;
}

void queens::count_from(board b) {
  const std::uint64_t found = search(b, [](const board&) {});
  // (2) relaxed; alone: a sum, read when all of the loops have been joined
  if (found > 0) solutions_.fetch_add(found, sync::relaxed);
}

std::uint64_t queens::solutions() const {
  // (3) relaxed; alone: as (2)
  return solutions_.load(sync::relaxed);
}

// A test ends at the first queen that attacks, which no branch predictor foresees.
std::uint64_t queens::try_cycles(const board& b) { return 10 + 5 * b.rows; }

std::uint64_t queens::count_cycles(board b) const {
  std::uint64_t cycles = 0;
  search(b, [&](const board& at) {
    if (at.rows < n_) cycles += n_ * try_cycles(at);
  });
  return cycles;
}

}  // namespace doall::bench
