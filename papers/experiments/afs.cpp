// doall bench afs: the affinity paper's programs over schedules and runtimes.
//
// Length: an experiment is one file: who takes part, what is measured, and the report.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "cli/table.hpp"
#include "driver/benchmark.hpp"
#include "driver/contenders.hpp"
#include "driver/experiments.hpp"
#include "driver/load_watch.hpp"
#include "driver/machine.hpp"
#include "driver/shuffle.hpp"
#include "driver/statistics.hpp"
#include "kernels/programs.hpp"

namespace doall::bench {
namespace {

const std::vector<std::string>& afs_runtimes();

// doall's doors, of which the first takes part unless others are asked for.
const std::vector<std::string>& afs_doors();

// Starts the lanes, on kernels of that size. Throws lane_error when there are none.
contenders start_afs_lanes(const contest& c, const std::vector<std::string>& doors,
                           const std::string& size);

// A contender under one schedule.
struct entrant {
  const contender* who;
  std::string schedule;

  bool is_ours() const { return who->runtime == "doall"; }

  // Whether the schedule uses what the program says of its iterations' costs, which
  // no peer can be told.
  bool is_told_costs() const;
};

// All of them for that program: everybody under OpenMP's kinds with a few chunk sizes,
// ours under every schedule of the registry too.
std::vector<entrant> entrants_of(const std::string& program, const std::vector<contender>& present);

// The same for a loop that one worker comes late to, with the paper's k = 2 beside
// affinity's default.
std::vector<entrant> late_entrants(const std::vector<contender>& present);

// The measurement of one program: everybody under every schedule, to find the best
// of each runtime; then those against each other in rounds of their own, so that
// nobody's number is its luckiest.

// An entrant's times in one program.
struct series {
  entrant of;
  double stayed_part = 0;              // of the iterations that ran again
  std::vector<double> runs_ns = {};    // every run of every round
  std::vector<double> rounds_ns = {};  // the median of each round's

  double median_ns() const { return median_of(runs_ns); }
};

// Everybody's times in one program.
struct field {
  double serial_ns = 0;  // the median
  std::vector<series> all = {};
};

// Another's best against our best, in the last rounds.
struct duel {
  series other;
  std::optional<estimate> ratio;  // ours over the other's
};

struct program_result {
  std::string program;
  std::string imbalance;
  std::string affinity;
  field chosen_from = {};
  std::optional<series> ours = {};  // our best in the last rounds; none when we do not take part
  std::vector<duel> peers = {};     // the best of each
  // Our best that is told the iterations' costs: the paper's base-line, not a rival.
  std::optional<duel> told = {};
};

// No loop of ours may be slower than a peer's by more.
inline constexpr double ratio_limit = 1.02;

// Whether the interval includes or lies under the limit; nothing without an interval.
std::optional<bool> no_slower(const duel& d);
// Than all peers; nothing when there is none, or one of them has no answer.
std::optional<bool> no_slower(const program_result& r);

struct round_numbers {
  unsigned choosing = 10;
  // An interval wants more rounds, and a round has less in it.
  unsigned last() const { return choosing * 10; }
};

using progress = std::function<void(const std::string& what)>;

// Checks everybody's answer, then runs rounds of everybody and the serial loops once,
// in an order shuffled anew for each. Throws lane_error, as measure() does, when an
// answer is wrong or a lane is gone.
field measure_all(const std::string& program, const std::vector<entrant>& entrants, unsigned rounds,
                  base::rng& random, const progress& show);

program_result measure(const program& p, const std::vector<contender>& present,
                       round_numbers rounds, base::rng& random, const progress& show);

// AFS's Table 2: a balanced loop that one worker comes late to.

// One row of the paper's table: a delay, and everybody's times.
struct late_result {
  std::string program;
  double delay = 0;  // in parts of N iterations' time on one thread
  field times = {};  // the same entrants in every row; serial without the delay

  // What P threads need at least, when each of them is as fast as one alone.
  double bound_ns(unsigned threads) const;
  double fastest_ns() const;
};

std::vector<late_result> measure_late(const std::vector<contender>& present, unsigned rounds,
                                      base::rng& random, const progress& show);

// What came out, for people and for programs.

struct afs_report {
  contest setting;
  std::string size;
  round_numbers rounds;
  std::vector<std::string> left_out;
  double others_share = 0;
  std::vector<program_result> programs = {};
  std::vector<late_result> late = {};
};

std::string header_text(const afs_report& r);       // before the programs
std::string to_text(const program_result& r);       // a table, and the best of each
std::string late_header_text(const afs_report& r);  // before the late start
std::string to_text(const std::vector<late_result>& late, unsigned threads);
std::string footer_text(const afs_report& r);  // the load; the best of all programs

// Schema "doall-bench-afs/1"; this file's page has it.
nlohmann::ordered_json to_json(const afs_report& r);

// OpenMP's kinds, with chunk sizes from the least to one that balances a long loop.
const std::vector<std::string>& openmp_texts() {
  static const std::vector<std::string> texts{"static",    "static,1",   "dynamic,1",
                                              "dynamic,8", "dynamic,64", "guided"};
  return texts;
}

// The same chunk sizes for ours: nobody is tuned more than the others.
std::vector<std::string> our_texts() {
  std::vector<std::string> texts = registry_texts();
  for (const std::string& text : openmp_texts()) {
    if (std::ranges::count(texts, text) == 0) texts.push_back(text);
  }
  return texts;
}

std::vector<entrant> under(const std::vector<contender>& present,
                           const std::vector<std::string>& ours) {
  std::vector<entrant> all;
  for (const contender& c : present) {
    for (const std::string& text : c.runtime == "doall" ? ours : openmp_texts()) {
      const entrant e{&c, text};
      // An OpenMP program has no way to tell them.
      if (c.door != "native" && e.is_told_costs()) continue;
      all.push_back(e);
    }
  }
  return all;
}

const std::vector<std::string>& afs_runtimes() {
  static const std::vector<std::string> names{"doall", "libgomp", "libomp"};
  return names;
}

const std::vector<std::string>& afs_doors() {
  static const std::vector<std::string> names{"native", "gomp"};
  return names;
}

bool entrant::is_told_costs() const { return is_ours() && wants_costs(schedule); }

contenders start_afs_lanes(const contest& c, const std::vector<std::string>& doors,
                           const std::string& size) {
  const auto open = [&](const std::string& door) {
    return c.wants("doall") && std::ranges::count(doors, door) != 0;
  };
  const lane_plan gcc{.runtime = "libgomp",
                      .door = "gomp",
                      .program = "lane-kernels-openmp-gcc",
                      .arguments = {"afs", size},
                      .needs = "GCC"};
  roster all(c);
  if (open("native")) {
    all.add({.runtime = "doall",
             .door = "native",
             .program = "lane-kernels-doall",
             .arguments = {"afs", size}});
  }
  if (open("gomp")) {
    lane_plan p = with_doall_libgomp(gcc);
    p.runtime = "doall";
    all.add(p);
  }
  if (c.wants("libgomp")) all.add_openmp_peer(gcc);
  if (c.wants("libomp")) {
    all.add_openmp_peer({.runtime = "libomp",
                         .door = "kmp",
                         .program = "lane-kernels-openmp-clang",
                         .arguments = {"afs", size},
                         .needs = "clang-19 and libomp-19-dev"});
  }
  return all.take();
}

std::vector<entrant> entrants_of(const std::string& program,
                                 const std::vector<contender>& present) {
  std::vector<entrant> all = under(present, our_texts());
  if (program != reversed_program) return all;
  for (entrant& e : all) {
    if (e.who->door == "native") e.schedule += ",order=reverse";
  }
  return all;
}

std::vector<entrant> late_entrants(const std::vector<contender>& present) {
  std::vector<std::string> ours = our_texts();
  ours.emplace_back("affinity,2");
  return under(present, ours);
}

std::string ask(const std::string& verb, const std::string& program, const entrant& e) {
  return e.who->lane->ask(fmt::format("{} {} {}", verb, program, e.schedule));
}

[[noreturn]] void refuse(const std::string& program, const entrant& e, const std::string& answer) {
  throw lane_error(fmt::format("{} under {}, {}: {}", program, e.schedule, e.who->lane->name(),
                               answer.empty() ? "no answer" : answer));
}

// Nanoseconds a run.
std::vector<double> time(const std::string& program, const entrant& e) {
  const std::string answer = ask("time", program, e);
  std::istringstream fields(answer);
  std::vector<double> runs_ns;
  for (double ns = 0; fields >> ns;) runs_ns.push_back(ns);
  if (!fields.eof() || runs_ns.empty()) refuse(program, e, answer);
  return runs_ns;
}

// The best of those that `is_one` says belong together; null when there is none.
template <class Predicate>
const series* best_of(const std::vector<series>& all, Predicate is_one) {
  const series* best = nullptr;
  for (const series& s : all) {
    if (!is_one(s.of)) continue;
    if (best == nullptr || median_of(s.rounds_ns) < median_of(best->rounds_ns)) best = &s;
  }
  return best;
}

// Sets stayed_part.
void check(const std::string& program, std::vector<series>& all) {
  for (series& s : all) {
    const std::string answer = ask("check", program, s.of);
    std::istringstream fields(answer);
    std::string verdict;
    if (!(fields >> verdict >> s.stayed_part) || verdict != "ok") refuse(program, s.of, answer);
  }
}

// Rounds of each once.
void run_rounds(const std::string& program, std::vector<series*> turns, unsigned rounds,
                base::rng& random, const progress& show) {
  for (unsigned round = 0; round < rounds; ++round) {
    show(fmt::format("{}: round {} of {}, {} in each", program, round + 1, rounds, turns.size()));
    shuffle(turns, random);
    for (series* s : turns) {
      const std::vector<double> runs_ns = time(program, s->of);
      s->runs_ns.insert(s->runs_ns.end(), runs_ns.begin(), runs_ns.end());
      s->rounds_ns.push_back(median_of(runs_ns));
    }
  }
}

series without_times(const series& s) { return {.of = s.of, .stayed_part = s.stayed_part}; }

// Sets who is the best of whom, without times.
void choose(program_result& r) {
  const std::vector<series>& all = r.chosen_from.all;
  const auto is_ours = [](const entrant& e) { return e.is_ours() && !e.is_told_costs(); };
  if (const series* best = best_of(all, is_ours)) r.ours = without_times(*best);
  const auto is_told = [](const entrant& e) { return e.is_ours() && e.is_told_costs(); };
  if (const series* best = best_of(all, is_told)) r.told = {without_times(*best), {}};
  for (const std::string& runtime : afs_runtimes()) {
    const auto is_peer = [&](const entrant& e) {
      return !e.is_ours() && e.who->runtime == runtime;
    };
    if (const series* best = best_of(all, is_peer)) r.peers.push_back({without_times(*best), {}});
  }
}

std::optional<bool> no_slower(const duel& d) {
  if (!d.ratio) return std::nullopt;
  return d.ratio->low <= ratio_limit;
}

std::optional<bool> no_slower(const program_result& r) {
  if (r.peers.empty()) return std::nullopt;
  bool all = true;
  for (const duel& d : r.peers) {
    const auto one = no_slower(d);
    if (!one) return std::nullopt;
    all = all && *one;
  }
  return all;
}

field measure_all(const std::string& program, const std::vector<entrant>& entrants, unsigned rounds,
                  base::rng& random, const progress& show) {
  field f;
  for (const entrant& e : entrants) f.all.push_back({.of = e});
  show(program + ": checking the answers");
  check(program, f.all);

  series serial{.of = {entrants.front().who, "serial"}};
  std::vector<series*> turns{&serial};
  for (series& s : f.all) turns.push_back(&s);
  run_rounds(program, turns, rounds, random, show);
  f.serial_ns = serial.median_ns();
  return f;
}

program_result measure(const program& p, const std::vector<contender>& present,
                       round_numbers rounds, base::rng& random, const progress& show) {
  program_result r{.program = p.name, .imbalance = p.imbalance, .affinity = p.affinity};
  r.chosen_from = measure_all(p.name, entrants_of(p.name, present), rounds.choosing, random, show);
  choose(r);

  std::vector<duel*> duels;
  for (duel& d : r.peers) duels.push_back(&d);
  if (r.told) duels.push_back(&*r.told);
  std::vector<series*> turns;
  if (r.ours) turns.push_back(&*r.ours);
  for (duel* d : duels) turns.push_back(&d->other);
  run_rounds(p.name, turns, rounds.last(), random, show);
  if (!r.ours) return r;
  for (duel* d : duels) d->ratio = paired_ratio(r.ours->rounds_ns, d->other.rounds_ns);
  return r;
}

double late_result::bound_ns(unsigned threads) const {
  return times.serial_ns * std::max(delay, (1 + delay) / threads);
}

double late_result::fastest_ns() const {
  return std::ranges::min_element(times.all, {}, &series::median_ns)->median_ns();
}

std::vector<late_result> measure_late(const std::vector<contender>& present, unsigned rounds,
                                      base::rng& random, const progress& show) {
  std::vector<late_result> rows;
  for (const late_row& delay : late_rows) {
    rows.push_back(
        {.program = delay.program,
         .delay = delay.delay,
         .times = measure_all(delay.program, late_entrants(present), rounds, random, show)});
  }
  return rows;
}

using cli::align;
using nlohmann::ordered_json;

// A runtime through one door, whatever its setting: a group of columns.
std::string group_of(const entrant& e) {
  return e.is_ours() ? "doall " + e.who->door : e.who->runtime;
}

// In the order in which they first appear.
template <class Name>
std::vector<std::string> distinct(const std::vector<series>& all, Name name) {
  std::vector<std::string> found;
  for (const series& s : all) {
    if (std::ranges::count(found, name(s.of)) == 0) found.push_back(name(s.of));
  }
  return found;
}

// The schedule as all runtimes write it: a reversed loop's is the loop's own
// matter for those that count down.
std::string common_name(const entrant& e) {
  const std::string reverse = ",order=reverse";
  return e.schedule.ends_with(reverse) ? e.schedule.substr(0, e.schedule.size() - reverse.size())
                                       : e.schedule;
}

// Of a group's settings the one that is faster under that schedule; null: not tried.
const series* fastest(const std::vector<series>& all, const std::string& group,
                      const std::string& schedule) {
  const series* best = nullptr;
  for (const series& s : all) {
    if (group_of(s.of) != group || common_name(s.of) != schedule) continue;
    if (best == nullptr || s.median_ns() < best->median_ns()) best = &s;
  }
  return best;
}

std::string ms_text(double ns) { return fmt::format("{:.3f}", ns / 1e6); }

// A star for a peer that waits actively.
std::string star(const series& s) { return s.of.who->setting.empty() ? " " : "*"; }

std::string winner_text(const series& s) {
  const std::string& setting = s.of.who->setting;
  return fmt::format("{} {}{}, {} ms", group_of(s.of), s.of.schedule,
                     setting.empty() ? "" : ", " + setting, ms_text(s.median_ns()));
}

std::string verdict_text(std::optional<bool> no_slower) {
  if (!no_slower) return "not known";
  return *no_slower ? "yes" : "NO";
}

std::string ratio_text(const std::optional<estimate>& ratio) {
  return ratio ? fmt::format("{:.3f} [{:.3f}, {:.3f}]", ratio->median, ratio->low, ratio->high)
               : "-";
}

std::string setting_text(const afs_report& r) {
  std::string text = fmt::format("size {},\n{} threads{}, on {}", r.size, r.setting.threads,
                                 r.setting.pinned ? ", pinned" : "", machine_name());
  for (const std::string& who : r.left_out) text += "\nLeft out: " + who;
  return text;
}

// A tenth of a microsecond is finer than such loops repeat.
double rounded(double ns) { return std::round(ns / 100) * 100; }

ordered_json series_json(const series& s) {
  const contender& who = *s.of.who;
  const summary ns = summarise(s.runs_ns);
  std::vector<double> rounds_ns = s.rounds_ns;
  for (double& round : rounds_ns) round = rounded(round);
  return {
      {"runtime", who.runtime},          {"door", who.door},
      {"schedule", s.of.schedule},       {"setting", who.setting},
      {"threads", who.lane->threads()},  {"library", who.lane->library()},
      {"median_ns", rounded(ns.median)}, {"min_ns", rounded(ns.min)},
      {"max_ns", rounded(ns.max)},       {"p5_ns", rounded(ns.p5)},
      {"p95_ns", rounded(ns.p95)},       {"stayed_part", s.stayed_part},
      {"rounds_ns", rounds_ns},
  };
}

ordered_json all_json(const std::vector<series>& all) {
  ordered_json list = ordered_json::array();
  for (const series& s : all) list.push_back(series_json(s));
  return list;
}

ordered_json maybe(std::optional<bool> value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json duel_json(const duel& d) {
  ordered_json json = series_json(d.other);
  json["ratio_of_ours"] = nullptr;
  if (d.ratio) {
    json["ratio_of_ours"] = {
        {"median", d.ratio->median}, {"low", d.ratio->low}, {"high", d.ratio->high}};
  }
  json["no_slower"] = maybe(no_slower(d));
  return json;
}

ordered_json program_json(const program_result& r) {
  ordered_json json{
      {"program", r.program},
      {"imbalance", r.imbalance},
      {"affinity", r.affinity},
      {"serial_ns", rounded(r.chosen_from.serial_ns)},
      {"no_slower", maybe(no_slower(r))},
      {"ours", r.ours ? series_json(*r.ours) : ordered_json(nullptr)},
      {"peers", ordered_json::array()},
      {"told_costs", nullptr},
      {"rows", all_json(r.chosen_from.all)},
  };
  for (const duel& d : r.peers) json["peers"].push_back(duel_json(d));
  if (r.told) json["told_costs"] = duel_json(*r.told);
  return json;
}

ordered_json late_json(const late_result& r, unsigned threads) {
  return {{"program", r.program},
          {"delay", r.delay},
          {"serial_ns", rounded(r.times.serial_ns)},
          {"bound_ns", rounded(r.bound_ns(threads))},
          {"rows", all_json(r.times.all)}};
}

std::string header_text(const afs_report& r) {
  return fmt::format(
      "Programs of AFS, {} rounds to choose the best and {} rounds of the best, {}\n"
      "ms: the median of a run; stay: iterations on the thread that ran them last; *: waits "
      "actively\n",
      r.rounds.choosing, r.rounds.last(), setting_text(r));
}

std::string late_header_text(const afs_report& r) {
  return fmt::format(
      "A balanced loop of N iterations that one worker is late to by as long as so many take\n"
      "(AFS, Table 2), {} rounds, {}\n"
      "Time over the fastest one's; *: waits actively\n\n",
      r.rounds.choosing, setting_text(r));
}

std::string to_text(const program_result& r) {
  const auto groups = distinct(r.chosen_from.all, group_of);
  std::vector<cli::table::column> columns{{"schedule"}};
  for (const std::string& group : groups) {
    columns.push_back({group + " ms", align::right});
    columns.push_back({"p5..p95", align::right});
    columns.push_back({"stay", align::right});
  }
  cli::table table(std::move(columns));
  for (const std::string& schedule : distinct(r.chosen_from.all, common_name)) {
    std::vector<std::string> cells{schedule};
    for (const std::string& group : groups) {
      const series* s = fastest(r.chosen_from.all, group, schedule);
      if (s == nullptr) {
        cells.insert(cells.end(), {"- ", "-", "-"});
        continue;
      }
      const summary ns = summarise(s->runs_ns);
      cells.push_back(ms_text(ns.median) + star(*s));
      cells.push_back(ms_text(ns.p5) + ".." + ms_text(ns.p95));
      cells.push_back(cli::percent_text(s->stayed_part));
    }
    table.add_row(std::move(cells));
  }

  std::string text = fmt::format(
      "\n{}: imbalance {}, affinity {}, {} ms on one thread without a runtime\n{}", r.program,
      r.imbalance, r.affinity, ms_text(r.chosen_from.serial_ns), table.to_text());
  if (!r.ours) return text;
  text += "best: " + winner_text(*r.ours) + '\n';
  for (const duel& d : r.peers) {
    text += fmt::format("  {} of {}\n", ratio_text(d.ratio), winner_text(d.other));
  }
  if (r.told) {
    text += fmt::format("  {} of {}, which is told the costs\n", ratio_text(r.told->ratio),
                        winner_text(r.told->other));
  }
  return text;
}

std::string to_text(const std::vector<late_result>& late, unsigned threads) {
  std::vector<cli::table::column> columns{{"schedule"}, {"runtime"}};
  for (const late_result& row : late)
    columns.push_back({fmt::format("{}N", row.delay), align::right});
  cli::table table(columns);
  std::vector<std::string> fastest_cells{"fastest, ms", ""};
  std::vector<std::string> bound_cells{"bound, ms", ""};
  for (const late_result& row : late) {
    fastest_cells.push_back(ms_text(row.fastest_ns()) + ' ');
    bound_cells.push_back(ms_text(row.bound_ns(threads)) + ' ');
  }
  for (const std::string& group : distinct(late.front().times.all, group_of)) {
    for (const std::string& schedule : distinct(late.front().times.all, common_name)) {
      std::vector<std::string> cells{schedule, group};
      for (const late_result& row : late) {
        const series* s = fastest(row.times.all, group, schedule);
        if (s == nullptr) break;
        cells.push_back(fmt::format("{:.2f}{}", s->median_ns() / row.fastest_ns(), star(*s)));
      }
      if (cells.size() == columns.size()) table.add_row(std::move(cells));
    }
  }
  table.add_row(std::move(fastest_cells));
  table.add_row(std::move(bound_cells));
  return table.to_text();
}

std::string footer_text(const afs_report& r) {
  std::string text = "\n" + load_text(r.others_share);
  if (r.programs.empty()) return text;
  std::vector<cli::table::column> columns{{"program"}, {"our best"}};
  for (const duel& d : r.programs.front().peers) {
    columns.push_back({"to " + d.other.of.who->runtime + "'s best, 95%", align::right});
  }
  columns.push_back({fmt::format("no slower ({:.2f})", ratio_limit)});
  cli::table table(std::move(columns));
  for (const program_result& p : r.programs) {
    if (!p.ours) return text;
    std::vector<std::string> cells{p.program, common_name(p.ours->of)};
    for (const duel& d : p.peers) cells.push_back(ratio_text(d.ratio));
    cells.push_back(verdict_text(no_slower(p)));
    table.add_row(std::move(cells));
  }
  return text + table.to_text();
}

ordered_json to_json(const afs_report& r) {
  ordered_json json{
      {"schema", "doall-bench-afs/1"},
      {"machine", machine_name()},
      {"size", r.size},
      {"threads", r.setting.threads},
      {"pinned", r.setting.pinned},
      {"rounds", {{"choosing", r.rounds.choosing}, {"last", r.rounds.last()}}},
      {"ratio_limit", ratio_limit},
      {"others_cpu_share", r.others_share},
      {"programs", ordered_json::array()},
      {"late", ordered_json::array()},
      {"left_out", r.left_out},
  };
  for (const program_result& p : r.programs) json["programs"].push_back(program_json(p));
  for (const late_result& row : r.late) json["late"].push_back(late_json(row, r.setting.threads));
  return json;
}

constexpr const char* name = "bench afs";

struct request {
  contest setting = default_contest(afs_runtimes());
  std::vector<std::string> doors{afs_doors().front()};
  std::string size = "paper";
  std::vector<std::string> kernels;  // empty: all
  round_numbers rounds;
  bool late = false;
  std::string json_file;
};

// For their names: nobody runs them here.
std::vector<program> all_programs() {
  return programs([](kernel&) {});
}

// False after --help.
bool read_request(const cli::arguments& args, request& r) {
  std::vector<std::string> names;
  for (const program& p : all_programs()) names.push_back(p.name);

  cli::option_parser options(
      name, "[OPTIONS]",
      "The programs of AFS under every schedule of doall and of its peers, in one run: which\n"
      "are best, and whether our best is as fast as theirs.",
      "Programs: " + fmt::format("{}", fmt::join(names, ", ")) +
          "\nExit status 1 also when an answer was wrong.");
  CLI::Option* kernel =
      options.add_option("--kernel", r.kernels, "Some of the programs below; by default all")
          ->delimiter(',')
          ->check(CLI::IsMember(names).description(""))
          ->type_name("LIST");
  options.add_option("--size", r.size, "paper (the default), or small: as quick as a test must be")
      ->check(CLI::IsMember({"paper", "small"}).description(""))
      ->type_name("SIZE");
  options
      .add_option("--rounds", r.rounds.choosing,
                  "Rounds of everybody once, to choose the best; by default 10, which takes\n"
                  "two to three minutes. Then ten times as many of the best alone")
      ->check(CLI::Range(1U, 10'000U).description(""))
      ->type_name("N");
  add_contest_options(options, r.setting);
  CLI::Option* doors =
      options
          .add_option("--doors", r.doors,
                      fmt::format("By which doall takes part: some of {}; by default {}",
                                  fmt::join(afs_doors(), ","), afs_doors().front()))
          ->delimiter(',')
          ->check(CLI::IsMember(afs_doors()).description(""))
          ->type_name("LIST");
  options
      .add_flag("--late", r.late,
                "Instead of the programs a loop that one worker comes late to (AFS, Table 2);\n"
                "doall takes part by the door gomp")
      ->excludes(kernel)
      ->excludes(doors);
  options.add_option("--json", r.json_file, "Writes the numbers to FILE as well")
      ->type_name("FILE");
  if (!options.read(args)) return false;
  if (r.late) r.doors = {"gomp"};
  return true;
}

void measure_programs(const request& r, const std::vector<contender>& present, base::rng& random,
                      afs_report& made) {
  for (const program& p : all_programs()) {
    if (!r.kernels.empty() && std::ranges::count(r.kernels, p.name) == 0) continue;
    made.programs.push_back(measure(p, present, r.rounds, random, show_progress));
    show_progress("");
    fmt::print("{}", to_text(made.programs.back()));
    std::fflush(stdout);
  }
}

void run(const cli::arguments& args) {
  request r;
  if (!read_request(args, r)) return;
  json_file json(r.json_file);
  contenders all = start_afs_lanes(r.setting, r.doors, r.size);
  afs_report made{.setting = r.setting,
                  .size = r.size,
                  .rounds = r.rounds,
                  .left_out = std::move(all.left_out)};
  const load_watch load(all.present);
  base::rng random(1);
  if (r.late) {
    fmt::print("{}", late_header_text(made));
    made.late = measure_late(all.present, r.rounds.choosing, random, show_progress);
    show_progress("");
    fmt::print("{}", to_text(made.late, r.setting.threads));
  } else {
    fmt::print("{}", header_text(made));
    measure_programs(r, all.present, random, made);
  }
  made.others_share = load.others_share();
  fmt::print("{}", footer_text(made));
  json.write(to_json(made));
}

}  // namespace

int run_afs(int argc, char** argv) {
  return run_benchmark(name, argc, argv, [](const cli::arguments& args) { run(args); });
}

}  // namespace doall::bench
