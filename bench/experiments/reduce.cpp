// doall bench reduce: what reductions cost, and what repeatable ones cost more.
//
// Length: an experiment is one file: who takes part, what is measured, and the report.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/table.hpp"
#include "driver/benchmark.hpp"
#include "driver/contenders.hpp"
#include "driver/experiments.hpp"
#include "driver/load_watch.hpp"
#include "driver/machine.hpp"
#include "driver/shuffle.hpp"
#include "driver/statistics.hpp"

namespace doall::bench {
namespace {

const std::vector<std::string>& runtime_names();

// Starts the lanes, which stand beside this program's file.
contenders start_contenders(const contest& c);

// The measurement: everybody in turn, round by round, so that a machine that
// slows down slows all of them.

// What is reduced.
struct task {
  std::string reduction;  // "dot" or "histogram"
  std::size_t elements;
};

// Both, from a thousand elements to ten millions.
const std::vector<task>& all_tasks();

// One contender's times under one schedule.
struct series {
  std::string runtime;
  std::string door;
  std::string setting;
  std::string library;
  std::string schedule;
  unsigned threads = 0;
  std::vector<double> batches_ns = {};  // a reduction, for every batch of every round
  std::vector<double> rounds_ns = {};   // the median of each round's batches
};

struct task_result {
  task what;
  series serial;  // the loop without a runtime
  std::vector<series> all = {};
};

struct measurement {
  std::vector<task_result> tasks;
  double others_share = 0;  // of all CPUs' time that other programs used
};

// `progress` is called before each round with its number. Throws lane_error on a wrong
// answer.
measurement measure(std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress);

// What came out, for people and for programs.

struct report {
  contest setting;
  unsigned rounds = 0;
  std::vector<std::string> left_out;
  measurement measured;
};

std::string to_text(const report& r);

// Schema "doall-bench-reduce/1"; this file's page has it.
nlohmann::ordered_json to_json(const report& r);

const std::vector<std::string>& runtime_names() {
  static const std::vector<std::string> names{"doall", "libgomp", "libomp", "tbb"};
  return names;
}

contenders start_contenders(const contest& c) {
  const lane_plan gcc{
      .runtime = "libgomp", .door = "gomp", .program = "lane-reduce-openmp-gcc", .needs = "GCC"};
  roster all(c);
  if (c.wants("doall")) {
    all.add({.runtime = "doall", .door = "native", .program = "lane-reduce-doall"});
    lane_plan ours = with_doall_libgomp(gcc);
    ours.runtime = "doall";
    all.add(ours);
  }
  if (c.wants("libgomp")) all.add_openmp_peer(gcc);
  if (c.wants("libomp")) {
    all.add_openmp_peer({.runtime = "libomp",
                         .door = "kmp",
                         .program = "lane-reduce-openmp-clang",
                         .needs = "clang-19 and libomp-19-dev"});
  }
  if (c.wants("tbb")) {
    all.add(with_tbb_arena(
        {.runtime = "tbb", .door = "tbb", .program = "lane-reduce-tbb", .needs = "libtbb-dev"}, c));
  }
  return all.take();
}

// Whose turn it is, and where its times go.
struct turn {
  lane_process* lane;
  series* to;
};

std::vector<double> time(const turn& t, const task& what) {
  const std::string text =
      t.lane->ask(fmt::format("time {} {} {}", t.to->schedule, what.reduction, what.elements));
  std::istringstream answer(text);
  std::vector<double> times_ns;
  for (double ns = 0; answer >> ns;) times_ns.push_back(ns);
  if (!answer.eof() || times_ns.empty()) {
    throw lane_error(fmt::format("{}, {}, {} of {} elements: {}", t.lane->name(), t.to->schedule,
                                 what.reduction, what.elements, text));
  }
  return times_ns;
}

series series_of(const contender& c, const std::string& schedule) {
  return {.runtime = c.runtime,
          .door = c.door,
          .setting = c.setting,
          .library = c.lane->library(),
          .schedule = schedule,
          .threads = c.lane->threads()};
}

// The serial loop is in every lane; one of them runs it.
task_result without_times(const task& what, const std::vector<contender>& present) {
  task_result made{what, series_of(present.front(), "serial")};
  for (const contender& c : present) {
    for (const std::string& schedule : c.lane->offers()) made.all.push_back(series_of(c, schedule));
  }
  return made;
}

std::vector<turn> turns_of(task_result& r, std::vector<contender>& present) {
  std::vector<turn> turns{{present.front().lane.get(), &r.serial}};
  std::size_t next = 0;
  for (const contender& c : present) {
    for (std::size_t s = 0; s < c.lane->offers().size(); ++s) {
      turns.push_back({c.lane.get(), &r.all[next++]});
    }
  }
  return turns;
}

const std::vector<task>& all_tasks() {
  static const std::vector<task> tasks = [] {
    std::vector<task> made;
    for (const char* reduction : {"dot", "histogram"}) {
      for (std::size_t n = 1'000; n <= 10'000'000; n *= 10) made.push_back({reduction, n});
    }
    return made;
  }();
  return tasks;
}

measurement measure(std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress) {
  measurement m;
  for (const task& what : all_tasks()) m.tasks.push_back(without_times(what, present));

  const load_watch load(present);
  base::rng random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    progress(round);
    for (task_result& r : m.tasks) {
      std::vector<turn> turns = turns_of(r, present);
      shuffle(turns, random);
      for (const turn& t : turns) {
        const std::vector<double> times = time(t, r.what);
        t.to->batches_ns.insert(t.to->batches_ns.end(), times.begin(), times.end());
        t.to->rounds_ns.push_back(median_of(times));
      }
    }
  }
  m.others_share = load.others_share();
  return m;
}

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

constexpr const char* name = "bench reduce";

struct request {
  contest setting = default_contest(runtime_names());
  unsigned rounds = 30;
  std::string json_file;
};

// False after --help.
bool read_request(const cli::arguments& args, request& r) {
  cli::option_parser options(
      name, "[OPTIONS]",
      "A dot product and a histogram of 1 K to 10 M elements, every runtime in turn in one\n"
      "run; ours in the order that gives the same bits for any number of threads, and in any.",
      "Exit status 1 also when a result is wrong.");
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
  measurement m = measure(all.present, r.rounds, progress);
  show_progress("");

  const report made{r.setting, r.rounds, std::move(all.left_out), std::move(m)};
  fmt::print("{}", to_text(made));
  json.write(to_json(made));
}

}  // namespace

int run_reduce(int argc, char** argv) {
  return run_benchmark(name, argc, argv, [](const cli::arguments& args) { run(args); });
}

}  // namespace doall::bench
