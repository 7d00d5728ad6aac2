// doall bench burden: what a parallel loop costs when its body is empty.
//
// Length: an experiment is one file: who takes part, what is measured, and the report.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/table.hpp"
#include "driver/benchmark.hpp"
#include "driver/contenders.hpp"
#include "driver/experiments.hpp"
#include "driver/load_watch.hpp"
#include "driver/machine.hpp"
#include "driver/round_trip.hpp"
#include "driver/shuffle.hpp"
#include "driver/statistics.hpp"
#include "lanes/burden_lane.hpp"

namespace doall::bench {
namespace {

const std::vector<std::string>& runtime_names();

// Starts the lanes, which stand beside this program's file.
contenders start_contenders(const contest& c);

// The setting of a contender that is there to compare fine-grain's ways to release and join
// a team, not runtimes, is one of these.
inline constexpr std::array barrier_variants{"DOALL_BARRIER=auto", "DOALL_BARRIER=centralized",
                                             "DOALL_BARRIER=tree", "DOALL_BARRIER=full"};
inline constexpr const char* full_barrier = barrier_variants.back();
bool is_barrier_variant(const std::string& setting);

// The OpenMP schedule that divides the loop likewise, its own name for most;
// "" for a schedule that OpenMP has not.
std::string counterpart(const std::string& schedule);

// The measurement: everybody in turn, round by round, so that a machine that
// slows down slows all of them.

// One contender's times under one schedule.
struct series {
  std::string runtime;
  std::string door;
  std::string setting;
  std::string library;
  std::string schedule;
  unsigned threads = 0;
  double shared_part = 0;               // of loops, whose last iteration another thread ran
  std::vector<double> batches_ns = {};  // a loop, for every batch of every round
  std::vector<double> rounds_ns = {};   // a loop, the median of each round's batches
};

struct measurement {
  std::vector<series> all;
  // Of every batch, and the median of each round's; empty: one CPU has nobody to send a line to.
  std::vector<double> round_trips_ns;
  std::vector<double> round_trip_rounds_ns;
  double others_share = 0;  // of all CPUs' time that other programs used
};

// Checks every contender's answers, runs the rounds, checks again. `progress` is
// called before each round with its number. Throws lane_error on a wrong answer.
measurement measure(const contest& c, std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress);

// What came out, for people and for programs.

struct report {
  contest setting;
  unsigned rounds = 0;
  std::vector<std::string> left_out;
  measurement measured;
};

std::string to_text(const report& r);

// Schema "doall-bench-burden/1"; this file's page has it.
nlohmann::ordered_json to_json(const report& r);

// The registry's. An empty iteration has no cost to go by.
std::vector<std::string> our_texts() {
  std::vector<std::string> texts = registry_texts();
  std::erase_if(texts, wants_costs);
  return texts;
}

// GCC's binary, the same file as libgomp's lane, with our library before its own.
void add_gomp_door(roster& all) {
  const lane_plan p = with_doall_libgomp(
      {.runtime = "doall", .door = "gomp", .program = "lane-burden-openmp-gcc", .needs = "GCC"});
  const lane_process* standard = all.add(p);
  if (standard == nullptr) return;
  // What omp_set_schedule() has no name for comes through OMP_SCHEDULE.
  const std::vector<std::string> known = standard->offers();
  for (const std::string& text : our_texts()) {
    if (std::ranges::count(known, "runtime:" + text) != 0) continue;
    lane_plan other = p;
    other.arguments = {"runtime:" + text};
    other.variables.push_back("OMP_SCHEDULE=" + text);
    all.add(other);
  }
}

void add_native_door(roster& all) {
  std::vector<std::string> schedules = our_texts();
  schedules.insert(schedules.begin(), "default");
  all.add({.runtime = "doall",
           .door = "native",
           .program = "lane-burden-doall",
           .arguments = std::move(schedules)});
}

// With two workers centralized and tree are the same: so with more too, as far as there are
// CPUs, besides as many as all others have.
std::vector<unsigned> team_sizes_of_variants(const contest& c) {
  std::vector<unsigned> sizes{c.threads};
  for (unsigned threads = 4; threads <= c.cpus.size(); threads *= 2) {
    if (threads != c.threads) sizes.push_back(threads);
  }
  return sizes;
}

// Both doors' static loop.
void add_variants(contenders& found, const contest& c) {
  for (const unsigned threads : team_sizes_of_variants(c)) {
    contest of_that_size = c;
    of_that_size.threads = threads;
    roster some(of_that_size);
    for (const char* variant : barrier_variants) {
      const lane_plan native{.runtime = "doall",
                             .door = "native",
                             .setting = variant,
                             .program = "lane-burden-doall",
                             .arguments = {"static"},
                             .variables = {variant}};
      lane_plan gomp = native;
      gomp.door = "gomp";
      gomp.program = "lane-burden-openmp-gcc";
      gomp.needs = "GCC";
      some.add(native);
      some.add(with_doall_libgomp(gomp));
    }
    contenders added = some.take();
    std::ranges::move(added.present, std::back_inserter(found.present));
    std::ranges::move(added.left_out, std::back_inserter(found.left_out));
  }
}

void add_tbb(roster& all, const contest& c) {
  lane_plan p{.runtime = "tbb", .door = "tbb", .program = "lane-burden-tbb", .needs = "libtbb-dev"};
  p.arguments.push_back(std::to_string(c.threads));
  if (c.pinned) {
    for (const int cpu : c.cpus) p.arguments.push_back(std::to_string(cpu));
  }
  all.add(p);
}

const std::vector<std::string>& runtime_names() {
  static const std::vector<std::string> names{"doall", "libgomp", "libomp", "tbb"};
  return names;
}

contenders start_contenders(const contest& c) {
  roster all(c);
  if (c.wants("libgomp")) {
    all.add_openmp_peer({.runtime = "libgomp",
                         .door = "gomp",
                         .program = "lane-burden-openmp-gcc",
                         .needs = "GCC"});
  }
  if (c.wants("doall")) {
    add_gomp_door(all);
    add_native_door(all);
  }
  if (c.wants("libomp")) {
    all.add_openmp_peer({.runtime = "libomp",
                         .door = "kmp",
                         .program = "lane-burden-openmp-clang",
                         .needs = "clang-19 and libomp-19-dev"});
  }
  if (c.wants("tbb")) add_tbb(all, c);
  contenders found = all.take();
  if (c.wants("doall")) add_variants(found, c);
  return found;
}

bool is_barrier_variant(const std::string& setting) {
  return std::ranges::find(barrier_variants, setting) != barrier_variants.end();
}

std::string counterpart(const std::string& schedule) {
  struct pair {
    std::string_view partitioner;
    std::string_view openmp;
  };
  static constexpr std::array partitioners{
      pair{"static_partitioner", "static"},
      pair{"simple_partitioner,1", "dynamic,1"},
      pair{"auto_partitioner", ""},
      pair{"affinity_partitioner", ""},
  };
  const auto found = std::ranges::find(partitioners, schedule, &pair::partitioner);
  return found == partitioners.end() ? schedule : std::string(found->openmp);
}

constexpr unsigned batches_a_round = 20;
constexpr unsigned loops_to_check = 1000;

// Whose turn it is: a schedule of a lane, and where its times go.
struct turn {
  lane_process* lane;
  std::size_t schedule;
  std::size_t series;
};

// Throws lane_error unless in loops_to_check loops every iteration ran exactly once
// a loop. Returns in what part of as many again the last iteration ran on another
// thread than the caller's.
double check(const turn& t) {
  const std::string answer = t.lane->ask(fmt::format("check {} {}", t.schedule, loops_to_check));
  std::istringstream fields(answer);
  std::string verdict;
  double shared_part = 0;
  if (!(fields >> verdict >> shared_part) || verdict != "ok") {
    throw lane_error(fmt::format("{}, {}: {}; expected once a loop", t.lane->name(),
                                 t.lane->offers()[t.schedule], answer));
  }
  return shared_part;
}

// Nanoseconds a loop, one number a batch, after a warm-up.
std::vector<double> time(const turn& t) {
  std::istringstream answer(t.lane->ask(fmt::format("time {} {}", t.schedule, batches_a_round)));
  std::vector<double> times_ns;
  for (double ns = 0; answer >> ns;) times_ns.push_back(ns);
  if (times_ns.size() != batches_a_round) {
    throw lane_error(fmt::format("{} answered with {} times, expected {}: {}", t.lane->name(),
                                 times_ns.size(), batches_a_round, answer.str()));
  }
  return times_ns;
}

void check_all(const std::vector<turn>& turns, measurement& m) {
  for (const turn& t : turns) m.all[t.series].shared_part = check(t);
}

measurement measure(const contest& c, std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress) {
  measurement m;
  std::vector<turn> turns;
  for (contender& p : present) {
    for (std::size_t s = 0; s < p.lane->offers().size(); ++s) {
      turns.push_back({p.lane.get(), s, m.all.size()});
      m.all.push_back({.runtime = p.runtime,
                       .door = p.door,
                       .setting = p.setting,
                       .library = p.lane->library(),
                       .schedule = p.lane->offers()[s],
                       .threads = p.lane->threads()});
    }
  }
  check_all(turns, m);

  const load_watch load(present);
  base::rng random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    progress(round);
    if (c.cpus.size() > 1) {
      const auto trips = round_trips(c.cpus[0], c.cpus[1], batches_a_round);
      m.round_trips_ns.insert(m.round_trips_ns.end(), trips.begin(), trips.end());
      m.round_trip_rounds_ns.push_back(median_of(trips));
    }
    shuffle(turns, random);
    for (const turn& t : turns) {
      const std::vector<double> times = time(t);
      series& s = m.all[t.series];
      s.batches_ns.insert(s.batches_ns.end(), times.begin(), times.end());
      s.rounds_ns.push_back(median_of(times));
    }
  }
  m.others_share = load.others_share();

  check_all(turns, m);
  return m;
}

using nlohmann::ordered_json;

// A series with its numbers.
struct row {
  const series* of;
  summary loop_ns;
  std::optional<double> round_trips;   // median over the round trip's
  std::optional<estimate> to_libgomp;  // over libgomp's counterpart, round by round
};

// A team released and joined in one of fine-grain's ways.
struct variant_row {
  const series* of;
  summary loop_ns;
  std::optional<double> round_trips;
  std::optional<estimate> to_full;  // over the full barrier, round by round
};

struct rows {
  std::vector<row> best;    // one for each runtime, door and schedule; alike schedules together
  std::vector<row> slower;  // the same contender under the settings that lost
};

std::optional<double> in_round_trips(double ns, const measurement& m) {
  if (m.round_trips_ns.empty()) return std::nullopt;
  return ns / median_of(m.round_trips_ns);
}

bool same_contender(const series& a, const series& b) {
  return a.runtime == b.runtime && a.door == b.door && a.schedule == b.schedule;
}

rows make_rows(const measurement& m) {
  rows made;
  for (const series& s : m.all) {
    if (is_barrier_variant(s.setting)) continue;
    row candidate{&s, summarise(s.batches_ns), std::nullopt, std::nullopt};
    candidate.round_trips = in_round_trips(candidate.loop_ns.median, m);
    const auto rival =
        std::ranges::find_if(made.best, [&](const row& r) { return same_contender(*r.of, s); });
    if (rival == made.best.end()) {
      made.best.push_back(candidate);
      continue;
    }
    if (candidate.loop_ns.median < rival->loop_ns.median) std::swap(candidate, *rival);
    made.slower.push_back(candidate);
  }

  for (std::vector<row>* some : {&made.best, &made.slower}) {
    for (row& r : *some) {
      const std::string name = counterpart(r.of->schedule);
      const auto peer = std::ranges::find_if(made.best, [&](const row& other) {
        return other.of->runtime == "libgomp" && other.of->schedule == name;
      });
      if (peer != made.best.end())
        r.to_libgomp = paired_ratio(r.of->rounds_ns, peer->of->rounds_ns);
    }
  }

  // Rows that do the same stand together, in the order in which a schedule first appears.
  std::vector<std::string> order;
  for (const row& r : made.best) order.push_back(counterpart(r.of->schedule));
  std::ranges::stable_sort(made.best, {}, [&](const row& r) {
    const std::string name = counterpart(r.of->schedule);
    return name.empty() ? order.end() : std::ranges::find(order, name);
  });
  return made;
}

// Teams of one size and door together, the full barrier last.
std::vector<variant_row> make_variant_rows(const measurement& m) {
  std::vector<variant_row> made;
  for (const series& s : m.all) {
    if (!is_barrier_variant(s.setting)) continue;
    const summary loop_ns = summarise(s.batches_ns);
    made.push_back({&s, loop_ns, in_round_trips(loop_ns.median, m), std::nullopt});
  }
  for (variant_row& r : made) {
    const auto full = std::ranges::find_if(made, [&](const variant_row& other) {
      return other.of->setting == full_barrier && other.of->door == r.of->door &&
             other.of->threads == r.of->threads;
    });
    if (full != made.end()) r.to_full = paired_ratio(r.of->rounds_ns, full->of->rounds_ns);
  }
  std::ranges::stable_sort(made, {}, [](const variant_row& r) {
    return std::pair(r.of->threads, r.of->door == "gomp");
  });
  return made;
}

// A virtual machine's CPUs may be moved while it runs: now two threads of one
// core, now two cores, with round trips that differ several times. Rounds stay
// comparable, medians over all of them mix the two.
std::string moved_text(const measurement& m) {
  constexpr double same_place = 1.5;
  const double usual_ns = median_of(m.round_trip_rounds_ns);
  const auto moved = std::ranges::count_if(m.round_trip_rounds_ns, [&](double ns) {
    return ns > usual_ns * same_place || ns < usual_ns / same_place;
  });
  if (moved == 0) return "";
  return fmt::format(
      "The round trip was another in {} of {} rounds: these CPUs are moved, or others use them\n",
      moved, m.round_trip_rounds_ns.size());
}

std::string summary_text(const report& r) {
  const measurement& m = r.measured;
  std::string text =
      fmt::format("An empty loop of {} iterations, {} threads{}, {} rounds, on {}\n", iterations,
                  r.setting.threads, r.setting.pinned ? ", pinned" : "", r.rounds, machine_name());
  if (m.round_trips_ns.empty()) {
    text += "Cache-line round trip: not measured, this process has one CPU\n";
  } else {
    const summary trip = summarise(m.round_trips_ns);
    text += fmt::format("Cache-line round trip, CPUs {} and {}: {:.0f} ns ({:.0f}..{:.0f})\n",
                        r.setting.cpus[0], r.setting.cpus[1], trip.median, trip.p5, trip.p95);
    text += moved_text(m);
  }
  text += load_text(m.others_share);
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text;
}

// One decimal is a tenth of a nanosecond: finer than the clock tells.
double rounded(double ns) { return std::round(ns * 10) / 10; }

std::vector<double> rounded(std::vector<double> all_ns) {
  for (double& ns : all_ns) ns = rounded(ns);
  return all_ns;
}

ordered_json ratio_json(const std::optional<estimate>& ratio) {
  if (!ratio) return nullptr;
  return {{"median", ratio->median}, {"low", ratio->low}, {"high", ratio->high}};
}

std::string ratio_text(const std::optional<estimate>& ratio) {
  if (!ratio) return "-";
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", ratio->median, ratio->low, ratio->high);
}

ordered_json series_json(const series& s, const summary& loop_ns) {
  return {
      {"runtime", s.runtime},
      {"door", s.door},
      {"schedule", s.schedule},
      {"threads", s.threads},
      {"median_ns", rounded(loop_ns.median)},
      {"min_ns", rounded(loop_ns.min)},
      {"max_ns", rounded(loop_ns.max)},
      {"p5_ns", rounded(loop_ns.p5)},
      {"p95_ns", rounded(loop_ns.p95)},
      {"shared_part", s.shared_part},
      {"rounds_ns", rounded(s.rounds_ns)},
      {"setting", s.setting},
      {"library", s.library},
  };
}

ordered_json row_json(const row& r) {
  ordered_json json = series_json(*r.of, r.loop_ns);
  json["ratio_to_libgomp"] = ratio_json(r.to_libgomp);
  return json;
}

ordered_json rows_json(const std::vector<row>& some) {
  ordered_json list = ordered_json::array();
  for (const row& r : some) list.push_back(row_json(r));
  return list;
}

ordered_json variants_json(const std::vector<variant_row>& some) {
  ordered_json list = ordered_json::array();
  for (const variant_row& r : some) {
    ordered_json json = series_json(*r.of, r.loop_ns);
    json["ratio_to_full"] = ratio_json(r.to_full);
    list.push_back(json);
  }
  return list;
}

std::string times_text(const std::optional<double>& round_trips) {
  return round_trips ? fmt::format("{:.2f}", *round_trips) : "-";
}

std::string variants_text(const std::vector<variant_row>& some) {
  using cli::align;
  if (some.empty()) return "";
  cli::table table({{"variant"},
                    {"door"},
                    {"P", align::right},
                    {"median ns", align::right},
                    {"p5..p95", align::right},
                    {"round trips", align::right},
                    {"to the full barrier, 95%", align::right}});
  for (const variant_row& line : some) {
    const summary& ns = line.loop_ns;
    table.add_row({line.of->setting, line.of->door, std::to_string(line.of->threads),
                   fmt::format("{:.0f}", ns.median), fmt::format("{:.0f}..{:.0f}", ns.p5, ns.p95),
                   times_text(line.round_trips), ratio_text(line.to_full)});
  }
  return "\nThe same loop, static, by how its team is released and joined\n" + table.to_text();
}

std::string to_text(const report& r) {
  using cli::align;
  cli::table table({{"schedule"},
                    {"runtime"},
                    {"door"},
                    {"median ns", align::right},
                    {"p5..p95", align::right},
                    {"min..max", align::right},
                    {"round trips", align::right},
                    {"to libgomp, 95%", align::right},
                    {"shared", align::right},
                    {"best setting"}});
  for (const row& line : make_rows(r.measured).best) {
    const summary& ns = line.loop_ns;
    table.add_row({
        line.of->schedule,
        line.of->runtime,
        line.of->door,
        fmt::format("{:.0f}", ns.median),
        fmt::format("{:.0f}..{:.0f}", ns.p5, ns.p95),
        fmt::format("{:.0f}..{:.0f}", ns.min, ns.max),
        times_text(line.round_trips),
        ratio_text(line.to_libgomp),
        cli::percent_text(line.of->shared_part),
        line.of->setting,
    });
  }
  return summary_text(r) + '\n' + table.to_text() + variants_text(make_variant_rows(r.measured));
}

ordered_json to_json(const report& r) {
  const measurement& m = r.measured;
  const rows made = make_rows(m);
  ordered_json json{
      {"schema", "doall-bench-burden/1"},
      {"round_trip_ns", nullptr},
      {"round_trip_rounds_ns", rounded(m.round_trip_rounds_ns)},
      {"machine", machine_name()},
      {"iterations", iterations},
      {"rounds", r.rounds},
      {"pinned", r.setting.pinned},
      {"others_cpu_share", m.others_share},
      {"rows", rows_json(made.best)},
      {"slower_settings", rows_json(made.slower)},
      {"variants", variants_json(make_variant_rows(m))},
      {"left_out", r.left_out},
  };
  if (!m.round_trips_ns.empty()) json["round_trip_ns"] = rounded(median_of(m.round_trips_ns));
  return json;
}

constexpr const char* name = "bench burden";

struct request {
  contest setting = default_contest(runtime_names());
  unsigned rounds = 30;
  std::string json_file;
};

// False after --help.
bool read_request(const cli::arguments& args, request& r) {
  cli::option_parser options(
      name, "[OPTIONS]",
      "What a parallel loop costs when its body is empty: 128 iterations, every runtime in\n"
      "turn in one run, beside the round trip of a cache line between two cores.",
      "Exit status 1 also when an iteration did not run exactly once.");
  options.add_option("--rounds", r.rounds, "Rounds, each of everybody once; by default 30")
      ->check(CLI::Range(1U, 100'000U).description(""))
      ->type_name("N");
  add_contest_options(options, r.setting);
  options.add_option("--json", r.json_file, "Writes the numbers to FILE as well")
      ->type_name("FILE");
  return options.read(args);
}

void run(const cli::arguments& args) {
  request r;
  if (!read_request(args, r)) return;
  json_file json(r.json_file);
  contenders all = start_contenders(r.setting);
  const auto progress = [&](unsigned round) {
    show_progress(fmt::format("round {} of {}", round + 1, r.rounds));
  };
  measurement m = measure(r.setting, all.present, r.rounds, progress);
  show_progress("");

  const report made{r.setting, r.rounds, std::move(all.left_out), std::move(m)};
  fmt::print("{}", to_text(made));
  json.write(to_json(made));
}

}  // namespace

int run_burden(int argc, char** argv) {
  return run_benchmark(name, argc, argv, [](const cli::arguments& args) { run(args); });
}

}  // namespace doall::bench
