#include "driver/report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/table.hpp"

namespace doall::bench {

using nlohmann::ordered_json;

std::string elements_text(std::size_t n) {
  return n < 1'000'000 ? fmt::format("{} K", n / 1'000) : fmt::format("{} M", n / 1'000'000);
}

std::string ratio_text(const ratio& r) {
  return r.interval ? ratio_text(r.interval) : fmt::format("{:.2f}", r.median);
}

std::string ratio_text(const std::optional<estimate>& e, int decimals) {
  if (!e) return "-";
  return fmt::format("{:.{}f} [{:.{}f}, {:.{}f}]", e->median, decimals, e->low, decimals, e->high,
                     decimals);
}

std::string spread_text(const summary& ns) {
  return cli::duration_text(ns.p5) + ".." + cli::duration_text(ns.p95);
}

ordered_json to_json(const ratio& r) {
  if (r.interval) return to_json(r.interval);
  return {{"median", r.median}, {"low", nullptr}, {"high", nullptr}};
}

ordered_json to_json(const std::optional<estimate>& e) {
  if (!e) return nullptr;
  return {{"median", e->median}, {"low", e->low}, {"high", e->high}};
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
