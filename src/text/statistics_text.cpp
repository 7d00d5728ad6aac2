#include "text/statistics_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "text/table.hpp"

namespace doall::cli {

using nlohmann::ordered_json;

std::string ratio_text(const ratio& r) {
  return r.interval ? ratio_text(r.interval) : fmt::format("{:.2f}", r.median);
}

std::string ratio_text(const std::optional<estimate>& e, int decimals) {
  if (!e) return "-";
  return fmt::format("{:.{}f} [{:.{}f}, {:.{}f}]", e->median, decimals, e->low, decimals, e->high,
                     decimals);
}

std::string spread_text(const summary& ns) {
  return duration_text(ns.p5) + ".." + duration_text(ns.p95);
}

ordered_json to_json(const ratio& r) {
  if (r.interval) return to_json(r.interval);
  return {{"median", r.median}, {"low", nullptr}, {"high", nullptr}};
}

ordered_json to_json(const std::optional<estimate>& e) {
  if (!e) return nullptr;
  return {{"median", e->median}, {"low", e->low}, {"high", e->high}};
}

}  // namespace doall::cli
