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

}  // namespace doall::bench
