#include "idle/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/table.hpp"
#include "common/load_watch.hpp"
#include "common/machine.hpp"
#include "neighbour/row_text.hpp"

namespace doall::bench {
namespace {

using cli::align;
using nlohmann::ordered_json;

constexpr double rest_cpu_most_ns = 2e6;  // a thread

std::optional<double> most_for(const rest_series& s) {
  if (s.of.runtime != "doall") return std::nullopt;
  return rest_cpu_most_ns * s.of.threads;
}

std::string loop_text(const loop& l) {
  return l.serial_ns > 0 ? cli::duration_text(l.serial_ns) : "empty";
}

std::string rests_text(const measurement& m) {
  cli::table table({{"runtime"},
                    {"door"},
                    {"CPU time", align::right},
                    {"p5..p95", align::right},
                    {"bar, ms"},
                    {"setting"}});
  for (const rest_series& s : m.rests) {
    const summary cpu = summarise(s.cpu_ns);
    std::optional<double> most_ms = most_for(s);
    if (most_ms) *most_ms /= 1e6;
    table.add_row({s.of.runtime, s.of.door, cli::duration_text(cpu.median),
                   fmt::format("{}..{}", cli::duration_text(cpu.p5), cli::duration_text(cpu.p95)),
                   bar_text(cpu.median / 1e6, most_ms), s.of.setting});
  }
  return fmt::format("In {} of sleep after the last loop, the process takes\n",
                     cli::duration_text(rest_ns)) +
         table.to_text();
}

std::string loops_text(const measurement& m) {
  std::vector<cli::table::column> columns{
      {"loop"}, {"runtime"}, {"door"}, {"schedule"}, {"no gap", align::right}};
  for (std::size_t g = 1; g < gaps_ns.size(); ++g) {
    columns.push_back({cli::duration_text(static_cast<double>(gaps_ns[g])), align::right});
    columns.push_back({"CPUs", align::right});
  }
  columns.push_back({"setting"});
  cli::table table(std::move(columns));
  for (const gap_series& s : m.loops) {
    std::vector<std::string> cells{loop_text(s.what), s.of.runtime, s.of.door, s.of.schedule,
                                   cli::duration_text(median_of(s.median_ns[0]))};
    for (std::size_t g = 1; g < gaps_ns.size(); ++g) {
      cells.push_back(ratio_text(ratio_of(s.median_ns[g], s.median_ns[0])));
      cells.push_back(fmt::format("{:.2f}", median_of(s.busy_cpus[g])));
    }
    cells.push_back(s.of.setting);
    table.add_row(std::move(cells));
  }
  return "Loops after gaps in which the caller works alone: time over that without gaps, 95%;\n"
         "and how many CPUs the other threads keep busy in the gaps\n" +
         table.to_text();
}

ordered_json rest_json(const rest_series& s) {
  const summary cpu = summarise(s.cpu_ns);
  const std::optional<double> most = most_for(s);
  ordered_json json = to_json(s.of);
  json.erase("schedule");
  json["cpu_ns"] = cpu.median;
  json["p5_ns"] = cpu.p5;
  json["p95_ns"] = cpu.p95;
  json["bar_ns"] = nullptr;
  json["held"] = nullptr;
  if (most) {
    json["bar_ns"] = *most;
    json["held"] = cpu.median <= *most;
  }
  json["rounds_ns"] = s.cpu_ns;
  return json;
}

ordered_json loop_json(const gap_series& s) {
  ordered_json gaps = ordered_json::array();
  for (std::size_t g = 1; g < gaps_ns.size(); ++g) {
    gaps.push_back({{"gap_ns", gaps_ns[g]},
                    {"median_ns", rounded(median_of(s.median_ns[g]))},
                    {"ratio", to_json(ratio_of(s.median_ns[g], s.median_ns[0]))},
                    {"busy_cpus", median_of(s.busy_cpus[g])},
                    {"rounds_ns", rounded(s.median_ns[g])}});
  }
  ordered_json json = to_json(s.of);
  json["serial_ns"] = s.what.serial_ns;
  json["median_ns"] = rounded(median_of(s.median_ns[0]));
  json["rounds_ns"] = rounded(s.median_ns[0]);
  json["gaps"] = gaps;
  return json;
}

}  // namespace

std::string to_text(const report& r) {
  std::string text =
      fmt::format("Idle threads, {} a process{}, {} rounds, on {}\n", r.asked.setting.threads,
                  r.asked.setting.pinned ? ", pinned" : "", r.asked.rounds, machine_name());
  text += load_text(r.measured.others_share);
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text + '\n' + rests_text(r.measured) + '\n' + loops_text(r.measured);
}

ordered_json to_json(const report& r) {
  ordered_json rests = ordered_json::array();
  for (const rest_series& s : r.measured.rests) rests.push_back(rest_json(s));
  ordered_json loops = ordered_json::array();
  for (const gap_series& s : r.measured.loops) loops.push_back(loop_json(s));
  return {{"schema", "doall-bench-idle/1"},
          {"machine", machine_name()},
          {"threads", r.asked.setting.threads},
          {"rounds", r.asked.rounds},
          {"pinned", r.asked.setting.pinned},
          {"others_cpu_share", r.measured.others_share},
          {"rest_ns", rest_ns},
          {"rests", rests},
          {"rows", loops},
          {"left_out", r.left_out}};
}

}  // namespace doall::bench
