// Texts and JSON of medians, ratios and their intervals.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "text/statistics.hpp"

namespace doall::cli {

// "0.67 [0.66, 0.70]"; without an interval "0.67".
std::string ratio_text(const ratio& r);
// The same of rows that say nothing without an interval: "-".
std::string ratio_text(const std::optional<estimate>& e, int decimals = 2);

// "12.3 ms..13.1 ms", the 5th and the 95th percentile.
std::string spread_text(const summary& ns);

// {"median": 0.67, "low": 0.66, "high": 0.7}; low and high are null without an interval.
nlohmann::ordered_json to_json(const ratio& r);
// The same; null without an interval.
nlohmann::ordered_json to_json(const std::optional<estimate>& e);

}  // namespace doall::cli
