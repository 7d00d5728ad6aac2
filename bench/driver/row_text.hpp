// What rows of tables and their JSON have in common.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "driver/statistics.hpp"

namespace doall::bench {

// The median of some rounds' ratios, with its interval when there are rounds enough.
struct ratio {
  double median = 0;
  std::optional<estimate> interval = {};
};

// of[r] / to[r], round by round. Neither is empty.
ratio ratio_of(const std::vector<double>& of, const std::vector<double>& to);

// "0.67 [0.66, 0.70]"
std::string ratio_text(const ratio& r);

// {"median": 0.67, "low": 0.66, "high": 0.7}; low and high are null without an interval.
nlohmann::ordered_json to_json(const ratio& r);

// A row's number beside the most that it should be: "0.8 held", "0.8 missed", "-".
std::string bar_text(double found, const std::optional<double>& most);

// Tenths of a nanosecond: finer than the clock tells.
double rounded(double ns);
std::vector<double> rounded(std::vector<double> all_ns);

}  // namespace doall::bench
