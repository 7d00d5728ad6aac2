// doall bench burden: what a parallel loop costs when its body is empty.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "driver/experiment.hpp"
#include "driver/report.hpp"
#include "driver/round_trip.hpp"
#include "driver/series.hpp"
#include "driver/statistics.hpp"
#include "driver/verdict.hpp"
#include "lanes/burden_lane.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

constexpr const char* lanes = "lane-burden";

// --- Who takes part.

// The registry's. An empty iteration has no cost to go by.
std::vector<std::string> our_texts() {
  std::vector<std::string> all = registry_texts();
  std::erase_if(all, wants_costs);
  return all;
}

// GCC's binary, the same file as libgomp's lane, with our library before its own.
void add_gomp_door(roster& all) {
  const lane_plan p = on_doall(libgomp_plan(lanes, {}));
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

lane_plan native_plan(std::vector<std::string> schedules) {
  return {.runtime = "doall",
          .door = "native",
          .program = std::string(lanes) + "-doall",
          .arguments = std::move(schedules)};
}

// The setting of a contender that is there to compare fine-grain's ways to release and join
// a team, not runtimes, is one of these.
constexpr std::array barrier_variants{"DOALL_BARRIER=auto", "DOALL_BARRIER=centralized",
                                      "DOALL_BARRIER=tree", "DOALL_BARRIER=full"};
constexpr const char* full_barrier = barrier_variants.back();

bool is_barrier_variant(const series& s) {
  return std::ranges::count(barrier_variants, s.of.who->setting) != 0;
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
      for (lane_plan p : {native_plan({"static"}), on_doall(libgomp_plan(lanes, {"static"}))}) {
        p.setting = variant;
        p.variables.emplace_back(variant);
        some.add(p);
      }
    }
    move_to(found, some.take());
  }
}

// The limit: a half-barrier and nothing else (lanes/bare_team.hpp), flat and along a tree by two.
// It looks without a pause, so each thread must have a CPU.
constexpr const char* bare = "bare";

void add_bare(roster& all, const contest& c) {
  if (c.threads < 2 || c.threads > c.cpus.size()) return;
  lane_plan flat{.runtime = bare,
                 .door = "-",
                 .setting = "flat",
                 .program = std::string(lanes) + "-bare",
                 .arguments = team_arguments(c)};
  lane_plan tree = flat;
  tree.setting = "tree";
  flat.arguments.push_back(std::to_string(c.threads - 1));
  tree.arguments.push_back("2");
  all.add(flat);
  if (c.threads > 2) all.add(tree);
}

contenders start_contenders(const contest& c) {
  roster all(c);
  add_bare(all, c);
  if (c.wants("libgomp")) all.add_openmp_peer(libgomp_plan(lanes, {}));
  if (c.wants("doall")) {
    add_gomp_door(all);
    std::vector<std::string> schedules = our_texts();
    schedules.insert(schedules.begin(), "default");
    all.add(native_plan(std::move(schedules)));
  }
  all.add(lane_set{.name = lanes, .doors = {}, .peers = {"libomp", "tbb"}});
  contenders found = all.take();
  if (c.wants("doall")) add_variants(found, c);
  return found;
}

// --- The measurement.
constexpr unsigned batches_a_round = 20;
constexpr unsigned loops_to_check = 1000;

struct burdens : outcome {
  std::vector<series> all = {};  // `part`: of loops, whose last iteration another thread ran
  // Of every batch, and the median of each round's; empty: one CPU has nobody to send a line to.
  std::vector<double> trips_ns = {};
  std::vector<double> trip_rounds_ns = {};
};

// Every iteration must run exactly once a loop.
void check_all(std::vector<series>& all) {
  for (series& s : all) {
    s.part =
        s.of.who->lane->numbers(fmt::format("check {} {}", s.of.schedule, loops_to_check)).front();
  }
}

void measure(burdens& m) {
  for (const entrant& e : entrants_of(m.who.present)) m.all.push_back({e});
  check_all(m.all);
  std::vector<series*> turns;
  for (series& s : m.all) turns.push_back(&s);
  const std::vector<int>& cpus = m.asked.setting.cpus;
  measure_rounds(m, [&](base::rng& random) {
    if (cpus.size() > 1) {
      const auto trips = round_trips(cpus[0], cpus[1], batches_a_round);
      m.trips_ns.insert(m.trips_ns.end(), trips.begin(), trips.end());
      m.trip_rounds_ns.push_back(median_of(trips));
    }
    shuffle(turns, random);
    for (series* s : turns) {
      s->add_round(s->of.who->lane->numbers(
          fmt::format("time {} {}", s->of.schedule, batches_a_round), batches_a_round));
    }
  });
  check_all(m.all);
}

// --- Rows.

// The OpenMP schedule that divides the loop likewise, its own name for most; "" for a schedule that
// OpenMP has not.
std::string counterpart(const entrant& e) {
  struct pair {
    std::string_view partitioner;
    const char* openmp;
  };
  static constexpr std::array partitioners{
      pair{"static_partitioner", "static"},
      pair{"simple_partitioner,1", "dynamic,1"},
      pair{"auto_partitioner", ""},
      pair{"affinity_partitioner", ""},
  };
  const auto* found = std::ranges::find(partitioners, e.schedule, &pair::partitioner);
  return found == partitioners.end() ? e.schedule : found->openmp;
}

struct row {
  const series* of;
  std::optional<estimate> over = {};  // libgomp's counterpart, or the full barrier; by rounds
  std::optional<ratio> over_bare = {};
};

struct rows {
  std::vector<row> best;    // one for each runtime, door and schedule; alike schedules together
  std::vector<row> slower;  // the same contender under the settings that lost
};

rows make_rows(const burdens& m) {
  rows made;
  for (const series& s : m.all) {
    if (is_barrier_variant(s)) continue;
    row candidate{&s};
    const auto rival =
        std::ranges::find(made.best, name_of(s.of), [](const row& r) { return name_of(r.of->of); });
    if (rival == made.best.end()) {
      made.best.push_back(candidate);
      continue;
    }
    if (s.median_ns() < rival->of->median_ns()) std::swap(candidate, *rival);
    made.slower.push_back(candidate);
  }
  const series* const limit =
      fastest_that(m.all, [](const entrant& e) { return e.who->runtime == bare; });
  for (std::vector<row>* some : {&made.best, &made.slower}) {
    for (row& r : *some) {
      if (limit != nullptr) r.over_bare = ratio_of(r.of->rounds_ns, limit->rounds_ns);
      const std::string name = counterpart(r.of->of);
      const auto peer = std::ranges::find_if(made.best, [&](const row& other) {
        return other.of->of.who->runtime == "libgomp" && other.of->of.schedule == name;
      });
      if (peer != made.best.end()) r.over = paired_ratio(r.of->rounds_ns, peer->of->rounds_ns);
    }
  }
  // Rows that do the same stand together, in the order in which a schedule first appears.
  std::vector<std::string> order;
  for (const row& r : made.best) order.push_back(counterpart(r.of->of));
  std::ranges::stable_sort(made.best, {}, [&](const row& r) {
    const std::string name = counterpart(r.of->of);
    return name.empty() ? order.end() : std::ranges::find(order, name);
  });
  return made;
}

// Teams of one size and door together, the full barrier last.
std::vector<row> make_variant_rows(const burdens& m) {
  const auto team_of = [](const series& s) {
    return std::pair(s.of.who->lane->threads(), s.of.who->door == "gomp");
  };
  std::vector<row> made;
  for (const series& s : m.all) {
    if (is_barrier_variant(s)) made.push_back({&s});
  }
  for (row& r : made) {
    const auto full = std::ranges::find_if(made, [&](const row& other) {
      return other.of->of.who->setting == full_barrier && team_of(*other.of) == team_of(*r.of);
    });
    if (full != made.end()) r.over = paired_ratio(r.of->rounds_ns, full->of->rounds_ns);
  }
  std::ranges::stable_sort(made, {}, [&](const row& r) { return team_of(*r.of); });
  return made;
}

// --- Verdicts: the empty loop, `static`, over the limit.

struct door_limit {
  const char* door;
  double most;
};
constexpr std::array limits{door_limit{"native", 1.25}, door_limit{"gomp", 1.4}};

std::vector<verdict> judge(const rows& made) {
  std::vector<verdict> all;
  for (const door_limit& limit : limits) {
    demand d(fmt::format("doall {} static over bare", limit.door),
             fmt::format("<= {}", limit.most));
    for (const row& r : made.best) {
      const entrant& e = r.of->of;
      if (!e.is_ours() || e.who->door != limit.door || e.schedule != "static") continue;
      if (!r.over_bare) continue;
      const std::optional<bool> unknown;
      d.add("-", *r.over_bare, r.over_bare->interval ? r.over_bare->median <= limit.most : unknown);
    }
    add_to(all, d.made());
  }
  return all;
}

// --- Texts.

// A virtual machine's CPUs may be moved while it runs: now two threads of one
// core, now two cores, with round trips that differ several times. Rounds stay
// comparable, medians over all of them mix the two.
std::string moved_text(const burdens& m) {
  constexpr double same_place = 1.5;
  const double usual_ns = median_of(m.trip_rounds_ns);
  const auto moved = std::ranges::count_if(m.trip_rounds_ns, [&](double ns) {
    return ns > usual_ns * same_place || ns < usual_ns / same_place;
  });
  if (moved == 0) return "";
  return fmt::format(
      "The round trip was another in {} of {} rounds: these CPUs are moved, or others use them\n",
      moved, m.trip_rounds_ns.size());
}

std::string header_text(const burdens& m) {
  const contest& c = m.asked.setting;
  std::string text = fmt::format("An empty loop of {} iterations, {}, {} rounds, on {}\n",
                                 iterations, threads_text(c), m.asked.rounds, machine_name());
  if (m.trips_ns.empty()) {
    text += "Cache-line round trip: not measured, this process has one CPU\n";
  } else {
    const summary trip = summarise(m.trips_ns);
    text += fmt::format("Cache-line round trip, CPUs {} and {}: {:.0f} ns ({:.0f}..{:.0f})\n",
                        c.cpus[0], c.cpus[1], trip.median, trip.p5, trip.p95);
    text += moved_text(m);
  }
  return text + load_text(m.others_share) + peers_text(m);
}

std::string range_text(double from_ns, double to_ns) {
  return fmt::format("{:.0f}..{:.0f}", from_ns, to_ns);
}

std::string trips_text(const burdens& m, double ns) {
  return m.trips_ns.empty() ? "-" : fmt::format("{:.2f}", ns / median_of(m.trips_ns));
}

std::string variants_text(const burdens& m) {
  const std::vector<row> variants = make_variant_rows(m);
  if (variants.empty()) return "";
  cli::table table({"variant", "door", ">P", ">median ns", ">p5..p95", ">round trips",
                    ">to the full barrier, 95%"});
  for (const row& line : variants) {
    const contender& who = *line.of->of.who;
    const summary ns = summarise(line.of->all());
    table.add_row({who.setting, who.door, std::to_string(who.lane->threads()),
                   fmt::format("{:.0f}", ns.median), range_text(ns.p5, ns.p95),
                   trips_text(m, ns.median), ratio_text(line.over)});
  }
  return "\nThe same loop, static, by how its team is released and joined\n" + table.to_text();
}

std::string to_text(const burdens& m) {
  cli::table table({"schedule", "runtime", "door", ">median ns", ">p5..p95", ">min..max",
                    ">round trips", ">to bare", ">to libgomp, 95%", ">shared", "best setting"});
  const rows made = make_rows(m);
  for (const row& line : made.best) {
    const entrant& e = line.of->of;
    const summary ns = summarise(line.of->all());
    table.add_row({e.schedule, e.who->runtime, e.who->door, fmt::format("{:.0f}", ns.median),
                   range_text(ns.p5, ns.p95), range_text(ns.min, ns.max), trips_text(m, ns.median),
                   line.over_bare ? fmt::format("{:.2f}", line.over_bare->median) : "-",
                   ratio_text(line.over), cli::percent_text(line.of->part), e.who->setting});
  }
  const std::vector<verdict> all = judge(made);
  const std::string judged = all.empty() ? "" : '\n' + bench::to_text(all);
  return header_text(m) + '\n' + table.to_text() + variants_text(m) + judged;
}

// --- Schema "doall-bench-burden/1"; this file's page has it.

ordered_json to_json(const row& r, const char* over) {
  ordered_json json = to_json(r.of->of);
  add_times(json, r.of->all(), r.of->rounds_ns);
  json["shared_part"] = r.of->part;
  json[over] = to_json(r.over);
  if (r.over_bare) json["ratio_to_bare"] = to_json(*r.over_bare);
  return json;
}

ordered_json to_json(const burdens& m) {
  const rows made = make_rows(m);
  ordered_json json = to_json(static_cast<const outcome&>(m), "burden");
  json["round_trip_ns"] = nullptr;
  if (!m.trips_ns.empty()) json["round_trip_ns"] = rounded(median_of(m.trips_ns));
  json["round_trip_rounds_ns"] = rounded(m.trip_rounds_ns);
  json.erase("threads");  // a row has its own
  json["iterations"] = iterations;
  json["rounds"] = m.asked.rounds;
  json["rows"] = list_json(made.best, "ratio_to_libgomp");
  json["slower_settings"] = list_json(made.slower, "ratio_to_libgomp");
  json["variants"] = list_json(make_variant_rows(m), "ratio_to_full");
  json["verdicts"] = list_json(judge(made));
  return json;
}

void run_burden(const cli::arguments& args) {
  run_options asked{.setting = default_contest(), .rounds = 30};
  cli::option_parser options(
      "bench burden", "[OPTIONS]",
      "What a parallel loop costs when its body is empty: 128 iterations, every runtime in\n"
      "turn in one run, beside the round trip of a cache line between two cores.",
      "Exit status 1 also when an iteration did not run exactly once.");
  add_rounds_option(options, asked);
  add_contest_options(options, asked.setting);
  add_json_option(options, asked);
  if (!options.read(args)) return;
  result_file json(asked.json_file);
  burdens m{{asked, start_contenders(asked.setting)}};
  measure(m);
  fmt::print("{}", to_text(m));
  json.write(to_json(m));
}

const experiment here{"burden", run_burden};

}  // namespace
}  // namespace doall::bench
