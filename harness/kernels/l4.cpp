#include "kernels/l4.hpp"

#include "base/rng.hpp"
#include "kernels/compute.hpp"

namespace doall::bench {
namespace {

// C: of the iteration `i` of a loop, in round I1 of the sequential loop.
bool condition(int round, std::size_t i) {
  base::rng hash((static_cast<std::uint64_t>(round) << 32) + i);
  return (hash.next() & 1) != 0;
}

}  // namespace

l4::l4(size s) : rounds_(s == size::paper ? 50 : 5), cost_sums_(equal_cost_sums(cube)) {}

void l4::run_cube(int round, int i) {
  const auto at = static_cast<std::size_t>(i);
  note(0, at);
  results_[at] = compute(condition(round, at) ? 60 : 10, results_[at]);
}

void l4::run_pairs(int round, int i) {
  const auto at = static_cast<std::size_t>(i);
  note(1, at);
  std::uint64_t value = compute(50, results_[cube + at]);
  for (std::size_t i6 = 0; i6 < 5; ++i6) {
    value = compute(condition(round, cube + at * 5 + i6) ? 130 : 100, value);
  }
  results_[cube + at] = value;
}

void l4::run_grid(int i) {
  const auto at = static_cast<std::size_t>(i);
  note(2, at);
  std::uint64_t& result = results_[cube + pairs + at];
  result = compute(30, result);
}

}  // namespace doall::bench
