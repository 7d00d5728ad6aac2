// Order statistics: nothing here assumes how the times are distributed. What `doall compare` and
// the benchmarks' drivers judge by.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace doall::cli {

struct summary {
  double median = 0;
  double p5 = 0;
  double p95 = 0;
  double min = 0;
  double max = 0;
};

// Quantiles by linear interpolation. `values` is not empty.
summary summarise(std::vector<double> values);
double median_of(std::vector<double> values);
double quantile_of(std::vector<double> values, double part);

// Of numbers above 0. `values` is not empty.
double geometric_mean(const std::vector<double>& values);

struct estimate {
  double median = 0;
  double low = 0;
  double high = 0;
};

// The median with its 95 % interval by the sign test: from the k-th least to the
// k-th greatest value, with the largest k for which the interval covers the true
// median with probability 0.95 or more. Nothing for fewer than 6 values: with
// those even the whole range covers less.
constexpr std::size_t least_for_interval = 6;
std::optional<estimate> estimate_median(std::vector<double> values);

// The median of some rounds' ratios, with its interval when there are rounds enough.
struct ratio {
  double median = 0;
  std::optional<estimate> interval = {};
};
ratio median_ratio(const std::vector<double>& ratios);  // not empty

// Of of[r] / to[r] over the rounds r that both have: what both were measured in is the same machine
// in the same minute. Neither is empty.
ratio ratio_of(const std::vector<double>& of, const std::vector<double>& to);
std::optional<estimate> paired_ratio(const std::vector<double>& of, const std::vector<double>& to);

}  // namespace doall::cli
