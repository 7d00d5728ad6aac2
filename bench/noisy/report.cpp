#include "noisy/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/table.hpp"
#include "common/load_watch.hpp"
#include "common/machine.hpp"
#include "neighbour/row_text.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

// The most that is asked of a row, in serial times; of OpenMP's loops, in libgomp's.
struct bars {
  std::optional<double> mean = {};
  std::optional<double> p99 = {};
  std::optional<double> to_libgomp = {};
};

bars bars_of(const series& s, const loop& what) {
  if (s.of.runtime != "doall") return {};
  if (s.of.door != "native") return {.to_libgomp = 1 / 1.5};
  if (what.serial_ns < 1e6) return {.mean = 0.8, .p99 = 2};
  return {.mean = 0.8};
}

struct row {
  const series* of;
  const loop* what;
  ratio mean;  // over the serial loop's mean
  ratio p99;   // likewise
  std::optional<ratio> to_libgomp = {};
  bars most;
};

// libgomp waits in several ways: the one with the least mean counts.
const series* best_of_libgomp(const measurement& m, std::size_t loop) {
  const series* best = nullptr;
  for (const series& s : m.all) {
    if (s.of.runtime != "libgomp" || s.loop != loop) continue;
    if (best == nullptr || median_of(s.mean_ns) < median_of(best->mean_ns)) best = &s;
  }
  return best;
}

std::vector<row> make_rows(const measurement& m) {
  std::vector<row> rows;
  for (const series& s : m.all) {
    const noisy_loop& l = m.loops[s.loop];
    row r{.of = &s,
          .what = &l.what,
          .mean = ratio_of(s.mean_ns, l.serial_ns),
          .p99 = ratio_of(s.p99_ns, l.serial_ns),
          .most = bars_of(s, l.what)};
    if (const series* peer = best_of_libgomp(m, s.loop)) {
      r.to_libgomp = ratio_of(s.mean_ns, peer->mean_ns);
    }
    rows.push_back(std::move(r));
  }
  return rows;
}

ordered_json bar_json(double found, const std::optional<double>& most) {
  if (!most) return nullptr;
  return {{"most", *most}, {"held", found <= *most}};
}

ordered_json row_json(const row& r) {
  ordered_json json = to_json(r.of->of);
  json["serial_ns"] = r.what->serial_ns;
  json["mean_ns"] = rounded(median_of(r.of->mean_ns));
  json["p99_ns"] = rounded(median_of(r.of->p99_ns));
  json["mean_to_serial"] = to_json(r.mean);
  json["mean_bar"] = bar_json(r.mean.median, r.most.mean);
  json["p99_to_serial"] = to_json(r.p99);
  json["p99_bar"] = bar_json(r.p99.median, r.most.p99);
  json["mean_to_libgomp"] = nullptr;
  json["libgomp_bar"] = nullptr;
  if (r.to_libgomp) {
    json["mean_to_libgomp"] = to_json(*r.to_libgomp);
    json["libgomp_bar"] = bar_json(r.to_libgomp->median, r.most.to_libgomp);
  }
  json["mean_rounds_ns"] = rounded(r.of->mean_ns);
  json["p99_rounds_ns"] = rounded(r.of->p99_ns);
  return json;
}

std::string heading(const report& r) {
  const measurement& m = r.measured;
  std::string text = fmt::format(
      "Loops on {} threads{} while another process is busy on CPU {}, {} rounds, on {}\n",
      r.asked.setting.threads, r.asked.setting.pinned ? ", pinned" : ", not pinned", m.busy_cpu,
      r.asked.rounds, machine_name());
  for (const noisy_loop& l : m.loops) {
    const summary serial = summarise(l.serial_ns);
    text += fmt::format("Serial, {}: {} ({}..{})\n", cli::duration_text(l.what.serial_ns),
                        cli::duration_text(serial.median), cli::duration_text(serial.p5),
                        cli::duration_text(serial.p95));
  }
  // Of P CPUs one is shared with one other.
  text +=
      fmt::format("The least possible: {:.2f} of serial\n", 1 / (r.asked.setting.threads - 0.5));
  text += load_text(m.others_share);
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text;
}

}  // namespace

std::string to_text(const report& r) {
  using cli::align;
  cli::table table({{"loop"},
                    {"runtime"},
                    {"door"},
                    {"schedule"},
                    {"mean of serial, 95%", align::right},
                    {"bar"},
                    {"p99 of serial, 95%", align::right},
                    {"bar"},
                    {"mean to libgomp, 95%", align::right},
                    {"bar"},
                    {"setting"}});
  for (const row& line : make_rows(r.measured)) {
    const entrant& who = line.of->of;
    table.add_row({cli::duration_text(line.what->serial_ns), who.runtime, who.door, who.schedule,
                   ratio_text(line.mean), bar_text(line.mean.median, line.most.mean),
                   ratio_text(line.p99), bar_text(line.p99.median, line.most.p99),
                   line.to_libgomp ? ratio_text(*line.to_libgomp) : "-",
                   line.to_libgomp ? bar_text(line.to_libgomp->median, line.most.to_libgomp) : "-",
                   who.setting});
  }
  return heading(r) + '\n' + table.to_text();
}

ordered_json to_json(const report& r) {
  const measurement& m = r.measured;
  ordered_json serial = ordered_json::array();
  for (const noisy_loop& l : m.loops) {
    serial.push_back({{"serial_ns", l.what.serial_ns},
                      {"mean_ns", rounded(median_of(l.serial_ns))},
                      {"mean_rounds_ns", rounded(l.serial_ns)}});
  }
  ordered_json rows = ordered_json::array();
  for (const row& line : make_rows(m)) rows.push_back(row_json(line));
  return {{"schema", "doall-bench-noisy/1"},
          {"machine", machine_name()},
          {"threads", r.asked.setting.threads},
          {"busy_cpu", m.busy_cpu},
          {"rounds", r.asked.rounds},
          {"pinned", r.asked.setting.pinned},
          {"others_cpu_share", m.others_share},
          {"serial", serial},
          {"rows", rows},
          {"left_out", r.left_out}};
}

}  // namespace doall::bench
