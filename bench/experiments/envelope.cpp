// doall bench envelope: from which size on a parallel loop gains, and what a smaller one loses.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "driver/experiment.hpp"
#include "driver/report.hpp"
#include "driver/round_trip.hpp"
#include "driver/statistics.hpp"
#include "experiments/envelope_analysis.hpp"
#include "experiments/neighbours.hpp"
#include "text/chart.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;
using uforall::loop_size;

// Where loops stand, and what happens there: its name, and the title of its panel.
struct way {
  const char* name;
  const char* title;
};
constexpr std::array ways{way{"own", "each T at its own site"},
                          way{"shuffled", "all T at one site, shuffled"},
                          way{"swinging", "each T at its own site, bodies doubled and halved"}};

// One contender's times under one schedule.
struct sweep_series {
  entrant of;
  std::string site;
  sweep_rounds rounds_ns = {};
  // Measured before each of its turns; empty: one CPU has nobody to send a line to.
  std::vector<double> round_trips_ns = {};

  bool is_serial() const { return of.who->runtime == serial_name; }
};

struct envelopes : outcome {
  std::vector<loop_size> sizes = {};
  std::vector<sweep_series> all = {};  // the serial ones too, what the others are compared with

  const sweep_series& serial(const std::string& site) const {
    return *std::ranges::find_if(
        all, [&](const sweep_series& s) { return s.is_serial() && s.site == site; });
  }
  // More threads than CPUs divide a loop no further.
  double workers() const {
    return static_cast<double>(
        std::min<std::size_t>(asked.setting.threads, asked.setting.cpus.size()));
  }
};

// What an iteration must compute for a loop to take its T on this machine: within
// some per cent, as units are whole. What a loop takes indeed is measured in every round.
std::vector<loop_size> calibrate(lane_process& serial) {
  constexpr std::int64_t many = 10'000;
  constexpr std::uint64_t units = 65;
  const auto iteration_ns = [&](std::uint64_t computed) {
    return serial_loop_ns(serial, uforall::shared_site, {many, computed}) / many;
  };
  const double least_ns = iteration_ns(1);
  const double unit_ns = (iteration_ns(units) - least_ns) / (units - 1);
  std::vector<loop_size> sizes;
  for (std::size_t k = 0; k < uforall::sizes; ++k) {
    const std::int64_t iterations = uforall::iterations(k);
    const double wanted_ns = uforall::serial_ns(k) / static_cast<double>(iterations);
    const double more = std::round((wanted_ns - least_ns) / unit_ns);
    sizes.push_back({iterations, 1 + static_cast<std::uint64_t>(std::max(0.0, more))});
  }
  return sizes;
}

void measure(envelopes& m) {
  const std::vector<int>& cpus = m.asked.setting.cpus;
  for (const entrant& e : entrants_of(m.who.present)) {
    for (const way& w : ways) m.all.push_back({e, w.name});
  }
  m.sizes = calibrate(*m.who.present.front().lane);
  std::string units;
  for (const loop_size& s : m.sizes) units += fmt::format(" {}", s.units);
  std::vector<sweep_series*> turns;
  for (sweep_series& s : m.all) turns.push_back(&s);
  unsigned seed = 0;
  measure_rounds(m, [&](base::rng& random) {
    shuffle(turns, random);
    for (sweep_series* s : turns) {
      // Before every turn, not once a round: a virtual machine's CPUs may be two threads of a
      // core in one second, and two cores in the next.
      constexpr unsigned batches = 4;
      if (cpus.size() > 1) {
        s->round_trips_ns.push_back(median_of(round_trips(cpus[0], cpus[1], batches)));
      }
      s->rounds_ns.push_back(s->of.who->lane->numbers(
          fmt::format("time {} {} {}{}", s->of.schedule, s->site, seed, units), uforall::sizes));
    }
    ++seed;
  });
}

// A series with its numbers.
struct row {
  const sweep_series* of;
  figures found;
};

struct rows {
  std::vector<row> best;    // one for each runtime, door, schedule and site
  std::vector<row> slower;  // the same under the settings that lost
};

// To `made`, the better setting in front.
void add(rows& made, row candidate) {
  const auto rival = std::ranges::find_if(made.best, [&](const row& b) {
    return name_of(b.of->of) == name_of(candidate.of->of) && b.of->site == candidate.of->site;
  });
  if (rival == made.best.end()) {
    made.best.push_back(std::move(candidate));
    return;
  }
  if (candidate.found.geomean < rival->found.geomean) std::swap(candidate, *rival);
  made.slower.push_back(std::move(candidate));
}

rows make_rows(const envelopes& m) {
  rows made;
  for (const way& w : ways) {
    for (const sweep_series& s : m.all) {
      if (s.is_serial() || s.site != w.name) continue;
      add(made,
          {&s, analyse(s.rounds_ns, m.serial(s.site).rounds_ns, s.round_trips_ns, m.workers())});
    }
  }
  return made;
}

// Of all turns.
std::optional<summary> round_trip(const envelopes& m) {
  std::vector<double> all_ns;
  for (const sweep_series& s : m.all) {
    if (s.is_serial()) continue;
    all_ns.insert(all_ns.end(), s.round_trips_ns.begin(), s.round_trips_ns.end());
  }
  if (all_ns.empty()) return std::nullopt;
  return summarise(std::move(all_ns));
}

std::string header_text(const envelopes& m) {
  const contest& c = m.asked.setting;
  const std::optional<summary> trip = round_trip(m);
  std::string text = fmt::format("Loops of T = 10 ns to 10 ms, {}, {} rounds, on {}\n",
                                 threads_text(c), m.asked.rounds, machine_name());
  if (!trip) {
    text += "Cache-line round trip: not measured, this process has one CPU; envelope: T + 30 ns\n";
  } else {
    text += fmt::format(
        "Cache-line round trip, CPUs {} and {}: {:.0f} ns ({:.0f}..{:.0f})\n"
        "Envelope: min(T + 30 ns, T/{:.0f} + round trip)\n",
        c.cpus[0], c.cpus[1], trip->median, trip->p5, trip->p95, m.workers());
  }
  return text + load_text(m.others_share) + peers_text(m);
}

// "<= 10 ns" where the smallest T is fast enough.
std::string reached_text(const figures& f, double t_ns) {
  const bool at_once = t_ns <= f.points.front().serial_ns;
  return (at_once ? "<= " : "") + cli::duration_text(t_ns);
}

std::string to_text(const envelopes& m) {
  cli::table table({"site", "runtime", "door", "schedule", ">geomean", ">p5..p95", ">worst",
                    ">at T", ">burden d", ">peak", ">5% at T", ">50%", ">95%", "best setting"});
  for (const row& line : make_rows(m).best) {
    const figures& f = line.found;
    const entrant& e = line.of->of;
    table.add_row({line.of->site, e.who->runtime, e.who->door, e.schedule,
                   fmt::format("{:.2f}", f.geomean),
                   fmt::format("{:.2f}..{:.2f}", f.geomean_low, f.geomean_high),
                   fmt::format("{:.2f}", f.worst), cli::duration_text(f.worst_at_ns),
                   f.burden_ns ? cli::duration_text(*f.burden_ns) : "-",
                   fmt::format("{:.2f}", f.peak), reached_text(f, f.t5_ns),
                   reached_text(f, f.t50_ns), reached_text(f, f.t95_ns), e.who->setting});
  }
  return header_text(m) + '\n' + table.to_text();
}

// --- Schema "doall-bench-envelope/1"; this file's page has it.

// Two decimals of a nanosecond, four of a ratio: finer than either is known.
double to_hundredths(double ns) { return rounded(ns, 0.01); }
double rounded_ratio(double ratio) { return rounded(ratio, 0.0001); }

ordered_json to_json(const point& p) {
  ordered_json json{{"t_ns", to_hundredths(p.serial_ns)},
                    {"median_ns", to_hundredths(p.loop_ns.median)},
                    {"p5_ns", to_hundredths(p.loop_ns.p5)},
                    {"p95_ns", to_hundredths(p.loop_ns.p95)},
                    {"speed_up", rounded_ratio(p.speed_up)},
                    {"to_envelope", rounded_ratio(p.to_envelope)},
                    {"interval", nullptr}};
  if (p.interval) {
    json["interval"] = {{"low", rounded_ratio(p.interval->low)},
                        {"high", rounded_ratio(p.interval->high)}};
  }
  return json;
}

ordered_json to_json(const row& r) {
  const figures& f = r.found;
  ordered_json json = to_json(r.of->of);
  json["site"] = r.of->site;
  json["round_trip_ns"] = nullptr;
  if (!r.of->round_trips_ns.empty()) {
    json["round_trip_ns"] = to_hundredths(median_of(r.of->round_trips_ns));
  }
  json["geomean"] = rounded_ratio(f.geomean);
  json["geomean_p5"] = rounded_ratio(f.geomean_low);
  json["geomean_p95"] = rounded_ratio(f.geomean_high);
  json["worst"] = rounded_ratio(f.worst);
  json["worst_at_ns"] = to_hundredths(f.worst_at_ns);
  json["d_ns"] = nullptr;
  if (f.burden_ns) json["d_ns"] = to_hundredths(*f.burden_ns);
  json["peak_speed_up"] = rounded_ratio(f.peak);
  json["t5_ns"] = to_hundredths(f.t5_ns);
  json["t50_ns"] = to_hundredths(f.t50_ns);
  json["t95_ns"] = to_hundredths(f.t95_ns);
  json["points"] = ordered_json::array();
  for (const point& p : f.points) json["points"].push_back(to_json(p));
  return json;
}

ordered_json to_json(const envelopes& m) {
  const rows made = make_rows(m);
  ordered_json json = to_json(static_cast<const outcome&>(m), "envelope");
  json["round_trip_ns"] = nullptr;
  if (const auto trip = round_trip(m)) json["round_trip_ns"] = to_hundredths(trip->median);
  json["rounds"] = m.asked.rounds;
  json["sizes"] = ordered_json::array();
  for (const loop_size& s : m.sizes) {
    json["sizes"].push_back({{"iterations", s.iterations}, {"units", s.units}});
  }
  json["rows"] = list_json(made.best);
  json["slower_settings"] = list_json(made.slower);
  return json;
}

// --- Speed-up over T, as fine-grain's Figure 10: a panel for each way.

cli::curve bound_curve(const envelopes& m, const std::string& site) {
  const sweep_rounds& serial = m.serial(site).rounds_ns;
  const std::optional<summary> trip = round_trip(m);
  const auto trip_ns = trip ? std::optional(trip->median) : std::nullopt;
  cli::curve bound{"min(T + 30 ns, T/P + round trip)", {}, {}, true};
  for (const point& p : analyse(serial, serial, {}, 1).points) {
    bound.x.push_back(p.serial_ns);
    bound.y.push_back(p.serial_ns / envelope_ns(p.serial_ns, m.workers(), trip_ns));
  }
  return bound;
}

std::string to_svg(const envelopes& m) {
  cli::chart c{
      .title = fmt::format("uforall, {} threads, on {}", m.asked.setting.threads, machine_name()),
      .x_label = "T, the loop's serial time",
      .y_label = "speed-up",
      .x_text = cli::duration_text,
      .panels = {}};
  for (const way& w : ways) c.panels.push_back({w.title, {bound_curve(m, w.name)}});
  for (const row& line : make_rows(m).best) {
    const entrant& e = line.of->of;
    cli::curve drawn{fmt::format("{}, {} ({})", e.who->runtime, e.schedule, e.who->door), {}, {}};
    for (const point& p : line.found.points) {
      drawn.x.push_back(p.serial_ns);
      drawn.y.push_back(p.speed_up);
    }
    std::size_t panel = 0;
    while (line.of->site != ways.at(panel).name) ++panel;
    c.panels[panel].curves.push_back(std::move(drawn));
  }
  return to_svg(c);
}

void run_envelope(const cli::arguments& args) {
  run_options asked{.setting = default_contest(), .rounds = 30};
  cli::option_parser options(
      "bench envelope", "[OPTIONS]",
      "A parallel loop whose serial time T goes from 10 ns to 10 ms, every runtime in turn in\n"
      "one run: its time over min(T + 30 ns, T/P + round trip of a cache line), its burden d\n"
      "in S = T / (d + T/P), and from which T on it reaches 5, 50 and 95 % of its peak.",
      "Exit status 1 also when a loop's answer is wrong.");
  add_rounds_option(options, asked);
  add_contest_options(options, asked.setting);
  add_json_option(options, asked);
  add_svg_option(options, asked, "speed-up over T to FILE");
  if (!options.read(args)) return;
  result_file json(asked.json_file);
  result_file svg(asked.svg_file);
  envelopes m{{asked, start_uforall(asked.setting, peer_waiting::actively_too, {"runtime"})}};
  measure(m);
  fmt::print("{}", to_text(m));
  json.write(to_json(m));
  svg.write(to_svg(m));
}

const experiment here{"envelope", run_envelope};

}  // namespace
}  // namespace doall::bench
