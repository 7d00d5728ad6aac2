#include "envelope/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/table.hpp"
#include "common/chart.hpp"
#include "common/load_watch.hpp"
#include "common/machine.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

// A series with its numbers.
struct row {
  const series* of;
  figures found;
};

struct rows {
  std::vector<row> best;    // one for each runtime, door, schedule and site
  std::vector<row> slower;  // the same under the settings that lost
};

bool same_contender(const series& a, const series& b) {
  return a.runtime == b.runtime && a.door == b.door && a.schedule == b.schedule && a.site == b.site;
}

// More threads than CPUs divide a loop no further.
double workers(const contest& c) {
  return static_cast<double>(std::min<std::size_t>(c.threads, c.cpus.size()));
}

// To `made`, the better setting in front.
void add(rows& made, row candidate) {
  const auto rival = std::ranges::find_if(
      made.best, [&](const row& b) { return same_contender(*b.of, *candidate.of); });
  if (rival == made.best.end()) {
    made.best.push_back(std::move(candidate));
    return;
  }
  if (candidate.found.geomean < rival->found.geomean) std::swap(candidate, *rival);
  made.slower.push_back(std::move(candidate));
}

rows make_rows(const report& r) {
  const measurement& m = r.measured;
  rows made;
  for (const series& serial : m.serial) {
    for (const series& s : m.all) {
      if (s.site != serial.site) continue;
      add(made, {&s, analyse(s.rounds_ns, serial.rounds_ns, s.round_trips_ns, workers(r.setting))});
    }
  }
  return made;
}

// Of all turns.
std::optional<summary> round_trip(const measurement& m) {
  std::vector<double> all_ns;
  for (const series& s : m.all) {
    all_ns.insert(all_ns.end(), s.round_trips_ns.begin(), s.round_trips_ns.end());
  }
  if (all_ns.empty()) return std::nullopt;
  return summarise(std::move(all_ns));
}

std::string summary_text(const report& r) {
  const measurement& m = r.measured;
  const std::optional<summary> trip = round_trip(m);
  std::string text =
      fmt::format("Loops of T = 10 ns to 10 ms, {} threads{}, {} rounds, on {}\n",
                  r.setting.threads, r.setting.pinned ? ", pinned" : "", r.rounds, machine_name());
  if (!trip) {
    text += "Cache-line round trip: not measured, this process has one CPU; envelope: T + 30 ns\n";
  } else {
    text += fmt::format(
        "Cache-line round trip, CPUs {} and {}: {:.0f} ns ({:.0f}..{:.0f})\n"
        "Envelope: min(T + 30 ns, T/{:.0f} + round trip)\n",
        r.setting.cpus[0], r.setting.cpus[1], trip->median, trip->p5, trip->p95,
        workers(r.setting));
  }
  text += load_text(m.others_share);
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text;
}

// Two decimals of a nanosecond, four of a ratio: finer than either is known.
double to_hundredths(double ns) { return std::round(ns * 100) / 100; }
double rounded_ratio(double ratio) { return std::round(ratio * 10'000) / 10'000; }

ordered_json points_json(const figures& f) {
  ordered_json list = ordered_json::array();
  for (const point& p : f.points) {
    ordered_json one{{"t_ns", to_hundredths(p.serial_ns)},
                     {"median_ns", to_hundredths(p.loop_ns.median)},
                     {"p5_ns", to_hundredths(p.loop_ns.p5)},
                     {"p95_ns", to_hundredths(p.loop_ns.p95)},
                     {"speed_up", rounded_ratio(p.speed_up)},
                     {"to_envelope", rounded_ratio(p.to_envelope)},
                     {"interval", nullptr}};
    if (p.interval) {
      one["interval"] = {{"low", rounded_ratio(p.interval->low)},
                         {"high", rounded_ratio(p.interval->high)}};
    }
    list.push_back(std::move(one));
  }
  return list;
}

ordered_json row_json(const row& r) {
  const figures& f = r.found;
  ordered_json json{{"runtime", r.of->runtime},
                    {"door", r.of->door},
                    {"schedule", r.of->schedule},
                    {"site", r.of->site},
                    {"threads", r.of->threads},
                    {"round_trip_ns", nullptr},
                    {"geomean", rounded_ratio(f.geomean)},
                    {"geomean_p5", rounded_ratio(f.geomean_low)},
                    {"geomean_p95", rounded_ratio(f.geomean_high)},
                    {"worst", rounded_ratio(f.worst)},
                    {"worst_at_ns", to_hundredths(f.worst_at_ns)},
                    {"d_ns", nullptr},
                    {"peak_speed_up", rounded_ratio(f.peak)},
                    {"t5_ns", to_hundredths(f.t5_ns)},
                    {"t50_ns", to_hundredths(f.t50_ns)},
                    {"t95_ns", to_hundredths(f.t95_ns)},
                    {"setting", r.of->setting},
                    {"library", r.of->library},
                    {"points", points_json(f)}};
  if (!r.of->round_trips_ns.empty()) {
    json["round_trip_ns"] = to_hundredths(median_of(r.of->round_trips_ns));
  }
  if (f.burden_ns) json["d_ns"] = to_hundredths(*f.burden_ns);
  return json;
}

ordered_json rows_json(const std::vector<row>& some) {
  ordered_json list = ordered_json::array();
  for (const row& r : some) list.push_back(row_json(r));
  return list;
}

// "<= 10 ns" where the smallest T is fast enough.
std::string reached_text(const figures& f, double t_ns) {
  const bool at_once = t_ns <= f.points.front().serial_ns;
  return (at_once ? "<= " : "") + cli::duration_text(t_ns);
}

curve bound_curve(const report& r, const std::string& site) {
  const measurement& m = r.measured;
  const auto serial = std::ranges::find(m.serial, site, &series::site);
  const figures alone = analyse(serial->rounds_ns, serial->rounds_ns, {}, 1);
  const std::optional<summary> trip = round_trip(m);
  const auto trip_ns = trip ? std::optional(trip->median) : std::nullopt;
  curve bound{"min(T + 30 ns, T/P + round trip)", {}, {}, true};
  for (const point& p : alone.points) {
    bound.x.push_back(p.serial_ns);
    bound.y.push_back(p.serial_ns / envelope_ns(p.serial_ns, workers(r.setting), trip_ns));
  }
  return bound;
}

}  // namespace

std::string to_text(const report& r) {
  using cli::align;
  cli::table table({{"site"},
                    {"runtime"},
                    {"door"},
                    {"schedule"},
                    {"geomean", align::right},
                    {"p5..p95", align::right},
                    {"worst", align::right},
                    {"at T", align::right},
                    {"burden d", align::right},
                    {"peak", align::right},
                    {"5% at T", align::right},
                    {"50%", align::right},
                    {"95%", align::right},
                    {"best setting"}});
  for (const row& line : make_rows(r).best) {
    const figures& f = line.found;
    table.add_row({line.of->site, line.of->runtime, line.of->door, line.of->schedule,
                   fmt::format("{:.2f}", f.geomean),
                   fmt::format("{:.2f}..{:.2f}", f.geomean_low, f.geomean_high),
                   fmt::format("{:.2f}", f.worst), cli::duration_text(f.worst_at_ns),
                   f.burden_ns ? cli::duration_text(*f.burden_ns) : "-",
                   fmt::format("{:.2f}", f.peak), reached_text(f, f.t5_ns),
                   reached_text(f, f.t50_ns), reached_text(f, f.t95_ns), line.of->setting});
  }
  return summary_text(r) + '\n' + table.to_text();
}

ordered_json to_json(const report& r) {
  const measurement& m = r.measured;
  const rows made = make_rows(r);
  ordered_json sizes = ordered_json::array();
  for (const uforall::loop_size& s : m.sizes) {
    sizes.push_back({{"iterations", s.iterations}, {"units", s.units}});
  }
  ordered_json json{{"schema", "doall-bench-envelope/1"},
                    {"round_trip_ns", nullptr},
                    {"machine", machine_name()},
                    {"threads", r.setting.threads},
                    {"rounds", r.rounds},
                    {"pinned", r.setting.pinned},
                    {"others_cpu_share", m.others_share},
                    {"sizes", sizes},
                    {"rows", rows_json(made.best)},
                    {"slower_settings", rows_json(made.slower)},
                    {"left_out", r.left_out}};
  if (const auto trip = round_trip(m)) json["round_trip_ns"] = to_hundredths(trip->median);
  return json;
}

std::string to_svg(const report& r) {
  chart c{.title = fmt::format("uforall, {} threads, on {}", r.setting.threads, machine_name()),
          .x_label = "T, the loop's serial time",
          .y_label = "speed-up",
          .x_text = cli::duration_text,
          .panels = {{"each T at its own site", {bound_curve(r, "own")}},
                     {"all T at one site, shuffled", {bound_curve(r, "shuffled")}}}};
  for (const row& line : make_rows(r).best) {
    curve drawn{
        fmt::format("{}, {} ({})", line.of->runtime, line.of->schedule, line.of->door), {}, {}};
    for (const point& p : line.found.points) {
      drawn.x.push_back(p.serial_ns);
      drawn.y.push_back(p.speed_up);
    }
    c.panels[line.of->site == "own" ? 0 : 1].curves.push_back(std::move(drawn));
  }
  return to_svg(c);
}

}  // namespace doall::bench
