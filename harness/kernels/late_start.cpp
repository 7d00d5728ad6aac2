#include "kernels/late_start.hpp"

namespace doall::bench {
namespace {

std::vector<std::uint64_t> costs(size s) {
  const std::size_t n = s == size::paper ? 200'000 : 10'000;
  return sums_of(n, [](std::size_t) { return 10; });
}

}  // namespace

late_start::late_start(size s, double delay)
    : unit_loop(costs(s)), waited_(static_cast<std::size_t>(delay * iterations()), 1) {}

void late_start::wait() {
  for (std::size_t i = 0; i < waited_.size(); ++i) run_apart(static_cast<int>(i), waited_[i]);
}

}  // namespace doall::bench
