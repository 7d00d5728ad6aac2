#include "driver/report.hpp"

#include <fmt/format.h>

#include <cmath>

namespace doall::bench {

using nlohmann::ordered_json;

std::string elements_text(std::size_t n) {
  return n < 1'000'000 ? fmt::format("{} K", n / 1'000) : fmt::format("{} M", n / 1'000'000);
}

std::string bar_text(double found, const std::optional<double>& most) {
  if (!most) return "-";
  return fmt::format("{:.3g} {}", *most, found <= *most ? "held" : "missed");
}

ordered_json bar_json(double found, const std::optional<double>& most) {
  if (!most) return nullptr;
  return {{"most", *most}, {"held", found <= *most}};
}

double rounded(double ns, double step_ns) {
  const double steps = 1 / step_ns;  // a tenth has no double, ten has
  return step_ns < 1 ? std::round(ns * steps) / steps : std::round(ns / step_ns) * step_ns;
}

std::vector<double> rounded(std::vector<double> all_ns, double step_ns) {
  for (double& ns : all_ns) ns = rounded(ns, step_ns);
  return all_ns;
}

void add_times(ordered_json& row, const std::vector<double>& all_ns,
               const std::vector<double>& rounds_ns, double step_ns) {
  const summary found = summarise(all_ns);
  row["median_ns"] = rounded(found.median, step_ns);
  row["min_ns"] = rounded(found.min, step_ns);
  row["max_ns"] = rounded(found.max, step_ns);
  row["p5_ns"] = rounded(found.p5, step_ns);
  row["p95_ns"] = rounded(found.p95, step_ns);
  row["rounds_ns"] = rounded(rounds_ns, step_ns);
}

}  // namespace doall::bench
