// doall bench envelope: from which size on a parallel loop gains, and what a smaller one loses.
//
// Length: an experiment is one file: who takes part, what is measured, and the report.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/table.hpp"
#include "driver/benchmark.hpp"
#include "driver/chart.hpp"
#include "driver/contenders.hpp"
#include "driver/experiments.hpp"
#include "driver/load_watch.hpp"
#include "driver/machine.hpp"
#include "driver/round_trip.hpp"
#include "driver/shuffle.hpp"
#include "driver/statistics.hpp"
#include "experiments/envelope_analysis.hpp"
#include "lanes/uforall.hpp"

namespace doall::bench {
namespace {

const std::vector<std::string>& runtime_names();

// The one that is not a runtime, and always takes part.
inline constexpr const char* serial_name = "serial";

// Starts the lanes, which stand beside this program's file. Throws lane_error when
// the serial one is missing.
contenders start_contenders(const contest& c);

// The measurement: everybody in turn, round by round, so that a machine that
// slows down slows all of them.

// One contender's times under one schedule.
struct series {
  std::string runtime;
  std::string door;
  std::string setting;
  std::string library;
  std::string schedule;
  std::string site;  // "own": every T has one; "shuffled": they share one
  unsigned threads = 0;
  sweep_rounds rounds_ns = {};
  // Measured before each of its turns; empty: one CPU has nobody to send a line to.
  std::vector<double> round_trips_ns = {};
};

struct measurement {
  std::vector<uforall::loop_size> sizes;
  std::vector<series> serial;  // of either site; what the others are compared with
  std::vector<series> all;     // but the serial ones
  double others_share = 0;     // of all CPUs' time that other programs used
};

// `progress` is called before each round with its number. Throws lane_error on a wrong
// answer.
measurement measure(const contest& c, std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress);

// What came out, for people, for programs, and as a picture.

struct report {
  contest setting;
  unsigned rounds = 0;
  std::vector<std::string> left_out;
  measurement measured;
};

std::string to_text(const report& r);

// Schema "doall-bench-envelope/1"; this file's page has it.
nlohmann::ordered_json to_json(const report& r);

// Speed-up over T, as fine-grain's Figure 10: a panel for T's own sites, and one for
// the shared site.
std::string to_svg(const report& r);

void add_serial(roster& all, const contest& c) {
  lane_plan p{.runtime = serial_name, .door = "none", .program = "lane-uforall-serial"};
  if (c.pinned && !c.cpus.empty()) p.arguments.push_back(std::to_string(c.cpus.front()));
  if (all.add(p) == nullptr) all.take();  // throws: nobody is there
}

const std::vector<std::string>& runtime_names() {
  static const std::vector<std::string> names{"doall", "libgomp", "libomp", "tbb"};
  return names;
}

contenders start_contenders(const contest& c) {
  roster all(c);
  add_serial(all, c);
  if (c.wants("doall")) {
    all.add({.runtime = "doall", .door = "native", .program = "lane-uforall-doall"});
    all.add(with_doall_libgomp({.runtime = "doall",
                                .door = "gomp",
                                .program = "lane-uforall-openmp-gcc",
                                .arguments = {"static", "runtime"},
                                .needs = "GCC"}));
  }
  if (c.wants("libgomp")) {
    all.add_openmp_peer({.runtime = "libgomp",
                         .door = "gomp",
                         .program = "lane-uforall-openmp-gcc",
                         .arguments = {"static"},
                         .needs = "GCC"});
  }
  if (c.wants("libomp")) {
    all.add_openmp_peer({.runtime = "libomp",
                         .door = "kmp",
                         .program = "lane-uforall-openmp-clang",
                         .arguments = {"static"},
                         .needs = "clang-19 and libomp-19-dev"});
  }
  if (c.wants("tbb")) {
    all.add(with_tbb_arena(
        {.runtime = "tbb", .door = "tbb", .program = "lane-uforall-tbb", .needs = "libtbb-dev"},
        c));
  }
  return all.take();
}

using uforall::loop_size;

constexpr std::array sites{"own", "shuffled"};

// Whose turn it is: a schedule of a lane, and where its times go.
struct turn {
  lane_process* lane;
  std::size_t schedule;
  series* to;
};

// The least of some: whoever is disturbed takes longer.
double loop_ns(lane_process& lane, loop_size s) {
  std::vector<double> times_ns;
  for (int attempt = 0; attempt < 9; ++attempt) {
    times_ns.push_back(std::stod(
        lane.ask(fmt::format("loop 0 {} {} {}", uforall::shared_site, s.iterations, s.units))));
  }
  return std::ranges::min(times_ns);
}

// What an iteration must compute for a loop to take its T on this machine: within
// some per cent, as units are whole. What a loop takes indeed is measured in every round.
std::vector<loop_size> calibrate(lane_process& serial) {
  constexpr std::int64_t many = 10'000;
  constexpr std::uint64_t units = 65;
  const double least_ns = loop_ns(serial, {many, 1}) / many;
  const double unit_ns = (loop_ns(serial, {many, units}) / many - least_ns) / (units - 1);
  std::vector<loop_size> sizes;
  for (std::size_t k = 0; k < uforall::sizes; ++k) {
    const std::int64_t iterations = uforall::iterations(k);
    const double iteration_ns = uforall::serial_ns(k) / static_cast<double>(iterations);
    const double more = std::round((iteration_ns - least_ns) / unit_ns);
    sizes.push_back({iterations, 1 + static_cast<std::uint64_t>(std::max(0.0, more))});
  }
  return sizes;
}

// Before every turn, not once a round: a virtual machine's CPUs may be two threads of a
// core in one second, and two cores in the next.
double round_trip_ns(const contest& c) {
  constexpr unsigned batches = 4;
  return median_of(round_trips(c.cpus[0], c.cpus[1], batches));
}

std::vector<double> time(const turn& t, unsigned seed, const std::string& units) {
  const std::string text =
      t.lane->ask(fmt::format("time {} {} {}{}", t.schedule, t.to->site, seed, units));
  std::istringstream answer(text);
  std::vector<double> times_ns;
  for (double ns = 0; answer >> ns;) times_ns.push_back(ns);
  if (times_ns.size() != uforall::sizes) {
    throw lane_error(fmt::format("{}, {}, {}: expected {} times, got \"{}\"", t.lane->name(),
                                 t.to->schedule, t.to->site, uforall::sizes, text));
  }
  return times_ns;
}

// For each schedule as many as there are sites, one after the other.
std::vector<series> all_series(const contender& p) {
  std::vector<series> made;
  for (const std::string& schedule : p.lane->offers()) {
    for (const char* site : sites) {
      made.push_back({.runtime = p.runtime,
                      .door = p.door,
                      .setting = p.setting,
                      .library = p.lane->library(),
                      .schedule = schedule,
                      .site = site,
                      .threads = p.lane->threads()});
    }
  }
  return made;
}

measurement measure(const contest& c, std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress) {
  measurement m;
  std::vector<std::vector<series>> of_lanes;
  std::vector<turn> turns;
  for (const contender& p : present) of_lanes.push_back(all_series(p));
  for (std::size_t p = 0; p < present.size(); ++p) {
    for (std::size_t s = 0; s < of_lanes[p].size(); ++s) {
      turns.push_back({present[p].lane.get(), s / sites.size(), &of_lanes[p][s]});
    }
  }
  const auto serial = std::ranges::find(present, serial_name, &contender::runtime);
  m.sizes = calibrate(*serial->lane);
  std::string units;
  for (const loop_size& s : m.sizes) units += fmt::format(" {}", s.units);

  const load_watch load(present);
  base::rng random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    progress(round);
    shuffle(turns, random);
    for (const turn& t : turns) {
      if (c.cpus.size() > 1) t.to->round_trips_ns.push_back(round_trip_ns(c));
      t.to->rounds_ns.push_back(time(t, round, units));
    }
  }
  m.others_share = load.others_share();

  for (std::vector<series>& some : of_lanes) {
    auto& to = some.front().runtime == serial_name ? m.serial : m.all;
    std::ranges::move(some, std::back_inserter(to));
  }
  return m;
}

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

constexpr const char* name = "bench envelope";

struct request {
  contest setting = default_contest(runtime_names());
  unsigned rounds = 30;
  std::string json_file;
  std::string svg_file;
};

// False after --help.
bool read_request(const cli::arguments& args, request& r) {
  cli::option_parser options(
      name, "[OPTIONS]",
      "A parallel loop whose serial time T goes from 10 ns to 10 ms, every runtime in turn in\n"
      "one run: its time over min(T + 30 ns, T/P + round trip of a cache line), its burden d\n"
      "in S = T / (d + T/P), and from which T on it reaches 5, 50 and 95 % of its peak.",
      "Exit status 1 also when a loop's answer is wrong.");
  options.add_option("--rounds", r.rounds, "Rounds, each of everybody once; by default 30")
      ->check(CLI::Range(1U, 100'000U).description(""))
      ->type_name("N");
  add_contest_options(options, r.setting);
  options.add_option("--json", r.json_file, "Writes the numbers to FILE as well")
      ->type_name("FILE");
  options.add_option("--svg", r.svg_file, "Draws speed-up over T to FILE")->type_name("FILE");
  return options.read(args);
}

void run(const cli::arguments& args) {
  request r;
  if (!read_request(args, r)) return;
  json_file json(r.json_file);
  result_file svg(r.svg_file);
  contenders all = start_contenders(r.setting);
  const auto progress = [&](unsigned round) {
    show_progress(fmt::format("round {} of {}", round + 1, r.rounds));
  };
  measurement m = measure(r.setting, all.present, r.rounds, progress);
  show_progress("");

  const report made{r.setting, r.rounds, std::move(all.left_out), std::move(m)};
  fmt::print("{}", to_text(made));
  json.write(to_json(made));
  svg.write(to_svg(made));
}

}  // namespace

int run_envelope(int argc, char** argv) {
  return run_benchmark(name, argc, argv, [](const cli::arguments& args) { run(args); });
}

}  // namespace doall::bench
