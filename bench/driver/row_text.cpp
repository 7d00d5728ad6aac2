#include "driver/row_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace doall::bench {

ratio ratio_of(const std::vector<double>& of, const std::vector<double>& to) {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < std::min(of.size(), to.size()); ++r) ratios.push_back(of[r] / to[r]);
  return {median_of(ratios), estimate_median(ratios)};
}

std::string ratio_text(const ratio& r) {
  if (!r.interval) return fmt::format("{:.2f}", r.median);
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", r.median, r.interval->low, r.interval->high);
}

nlohmann::ordered_json to_json(const ratio& r) {
  nlohmann::ordered_json json{{"median", r.median}, {"low", nullptr}, {"high", nullptr}};
  if (r.interval) {
    json["low"] = r.interval->low;
    json["high"] = r.interval->high;
  }
  return json;
}

std::string bar_text(double found, const std::optional<double>& most) {
  if (!most) return "-";
  return fmt::format("{:.3g} {}", *most, found <= *most ? "held" : "missed");
}

double rounded(double ns) { return std::round(ns * 10) / 10; }

std::vector<double> rounded(std::vector<double> all_ns) {
  for (double& ns : all_ns) ns = rounded(ns);
  return all_ns;
}

}  // namespace doall::bench
