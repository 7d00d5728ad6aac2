#include "variability/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/table.hpp"
#include "common/chart.hpp"
#include "common/machine.hpp"
#include "common/statistics.hpp"

namespace doall::bench {
namespace {

using cli::align;
using nlohmann::ordered_json;

// What is distributed: the whole program's time, or its fine loops'.
struct view {
  const char* name;
  double run_times::* member;
};
constexpr view whole{"total", &run_times::total_ns};
constexpr view fine{"fine loops", &run_times::fine_ns};

std::vector<view> views_of(const program_result& r) {
  if (r.all.front().tells_fine_loops()) return {whole, fine};
  return {whole};
}

std::vector<double> quantiles(const series& s, const view& v) {
  const std::vector<double> times_ns = all_of(s, v.member);
  std::vector<double> found;
  for (const double part : quantile_parts) found.push_back(quantile_of(times_ns, part));
  return found;
}

std::string table_text(const program_result& r, const view& v) {
  std::vector<cli::table::column> columns{{fmt::format("{}, {}", r.program, v.name)}};
  for (const double part : quantile_parts) {
    columns.push_back({fmt::format("{:.0f}%", part * 100), align::right});
  }
  columns.push_back({"99% over 50%", align::right});
  columns.push_back({"best setting"});
  cli::table table(std::move(columns));
  for (const std::string& name : r.names()) {
    const series& s = *r.fastest(name);
    std::vector<std::string> cells{name};
    for (const double ns : quantiles(s, v)) cells.push_back(cli::duration_text(ns));
    const std::vector<double> times_ns = all_of(s, v.member);
    cells.push_back(fmt::format("{:.2f}", quantile_of(times_ns, 0.99) / median_of(times_ns)));
    cells.push_back(s.of.who->setting);
    table.add_row(std::move(cells));
  }
  return '\n' + table.to_text();
}

// A tenth of a microsecond is finer than such programs repeat.
double rounded(double ns) { return std::round(ns / 100) * 100; }

ordered_json distribution_json(const series& s, const view& v) {
  ordered_json list = ordered_json::array();
  const std::vector<double> found = quantiles(s, v);
  for (std::size_t q = 0; q < found.size(); ++q) {
    list.push_back({{"part", quantile_parts[q]}, {"ns", rounded(found[q])}});
  }
  return list;
}

ordered_json row_json(const series& s) {
  const contender& who = *s.of.who;
  ordered_json json{{"runtime", who.runtime},
                    {"door", who.door},
                    {"schedule", s.of.schedule},
                    {"setting", who.setting},
                    {"threads", who.lane->threads()},
                    {"library", who.lane->library()},
                    {"runs", s.runs.size()},
                    {"total", distribution_json(s, whole)},
                    {"fine", nullptr}};
  if (s.tells_fine_loops()) json["fine"] = distribution_json(s, fine);
  return json;
}

// Up to the 99th percentile: what lies beyond would press the rest together, and is in
// the table.
curve distribution_curve(const series& s, const view& v, double unit_ns) {
  constexpr double last = 0.99;
  curve drawn{name_of(s.of), {}, {}};
  std::vector<double> times_ns = all_of(s, v.member);
  std::ranges::sort(times_ns);
  const auto count = static_cast<double>(times_ns.size());
  for (std::size_t i = 0; i < times_ns.size(); ++i) {
    const double part = static_cast<double>(i + 1) / count;
    if (part > last && i > 0) break;
    drawn.x.push_back(times_ns[i] / unit_ns);
    drawn.y.push_back(part);
  }
  return drawn;
}

panel panel_of(const program_result& r, const view& v) {
  const series* reference = r.fastest(reference_name);
  if (reference == nullptr) reference = &r.all.front();
  const double unit_ns = median_of(all_of(*reference, v.member));
  panel made{fmt::format("{}, {}", r.program, v.name), {}};
  for (const std::string& name : r.names()) {
    made.curves.push_back(distribution_curve(*r.fastest(name), v, unit_ns));
  }
  return made;
}

}  // namespace

std::string header_text(const variability_report& r) {
  std::string text = fmt::format(
      "The distribution of {} runs, size {}, {} threads{}, on {}\n"
      "N%: so many of the runs take no longer\n",
      r.runs, r.choice.size, r.setting.threads, r.setting.pinned ? ", pinned" : "", machine_name());
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text;
}

std::string to_text(const program_result& r) {
  std::string text;
  for (const view& v : views_of(r)) text += table_text(r, v);
  return text;
}

ordered_json to_json(const variability_report& r) {
  ordered_json json{{"schema", "doall-bench-variability/1"},
                    {"machine", machine_name()},
                    {"size", r.choice.size},
                    {"graph", r.choice.graph_file},
                    {"threads", r.setting.threads},
                    {"pinned", r.setting.pinned},
                    {"runs", r.runs},
                    {"others_cpu_share", r.others_share},
                    {"programs", ordered_json::array()},
                    {"left_out", r.left_out}};
  for (const program_result& p : r.programs) {
    ordered_json rows = ordered_json::array();
    for (const series& s : p.all) rows.push_back(row_json(s));
    json["programs"].push_back({{"program", p.program}, {"rows", std::move(rows)}});
  }
  return json;
}

std::string to_svg(const variability_report& r) {
  chart c{
      .title = fmt::format("{} runs, {} threads, on {}", r.runs, r.setting.threads, machine_name()),
      .x_label = "time over the median of the native default's",
      .y_label = "part of the runs",
      .x_text = [](double x) { return fmt::format("{:g}", x); },
      .axes = scale::linear,
      .panels = {}};
  for (const program_result& p : r.programs) {
    for (const view& v : views_of(p)) c.panels.push_back(panel_of(p, v));
  }
  return to_svg(c);
}

}  // namespace doall::bench
