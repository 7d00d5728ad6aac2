#include "kernels/unit_loop.hpp"

#include "kernels/compute.hpp"

namespace doall::bench {

unit_loop::unit_loop(std::vector<std::uint64_t> cost_sums)
    : cost_sums_(std::move(cost_sums)), results_(cost_sums_.size() - 1) {}

void unit_loop::reset() {
  for (std::size_t i = 0; i < results_.size(); ++i) results_[i] = i + 1;
}

void unit_loop::run(int i) {
  const auto at = static_cast<std::size_t>(i);
  note(0, at);
  results_[at] = compute(cost(i), results_[at]);
}

void unit_loop::run_apart(int i, std::uint64_t& result) const { result = compute(cost(i), result); }

static std::vector<std::uint64_t> costs_of_triangular(size s) {
  const std::size_t n = s == size::paper ? 5000 : 500;
  return sums_of(n, [n](std::size_t i) { return n - 1 - i; });
}

triangular::triangular(size s) : unit_loop(costs_of_triangular(s)) {}

static std::vector<std::uint64_t> costs_of_parabolic(size s) {
  const std::size_t n = s == size::paper ? 200 : 50;
  return sums_of(n, [n](std::size_t i) { return (n - 1 - i) * (n - 1 - i); });
}

parabolic::parabolic(size s) : unit_loop(costs_of_parabolic(s)) {}

// The paper counts from 1.
static std::vector<std::uint64_t> costs_of_head_heavy(size s) {
  const std::size_t n = s == size::paper ? 50'000 : 2'000;
  return sums_of(n, [n](std::size_t i) { return i + 1 < n / 10 ? 100 : 1; });
}

head_heavy::head_heavy(size s) : unit_loop(costs_of_head_heavy(s)) {}

}  // namespace doall::bench
