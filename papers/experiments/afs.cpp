// doall bench afs: the affinity paper's programs over schedules and runtimes.
//
// Length: two measurements, of programs and of Table 2's late start, that share who takes part, how
// a schedule is named and what a series is in JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "driver/programs.hpp"
#include "driver/report.hpp"
#include "kernels/programs.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

// --- Who takes part.

// doall's doors, of which the first takes part unless others are asked for.
const std::vector<std::string> all_doors{"native", "gomp"};

// OpenMP's kinds, with chunk sizes from the least to one that balances a long loop.
const std::vector<std::string> openmp_texts{"static",    "static,1",   "dynamic,1",
                                            "dynamic,8", "dynamic,64", "guided"};

// The registry's, and the same chunk sizes for ours: nobody is tuned more than the others.
std::vector<std::string> our_texts() {
  std::vector<std::string> texts = registry_texts();
  std::ranges::copy_if(openmp_texts, std::back_inserter(texts), [&](const std::string& text) {
    return std::ranges::count(texts, text) == 0;
  });
  return texts;
}

// Whether the schedule uses what the program says of its iterations' costs, which no peer can be
// told.
bool is_told_costs(const entrant& e) { return e.is_ours() && wants_costs(e.schedule); }

std::vector<entrant> under(const std::vector<contender>& present,
                           const std::vector<std::string>& ours) {
  std::vector<entrant> all;
  for (const contender& c : present) {
    for (const std::string& text : c.runtime == "doall" ? ours : openmp_texts) {
      const entrant e{&c, text};
      // An OpenMP program has no way to tell them.
      if (c.door == "native" || !is_told_costs(e)) all.push_back(e);
    }
  }
  return all;
}

std::vector<entrant> entrants_for(const std::string& program,
                                  const std::vector<contender>& present) {
  std::vector<entrant> all = under(present, our_texts());
  if (program != reversed_program) return all;
  for (entrant& e : all) {
    if (e.who->door == "native") e.schedule += ",order=reverse";
  }
  return all;
}

// For a loop that one worker comes late to: with the paper's k = 2 beside affinity's default.
std::vector<entrant> late_entrants(const std::vector<contender>& present) {
  std::vector<std::string> ours = our_texts();
  ours.emplace_back("affinity,2");
  return under(present, ours);
}

contenders start_lanes(const contest& c, const std::vector<std::string>& doors,
                       const std::string& size) {
  roster all(c);
  all.add(lane_set{.name = kernel_lanes, .arguments = {"afs", size}, .doors = doors});
  return all.take();
}

// --- The measurement of one program: everybody under every schedule, to find the best of each
// runtime; then those against each other in rounds of their own, so that nobody's number is its
// luckiest.

// Another's best against our best, in the last rounds.
struct duel {
  series other;
  std::optional<estimate> ratio = {};  // ours over the other's

  // Whether the interval includes or lies under the limit; nothing without an interval.
  std::optional<bool> no_slower() const;
};

// No loop of ours may be slower than a peer's by more.
constexpr double ratio_limit = 1.02;

std::optional<bool> duel::no_slower() const {
  if (!ratio) return std::nullopt;
  return ratio->low <= ratio_limit;
}

struct afs_result {
  const program& of;
  program_result chosen_from;
  std::optional<series> ours = {};  // our best in the last rounds; none when we do not take part
  std::vector<duel> peers = {};     // the best of each
  // Our best that is told the iterations' costs: the paper's base-line, not a rival.
  std::optional<duel> told = {};

  // Than all peers; nothing when there is none, or one of them has no answer.
  std::optional<bool> no_slower() const {
    if (peers.empty()) return std::nullopt;
    bool all = true;
    for (const duel& d : peers) {
      const auto one = d.no_slower();
      if (!one) return std::nullopt;
      all = all && *one;
    }
    return all;
  }
};

// AFS's Table 2: a balanced loop that one worker comes late to. A row of the table.
struct late_result {
  program_result times;  // the same entrants in every row; serial without the delay
  double delay = 0;      // in parts of N iterations' time on one thread

  // What P threads need at least, when each of them is as fast as one alone.
  double bound_ns(unsigned threads) const {
    return times.serial.median_ns() * std::max(delay, (1 + delay) / threads);
  }
  double fastest_ns() const {
    return std::ranges::min_element(times.all, {}, &series::median_ns)->median_ns();
  }
};

struct affinities : outcome {
  std::string size = "paper";
  std::vector<afs_result> programs = {};
  std::vector<late_result> late = {};

  // An interval wants more rounds than choosing, and a round has less in it.
  unsigned last_rounds() const { return asked.rounds * 10; }
};

series without_times(const series& s) { return {.of = s.of, .part = s.part}; }

// Sets who is the best of whom, without times.
void choose(afs_result& r) {
  const std::vector<series>& all = r.chosen_from.all;
  const auto is_ours = [](const entrant& e) { return e.is_ours() && !is_told_costs(e); };
  if (const series* best = fastest_that(all, is_ours)) r.ours = without_times(*best);
  if (const series* best = fastest_that(all, is_told_costs)) r.told = {without_times(*best)};
  for (const std::string& runtime : all_runtimes()) {
    const auto is_peer = [&](const entrant& e) {
      return !e.is_ours() && e.who->runtime == runtime;
    };
    if (const series* best = fastest_that(all, is_peer)) r.peers.push_back({without_times(*best)});
  }
}

afs_result measured(const affinities& m, const program& p, base::rng& random) {
  afs_result r{p, measure(p.name, entrants_for(p.name, m.who.present), m.asked.rounds, random)};
  choose(r);
  std::vector<duel*> duels;
  for (duel& d : r.peers) duels.push_back(&d);
  if (r.told) duels.push_back(&*r.told);
  std::vector<series*> turns;
  if (r.ours) turns.push_back(&*r.ours);
  for (duel* d : duels) turns.push_back(&d->other);
  run_rounds(p.name, turns, m.last_rounds(), random);
  show_progress("");
  if (!r.ours) return r;
  for (duel* d : duels) d->ratio = paired_ratio(r.ours->rounds_ns, d->other.rounds_ns);
  return r;
}

// --- Texts.

// A runtime through one door, whatever its setting: a group of columns.
std::string group_of(const entrant& e) {
  return e.is_ours() ? "doall " + e.who->door : e.who->runtime;
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
  return fastest_that(
      all, [&](const entrant& e) { return group_of(e) == group && common_name(e) == schedule; });
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

std::string over_text(const std::optional<estimate>& e) { return ratio_text(e, 3); }

std::string setting_text(const affinities& m) {
  std::string text =
      fmt::format("size {},\n{}, on {}", m.size, threads_text(m.asked.setting), machine_name());
  for (const std::string& who : m.who.left_out) text += "\nLeft out: " + who;
  return text;
}

std::string header_text(const affinities& m) {
  return fmt::format(
      "Programs of AFS, {} rounds to choose the best and {} rounds of the best, {}\n"
      "ms: the median of a run; stay: iterations on the thread that ran them last; *: waits "
      "actively\n",
      m.asked.rounds, m.last_rounds(), setting_text(m));
}

std::string late_header_text(const affinities& m) {
  return fmt::format(
      "A balanced loop of N iterations that one worker is late to by as long as so many take\n"
      "(AFS, Table 2), {} rounds, {}\n"
      "Time over the fastest one's; *: waits actively\n\n",
      m.asked.rounds, setting_text(m));
}

// A table, and the best of each.
std::string program_text(const afs_result& r) {
  const auto groups = distinct(r.chosen_from.all, group_of);
  std::vector<cli::table::column> columns{"schedule"};
  for (const std::string& group : groups) {
    columns.push_back('>' + group + " ms");
    columns.push_back(">p5..p95");
    columns.push_back(">stay");
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
      const summary ns = summarise(s->all());
      cells.push_back(ms_text(ns.median) + star(*s));
      cells.push_back(ms_text(ns.p5) + ".." + ms_text(ns.p95));
      cells.push_back(cli::percent_text(s->part));
    }
    table.add_row(std::move(cells));
  }

  std::string text = fmt::format(
      "\n{}: imbalance {}, affinity {}, {} ms on one thread without a runtime\n{}", r.of.name,
      r.of.imbalance, r.of.affinity, ms_text(r.chosen_from.serial.median_ns()), table.to_text());
  if (!r.ours) return text;
  text += "best: " + winner_text(*r.ours) + '\n';
  for (const duel& d : r.peers) {
    text += fmt::format("  {} of {}\n", over_text(d.ratio), winner_text(d.other));
  }
  if (r.told) {
    text += fmt::format("  {} of {}, which is told the costs\n", over_text(r.told->ratio),
                        winner_text(r.told->other));
  }
  return text;
}

std::string late_text(const std::vector<late_result>& late, unsigned threads) {
  std::vector<cli::table::column> columns{"schedule", "runtime"};
  for (const late_result& row : late) columns.push_back(fmt::format(">{}N", row.delay));
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

// The load; the best of all programs.
std::string footer_text(const affinities& r) {
  std::string text = "\n" + load_text(r.others_share);
  if (r.programs.empty()) return text;
  std::vector<cli::table::column> columns{"program", "our best"};
  for (const duel& d : r.programs.front().peers) {
    columns.push_back(">to " + d.other.of.who->runtime + "'s best, 95%");
  }
  columns.push_back({fmt::format("no slower ({:.2f})", ratio_limit)});
  cli::table table(std::move(columns));
  for (const afs_result& p : r.programs) {
    if (!p.ours) return text;
    std::vector<std::string> cells{p.of.name, common_name(p.ours->of)};
    for (const duel& d : p.peers) cells.push_back(over_text(d.ratio));
    cells.push_back(verdict_text(p.no_slower()));
    table.add_row(std::move(cells));
  }
  return text + table.to_text();
}

// --- Schema "doall-bench-afs/1"; this file's page has it.

ordered_json series_json(const series& s) {
  ordered_json json = to_json(s.of);
  add_times(json, s.all(), s.rounds_ns, of_programs_ns);
  json["stayed_part"] = s.part;
  return json;
}

ordered_json all_json(const std::vector<series>& all) {
  ordered_json list = ordered_json::array();
  for (const series& s : all) list.push_back(series_json(s));
  return list;
}

ordered_json duel_json(const duel& d) {
  ordered_json json = series_json(d.other);
  json["ratio_of_ours"] = to_json(d.ratio);
  json["no_slower"] = or_null(d.no_slower());
  return json;
}

double serial_ns(const program_result& r) { return rounded(r.serial.median_ns(), of_programs_ns); }

ordered_json program_json(const afs_result& r) {
  ordered_json json{{"program", r.of.name},
                    {"imbalance", r.of.imbalance},
                    {"affinity", r.of.affinity},
                    {"serial_ns", serial_ns(r.chosen_from)},
                    {"no_slower", or_null(r.no_slower())},
                    {"ours", r.ours ? series_json(*r.ours) : ordered_json(nullptr)},
                    {"peers", ordered_json::array()},
                    {"told_costs", r.told ? duel_json(*r.told) : ordered_json(nullptr)},
                    {"rows", all_json(r.chosen_from.all)}};
  for (const duel& d : r.peers) json["peers"].push_back(duel_json(d));
  return json;
}

ordered_json document(const affinities& m) {
  ordered_json json = to_json(m, "afs");
  json["size"] = m.size;
  json["rounds"] = {{"choosing", m.asked.rounds}, {"last", m.last_rounds()}};
  json["ratio_limit"] = ratio_limit;
  json["programs"] = ordered_json::array();
  json["late"] = ordered_json::array();
  for (const afs_result& r : m.programs) json["programs"].push_back(program_json(r));
  for (const late_result& r : m.late) {
    json["late"].push_back(
        {{"program", r.times.program},
         {"delay", r.delay},
         {"serial_ns", serial_ns(r.times)},
         {"bound_ns", rounded(r.bound_ns(m.asked.setting.threads), of_programs_ns)},
         {"rows", all_json(r.times.all)}});
  }
  return json;
}

// --- The command.

struct request {
  std::vector<std::string> doors{all_doors.front()};
  std::vector<std::string> kernels = {};  // empty: all
  bool late = false;
};

// False after --help.
bool read_request(const cli::arguments& args, const std::vector<program>& programs, affinities& m,
                  request& r) {
  std::vector<std::string> names;
  for (const program& p : programs) names.push_back(p.name);
  cli::option_parser options(
      "bench afs", "[OPTIONS]",
      "The programs of AFS under every schedule of doall and of its peers, in one run: which\n"
      "are best, and whether our best is as fast as theirs.",
      "Programs: " + fmt::format("{}", fmt::join(names, ", ")) +
          "\nExit status 1 also when an answer was wrong.");
  cli::option kernel =
      options.add_option("--kernel", r.kernels, "Some of the programs below; by default all")
          .parted_by(',')
          .one_of(names)
          .shown_as("LIST");
  options.add_option("--size", m.size, "paper (the default), or small: as quick as a test must be")
      .one_of({"paper", "small"})
      .shown_as("SIZE");
  options
      .add_option("--rounds", m.asked.rounds,
                  "Rounds of everybody once, to choose the best; by default 10, which takes\n"
                  "two to three minutes. Then ten times as many of the best alone")
      .between(1U, 10'000U)
      .shown_as("N");
  add_contest_options(options, m.asked.setting);
  cli::option doors =
      options
          .add_option("--doors", r.doors,
                      fmt::format("By which doall takes part: some of {}; by default {}",
                                  fmt::join(all_doors, ","), all_doors.front()))
          .parted_by(',')
          .one_of(all_doors)
          .shown_as("LIST");
  options
      .add_flag("--late", r.late,
                "Instead of the programs a loop that one worker comes late to (AFS, Table 2);\n"
                "doall takes part by the door gomp")
      .excludes(kernel)
      .excludes(doors);
  add_json_option(options, m.asked);
  if (!options.read(args)) return false;
  if (r.late) r.doors = {"gomp"};
  return true;
}

void run_afs(const cli::arguments& args) {
  // For their names: nobody runs them here.
  const std::vector<program> all = programs([](kernel&) {});
  affinities m{{{.setting = default_contest({"doall", "libgomp", "libomp"}), .rounds = 10}}};
  request r;
  if (!read_request(args, all, m, r)) return;
  result_file json(m.asked.json_file);
  m.who = start_lanes(m.asked.setting, r.doors, m.size);
  const load_watch load(m.who.present);
  base::rng random(1);
  if (r.late) {
    fmt::print("{}", late_header_text(m));
    for (const late_row& row : late_rows) {
      m.late.push_back(
          {measure(row.program, late_entrants(m.who.present), m.asked.rounds, random), row.delay});
    }
    show_progress("");
    fmt::print("{}", late_text(m.late, m.asked.setting.threads));
  } else {
    fmt::print("{}", header_text(m));
    for (const program& p : all) {
      if (!r.kernels.empty() && std::ranges::count(r.kernels, p.name) == 0) continue;
      m.programs.push_back(measured(m, p, random));
      fmt::print("{}", program_text(m.programs.back()));
      std::fflush(stdout);
    }
  }
  m.others_share = load.others_share();
  fmt::print("{}", footer_text(m));
  json.write(document(m));
}

const experiment here{"afs", run_afs};

}  // namespace
}  // namespace doall::bench
