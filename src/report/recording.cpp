#include "report/recording.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "observe/reason.hpp"
#include "process/result_file.hpp"
#include "report/figures.hpp"
#include "report/report.hpp"
#include "schedule/grammar.hpp"
#include "text/version.hpp"

namespace doall::cli {
namespace {

using nlohmann::ordered_json;
using observe::record;

// The chunk that the source names, or the run-sched-var in its place: it stays whole under a
// schedule that names none.
std::uint64_t chunk_in_source(const record& r) {
  using observe::reason;
  const bool named = r.why == text_of(reason::named) || r.why == text_of(reason::runtime) ||
                     r.why == text_of(reason::any_order);
  if (!named) return 0;
  const schedules::parse_result ran = schedules::parse(r.schedule);
  return ran ? schedules::chunk_of(ran.value) : 0;
}

// To picoseconds, as the report has them.
double rounded_ns(double ns) { return std::round(ns * 1'000) / 1'000; }

// Pairs of the report's text; neighbours that cost the same are one.
ordered_json pairs_of(std::string_view costs) {
  ordered_json pairs = ordered_json::array();
  while (!costs.empty()) {
    const std::string_view pair = costs.substr(0, costs.find(' '));
    costs.remove_prefix(std::min(pair.size() + 1, costs.size()));
    std::uint64_t iterations = 0;
    double ns = 0;
    const char* const end = pair.data() + pair.size();
    const auto number = std::from_chars(pair.data(), end, iterations);
    if (number.ptr == end || std::from_chars(number.ptr + 1, end, ns).ec != std::errc()) continue;
    if (!pairs.empty() && pairs.back()[1] == ns)
      pairs.back()[0] = pairs.back()[0].get<std::uint64_t>() + iterations;
    else
      pairs.push_back({iterations, ns});
  }
  return pairs;
}

// The iterations of the pairs, and what they cost together.
struct sums {
  std::uint64_t iterations = 0;
  double ns = 0;
};

sums sums_of(const ordered_json& pairs) {
  sums all;
  for (const auto& pair : pairs) {
    const auto count = pair[0].get<std::uint64_t>();
    all.iterations += count;
    all.ns += static_cast<double>(count) * pair[1].get<double>();
  }
  return all;
}

// Some executions were timed part by part, and all as wholes: the parts have the shape, and all
// together what a mean call takes.
void scale_to(double call_ns, const sums& timed, ordered_json& pairs) {
  if (timed.ns == 0 || call_ns == 0) return;
  for (auto& pair : pairs) pair[1] = rounded_ns(pair[1].get<double>() * call_ns / timed.ns);
}

ordered_json loop_json(const record& r) {
  ordered_json loop{{"name", where_text(r)}};
  const double calls = static_cast<double>(r.calls);
  if (const ordered_json pairs = cost_pairs(r); !pairs.empty()) {
    loop["iterations"] = sums_of(pairs).iterations;
    loop["calls"] = r.calls;
    loop["costs_ns"] = pairs;
  } else {
    loop["iterations"] = r.iterations / r.calls;
    loop["calls"] = r.calls;
    loop["cost_ns"] = static_cast<double>(r.busy_time) / static_cast<double>(r.iterations);
  }
  loop["ran"] = {{"schedule", r.schedule},
                 {"workers", r.workers},
                 {"ns", static_cast<double>(r.wall_time) / calls}};
  if (const std::uint64_t chunk = chunk_in_source(r); chunk > 1) loop["ran"]["chunk"] = chunk;
  if (is_named_in_source(r)) loop["ran"]["in_source"] = true;
  return loop;
}

}  // namespace

ordered_json cost_pairs(const record& r) {
  ordered_json pairs = pairs_of(r.costs);
  if (!pairs.empty() && r.calls != 0) {
    scale_to(static_cast<double>(r.busy_time) / static_cast<double>(r.calls), sums_of(pairs),
             pairs);
  }
  return pairs;
}

std::string recording_text(const std::vector<observe::report>& reports) {
  const ordered_json by = {{"doall", version()}, {"commit", commit_or_null()}};
  std::string text = "{\"format\": \"doall-workload/1\", " + json_text(by, -1).substr(1);
  text.back() = ',';
  text += " \"loops\": [";
  const char* separator = "\n";
  for (const observe::report& process : reports) {
    for (const record& r : process.records) {
      const bool is_loop =
          r.kind == observe::site_kind::loop || r.kind == observe::site_kind::nested;
      if (!is_loop || r.calls == 0 || r.iterations < r.calls) continue;
      text += separator + json_text(loop_json(r), -1);
      separator = ",\n";
    }
  }
  return text + "\n]}";
}

}  // namespace doall::cli
