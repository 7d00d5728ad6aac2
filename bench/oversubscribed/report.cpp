#include "oversubscribed/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/table.hpp"
#include "common/load_watch.hpp"
#include "common/machine.hpp"
#include "neighbour/row_text.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

// How many times as long a loop may take with a crowd of threads. OpenMP's crowd must all
// run, and taking turns is not free: nothing is asked of its shortest loops.
std::optional<double> most_for(const series& s) {
  if (s.of.runtime != "doall") return std::nullopt;
  if (s.of.door == "native") return 1.15;
  if (s.what.serial_ns >= 1e6) return 1.25;
  return std::nullopt;
}

ordered_json row_json(const series& s) {
  const ratio grown = ratio_of(s.crowd_ns, s.few_ns);
  const std::optional<double> most = most_for(s);
  ordered_json json = to_json(s.of);
  json["threads_of_crowd"] = s.threads_of_crowd;
  json["serial_ns"] = s.what.serial_ns;
  json["few_ns"] = rounded(median_of(s.few_ns));
  json["crowd_ns"] = rounded(median_of(s.crowd_ns));
  json["ratio"] = to_json(grown);
  json["bar"] = nullptr;
  json["held"] = nullptr;
  if (most) {
    json["bar"] = *most;
    json["held"] = grown.median <= *most;
  }
  json["few_rounds_ns"] = rounded(s.few_ns);
  json["crowd_rounds_ns"] = rounded(s.crowd_ns);
  return json;
}

}  // namespace

std::string to_text(const report& r) {
  using cli::align;
  cli::table table({{"loop"},
                    {"runtime"},
                    {"door"},
                    {"schedule"},
                    {"P", align::right},
                    {"mean", align::right},
                    {"crowd's P", align::right},
                    {"mean", align::right},
                    {"p5..p95", align::right},
                    {"ratio, 95%", align::right},
                    {"bar"}});
  for (const series& s : r.measured.all) {
    const summary crowd = summarise(s.crowd_ns);
    const ratio grown = ratio_of(s.crowd_ns, s.few_ns);
    table.add_row(
        {cli::duration_text(s.what.serial_ns), s.of.runtime, s.of.door, s.of.schedule,
         std::to_string(s.of.threads), cli::duration_text(median_of(s.few_ns)),
         std::to_string(s.threads_of_crowd), cli::duration_text(crowd.median),
         fmt::format("{}..{}", cli::duration_text(crowd.p5), cli::duration_text(crowd.p95)),
         ratio_text(grown), bar_text(grown.median, most_for(s))});
  }
  std::string text =
      fmt::format("Loops with {} threads and with {}{}, {} rounds, on {}\n",
                  r.asked.setting.threads, crowding * r.asked.setting.threads,
                  r.asked.setting.pinned ? ", pinned" : "", r.asked.rounds, machine_name());
  text += load_text(r.measured.others_share);
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text + '\n' + table.to_text();
}

ordered_json to_json(const report& r) {
  ordered_json rows = ordered_json::array();
  for (const series& s : r.measured.all) rows.push_back(row_json(s));
  return {{"schema", "doall-bench-oversubscribed/1"},
          {"machine", machine_name()},
          {"threads", r.asked.setting.threads},
          {"threads_of_crowd", crowding * r.asked.setting.threads},
          {"rounds", r.asked.rounds},
          {"pinned", r.asked.setting.pinned},
          {"others_cpu_share", r.measured.others_share},
          {"rows", rows},
          {"left_out", r.left_out}};
}

}  // namespace doall::bench
