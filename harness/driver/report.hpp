// Texts and JSON of what rows have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "driver/statistics.hpp"
#include "text/statistics_text.hpp"

namespace doall::bench {

// "10 K", "1 M": of a power of ten from 1,000 on.
std::string elements_text(std::size_t n);

using cli::ratio_text;
using cli::spread_text;
using cli::to_json;

template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// A row's number beside the most that it should be: "0.8 held", "0.8 missed", "-".
std::string bar_text(double found, const std::optional<double>& most);
nlohmann::ordered_json bar_json(double found, const std::optional<double>& most);

// In whole steps of nanoseconds: what is finer than a time repeats is noise. Tenths are finer than
// the clock tells, tenths of a microsecond than programs repeat.
inline constexpr double of_clock_ns = 0.1;
inline constexpr double of_programs_ns = 100;
double rounded(double ns, double step_ns = of_clock_ns);
std::vector<double> rounded(std::vector<double> all_ns, double step_ns = of_clock_ns);

// Adds median_ns, min_ns, max_ns, p5_ns, p95_ns and rounds_ns to a row.
void add_times(nlohmann::ordered_json& row, const std::vector<double>& all_ns,
               const std::vector<double>& rounds_ns, double step_ns = of_clock_ns);

// A list of what to_json() makes of each.
template <class Rows, class... More>
nlohmann::ordered_json list_json(const Rows& rows, const More&... more) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& row : rows) list.push_back(to_json(row, more...));
  return list;
}

}  // namespace doall::bench
