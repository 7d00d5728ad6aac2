#include "kernels/head-heavy/kernel.hpp"

namespace doall::bench {
namespace {

// The paper counts from 1.
std::vector<std::uint64_t> costs(size s) {
  const std::size_t n = s == size::paper ? 50'000 : 2'000;
  return sums_of(n, [n](std::size_t i) { return i + 1 < n / 10 ? 100 : 1; });
}

}  // namespace

head_heavy::head_heavy(size s) : unit_loop(costs(s)) {}

}  // namespace doall::bench
