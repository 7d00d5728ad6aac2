#include "kernels/parabolic/kernel.hpp"

namespace doall::bench {
namespace {

std::vector<std::uint64_t> costs(size s) {
  const std::size_t n = s == size::paper ? 200 : 50;
  return sums_of(n, [n](std::size_t i) { return (n - 1 - i) * (n - 1 - i); });
}

}  // namespace

parabolic::parabolic(size s) : unit_loop(costs(s)) {}

}  // namespace doall::bench
