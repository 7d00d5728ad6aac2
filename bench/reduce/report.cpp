#include "reduce/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/table.hpp"
#include "common/load_watch.hpp"
#include "common/machine.hpp"
#include "common/statistics.hpp"

namespace doall::bench {
namespace {

using cli::align;
using nlohmann::ordered_json;

// A peer's settings together: a runtime through one door under one schedule.
std::string name_of(const series& s) {
  return fmt::format("{} {} {}", s.runtime, s.door, s.schedule);
}

// Of a peer's settings the one that is faster; null: does not take part.
const series* fastest(const task_result& r, const std::string& name) {
  const series* best = nullptr;
  for (const series& s : r.all) {
    if (name_of(s) != name) continue;
    if (best == nullptr || median_of(s.rounds_ns) < median_of(best->rounds_ns)) best = &s;
  }
  return best;
}

// In the order of the lanes.
std::vector<std::string> names(const task_result& r) {
  std::vector<std::string> found;
  for (const series& s : r.all) {
    if (std::ranges::count(found, name_of(s)) == 0) found.push_back(name_of(s));
  }
  return found;
}

constexpr const char* repeatable = "doall native default";
// Schedules that take part in both orders.
constexpr std::array both_orders{"default", "static"};

std::optional<estimate> ratio(const task_result& r, const std::string& of, const std::string& to) {
  const series* one = fastest(r, of);
  const series* other = fastest(r, to);
  if (one == nullptr || other == nullptr) return std::nullopt;
  return paired_ratio(one->rounds_ns, other->rounds_ns);
}

std::string ratio_text(const std::optional<estimate>& e) {
  return e ? fmt::format("{:.2f} [{:.2f}, {:.2f}]", e->median, e->low, e->high) : "-";
}

std::string elements_text(std::size_t n) {
  return n < 1'000'000 ? fmt::format("{} K", n / 1'000) : fmt::format("{} M", n / 1'000'000);
}

// The results of one reduction.
std::vector<const task_result*> of_reduction(const report& r, const std::string& reduction) {
  std::vector<const task_result*> found;
  for (const task_result& t : r.measured.tasks) {
    if (t.what.reduction == reduction) found.push_back(&t);
  }
  return found;
}

std::string star(const series& s) { return s.setting.empty() ? " " : "*"; }

// Everybody's medians, a column for each length.
std::string times_text(const report& r, const std::string& reduction) {
  const auto results = of_reduction(r, reduction);
  std::vector<cli::table::column> columns{{reduction}};
  std::vector<std::string> serial{"one thread, no runtime"};
  for (const task_result* t : results) {
    columns.push_back({elements_text(t->what.elements), align::right});
    serial.push_back(cli::duration_text(median_of(t->serial.batches_ns)) + ' ');
  }
  cli::table table(std::move(columns));
  table.add_row(std::move(serial));
  for (const std::string& name : names(*results.front())) {
    std::vector<std::string> cells{name};
    for (const task_result* t : results) {
      const series& s = *fastest(*t, name);
      cells.push_back(cli::duration_text(median_of(s.batches_ns)) + star(s));
    }
    table.add_row(std::move(cells));
  }
  return '\n' + table.to_text();
}

// The price of repeatability: the same schedule's fixed order over any.
std::string price_text(const report& r) {
  cli::table table({{"fixed order over any"},
                    {"elements", align::right},
                    {"default", align::right},
                    {"static", align::right}});
  for (const task_result& t : r.measured.tasks) {
    std::vector<std::string> cells{t.what.reduction, elements_text(t.what.elements)};
    for (const char* schedule : both_orders) {
      const std::string fixed = std::string("doall native ") + schedule;
      cells.push_back(ratio_text(ratio(t, fixed, fixed + "/any")));
    }
    table.add_row(std::move(cells));
  }
  return '\n' + table.to_text();
}

// The repeatable reduction over all others, round by round.
std::string ratios_text(const report& r, const std::string& reduction) {
  const auto results = of_reduction(r, reduction);
  std::vector<cli::table::column> columns{{reduction + ": " + repeatable + " over"}};
  for (const task_result* t : results) {
    columns.push_back({elements_text(t->what.elements), align::right});
  }
  cli::table table(std::move(columns));
  for (const std::string& name : names(*results.front())) {
    if (name == repeatable) continue;
    std::vector<std::string> cells{name};
    for (const task_result* t : results) cells.push_back(ratio_text(ratio(*t, repeatable, name)));
    table.add_row(std::move(cells));
  }
  return '\n' + table.to_text();
}

// A tenth of a nanosecond is finer than the clock tells.
double rounded(double ns) { return std::round(ns * 10) / 10; }

ordered_json estimate_json(const std::optional<estimate>& e) {
  if (!e) return nullptr;
  return {{"median", e->median}, {"low", e->low}, {"high", e->high}};
}

ordered_json row_json(const task_result& r, const series& s) {
  const summary ns = summarise(s.batches_ns);
  std::vector<double> rounds_ns = s.rounds_ns;
  for (double& round : rounds_ns) round = rounded(round);
  return {{"reduction", r.what.reduction},
          {"elements", r.what.elements},
          {"runtime", s.runtime},
          {"door", s.door},
          {"schedule", s.schedule},
          {"setting", s.setting},
          {"threads", s.threads},
          {"library", s.library},
          {"median_ns", rounded(ns.median)},
          {"min_ns", rounded(ns.min)},
          {"max_ns", rounded(ns.max)},
          {"p5_ns", rounded(ns.p5)},
          {"p95_ns", rounded(ns.p95)},
          {"speed_up", estimate_json(paired_ratio(r.serial.rounds_ns, s.rounds_ns))},
          {"rounds_ns", rounds_ns}};
}

}  // namespace

std::string to_text(const report& r) {
  std::string text =
      fmt::format("Reductions, {} threads{}, {} rounds, on {}\n*: waits actively\n",
                  r.setting.threads, r.setting.pinned ? ", pinned" : "", r.rounds, machine_name());
  text += load_text(r.measured.others_share);
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  for (const char* reduction : {"dot", "histogram"}) {
    text += times_text(r, reduction);
    if (r.setting.wants("doall")) text += ratios_text(r, reduction);
  }
  if (r.setting.wants("doall")) text += price_text(r);
  return text;
}

ordered_json to_json(const report& r) {
  ordered_json json{{"schema", "doall-bench-reduce/1"},
                    {"machine", machine_name()},
                    {"threads", r.setting.threads},
                    {"rounds", r.rounds},
                    {"pinned", r.setting.pinned},
                    {"others_cpu_share", r.measured.others_share},
                    {"prices", ordered_json::array()},
                    {"rows", ordered_json::array()},
                    {"left_out", r.left_out}};
  for (const task_result& t : r.measured.tasks) {
    for (const char* schedule : both_orders) {
      const std::string fixed = std::string("doall native ") + schedule;
      json["prices"].push_back({{"reduction", t.what.reduction},
                                {"elements", t.what.elements},
                                {"schedule", schedule},
                                {"serial_ns", rounded(median_of(t.serial.batches_ns))},
                                {"fixed_to_any", estimate_json(ratio(t, fixed, fixed + "/any"))}});
    }
    for (const series& s : t.all) json["rows"].push_back(row_json(t, s));
  }
  return json;
}

}  // namespace doall::bench
