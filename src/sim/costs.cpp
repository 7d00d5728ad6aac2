#include "sim/costs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace doall::sim {
namespace {

// The paper counts iterations from 1: its I is i + 1.
double triangular(u64 i, u64 n) { return static_cast<double>(n - 1 - i); }

double parabolic(u64 i, u64 n) { return triangular(i, n) * triangular(i, n); }

double head_heavy(u64 i, u64 n) { return i + 1 < n / 10 ? 100 : 1; }

constexpr cost_shape shapes[] = {
    {"triangular", "iteration i of 1 to N costs N - i", triangular},
    {"parabolic", "iteration i of 1 to N costs (N - i)^2", parabolic},
    {"head-heavy", "iteration i of 1 to N costs 100 if i < N/10, else 1", head_heavy},
};

}  // namespace

iteration_costs::iteration_costs(std::span<const double> each) {
  running_sums sums;
  sums.costs.reserve(each.size() + 1);
  sums.costs.push_back(0);
  for (const double cost : each) sums.costs.push_back(sums.costs.back() + cost);

  const double total = sums.costs.back();
  const bool whole = total <= 0x1p53 && std::ranges::all_of(each, [](double cost) {
                       return cost == std::floor(cost);
                     });
  const double unit = whole || total == 0 ? 1 : total / 0x1p52;
  sums.for_schedules.reserve(sums.costs.size());
  for (const double sum : sums.costs) sums.for_schedules.push_back(static_cast<u64>(sum / unit));
  sums_ = std::make_shared<running_sums>(std::move(sums));
}

double iteration_costs::of(const schedules::chunk& c) const {
  if (c.empty()) return 0;
  if (sums_ == nullptr) return each_ * static_cast<double>(c.size());
  const std::vector<double>& sums = sums_->costs;
  if (c.step == 1) return sums[c.end] - sums[c.begin];
  double sum = 0;
  u64 at = c.begin;
  for (u64 left = c.size(); left > 0; --left, at += c.step) sum += sums[at + 1] - sums[at];
  return sum;
}

schedules::cost_sums iteration_costs::for_schedules() const {
  if (sums_ == nullptr) return {};
  return {sums_->for_schedules.data(), sums_->for_schedules.size() - 1};
}

std::span<const cost_shape> cost_shapes() { return shapes; }

const cost_shape* find_cost_shape(std::string_view name) {
  const auto found = std::ranges::find(shapes, name, &cost_shape::name);
  return found == std::end(shapes) ? nullptr : found;
}

iteration_costs costs_of(const cost_shape& shape, u64 iterations) {
  std::vector<double> each(iterations);
  for (u64 i = 0; i < iterations; ++i) each[i] = shape.cost(i, iterations);
  return iteration_costs(each);
}

}  // namespace doall::sim
