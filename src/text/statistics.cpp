#include "text/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace doall::cli {
namespace {

double quantile(const std::vector<double>& sorted, double part) {
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, sorted.size() - 1);
  const double weight = at - static_cast<double>(below);
  return sorted[below] * (1 - weight) + sorted[above] * weight;
}

}  // namespace

summary summarise(std::vector<double> values) {
  std::ranges::sort(values);
  return {quantile(values, 0.5), quantile(values, 0.05), quantile(values, 0.95), values.front(),
          values.back()};
}

double quantile_of(std::vector<double> values, double part) {
  std::ranges::sort(values);
  return quantile(values, part);
}

double median_of(std::vector<double> values) { return summarise(std::move(values)).median; }

double geometric_mean(const std::vector<double>& values) {
  double logarithms = 0;
  for (const double v : values) logarithms += std::log(v);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

std::optional<estimate> estimate_median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  // How many values lie below the true median is binomial (n, 1/2); `outside` is
  // the probability of at most `k`. By logarithms: 2^-n leaves the doubles' range.
  double outside = 0;
  std::size_t k = 0;
  double log_term = -static_cast<double>(n) * std::log(2.0);
  for (; k < n; ++k) {
    outside += std::exp(log_term);
    if (outside > 0.025) break;
    log_term += std::log(static_cast<double>(n - k)) - std::log(static_cast<double>(k + 1));
  }
  if (k == 0) return std::nullopt;
  return estimate{quantile(values, 0.5), values[k - 1], values[n - k]};
}

ratio median_ratio(const std::vector<double>& ratios) {
  return {median_of(ratios), estimate_median(ratios)};
}

ratio ratio_of(const std::vector<double>& of, const std::vector<double>& to) {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < std::min(of.size(), to.size()); ++r) ratios.push_back(of[r] / to[r]);
  return median_ratio(ratios);
}

std::optional<estimate> paired_ratio(const std::vector<double>& of, const std::vector<double>& to) {
  return ratio_of(of, to).interval;
}

}  // namespace doall::cli
