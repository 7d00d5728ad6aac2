#include "kernels/triangular/kernel.hpp"

namespace doall::bench {
namespace {

std::vector<std::uint64_t> costs(size s) {
  const std::size_t n = s == size::paper ? 5000 : 500;
  return sums_of(n, [n](std::size_t i) { return n - 1 - i; });
}

}  // namespace

triangular::triangular(size s) : unit_loop(costs(s)) {}

}  // namespace doall::bench
