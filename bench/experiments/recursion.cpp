// doall bench recursion: recursion made of loops, of forks and of tasks, with the peers.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "driver/experiment.hpp"
#include "driver/statistics.hpp"
#include "experiments/recursion.hpp"
#include "lanes/deep_chain.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

// --- Who takes part.

// Address space for chains on workers' stacks: tasks may be stolen at any level.
constexpr const char* stacks = "OMP_STACKSIZE=512M";

// By a door that says how many workers there are.
contenders start_lanes(const recursions& r, unsigned threads, const char* door) {
  contest c = r.asked.setting;
  c.threads = threads;
  const std::string lanes = "lane-recursion";
  const std::vector<std::string> arguments{r.quick ? "small" : "paper"};
  roster all(c);
  const auto add = [&](lane_plan p) {
    if (!c.wants(p.runtime)) return;
    p.door = door;
    p.variables.emplace_back(stacks);
    all.add(p);
  };
  add({.runtime = "doall", .program = lanes + "-doall", .arguments = arguments});
  add(tbb_plan(lanes, arguments, c));
  add(libgomp_plan(lanes, arguments));
  add(libomp_plan(lanes, arguments));
  return all.take();
}

// --- The deep chain.

// Chains have a lane's forms for pairs and for loops, of TBB's partitioners the first.
std::vector<chain_series> chain_entrants(const std::vector<contender>& present) {
  std::vector<chain_series> all{{.of = {&present.front(), serial_pairs}},
                                {.of = {&present.front(), serial_loops}}};
  for (const char* program : {"fib", "tree-1us"}) {
    for (const entrant& e : entrants_of(program, present)) {
      const bool is_there = std::ranges::any_of(all, [&](const chain_series& s) {
        return s.of.who == e.who && s.of.schedule == e.schedule;
      });
      if (!is_there && e.schedule != "for,simple") all.push_back({.of = e});
    }
  }
  return all;
}

// Asks for one chain, and gives longer ones up where they would take too long.
void run_chain_once(chain_series& s, std::uint64_t levels, std::uint64_t next_levels) {
  constexpr double most_ns = 5e9;
  std::vector<double> found;
  try {
    found = s.of.who->lane->numbers(fmt::format("deep {} {}", s.of.schedule, levels), 2);
  } catch (const lane_error& e) {
    s.given_up = fmt::format("{} levels: {}", levels, e.what());
    return;
  }
  const double run_ns = found[0];
  const auto known = std::ranges::find(s.lengths, levels, &chain_series::length::levels);
  chain_series::length& to =
      known != s.lengths.end() ? *known : s.lengths.emplace_back(chain_series::length{levels});
  to.rounds_ns.push_back(run_ns);
  s.bytes_a_level = std::max(s.bytes_a_level, found[1]);
  // As if it were quadratic.
  const double longer = static_cast<double>(next_levels) / static_cast<double>(levels);
  if (run_ns * longer * longer > most_ns) {
    s.given_up = fmt::format("{} levels take {:.2f} s", levels, run_ns / 1e9);
  }
}

// Of a series that was given up: what was not reached, and what took long, for once is enough.
bool is_left_out(const chain_series& s, std::uint64_t levels) {
  constexpr double long_ns = 5e8;
  if (s.given_up.empty()) return false;
  const auto* before = s.at(levels);
  return before == nullptr || before->rounds_ns.front() > long_ns;
}

void measure_chains(recursions& m, unsigned rounds, base::rng& random) {
  const std::vector<std::uint64_t> levels = chain_levels(m.quick);
  m.chain_rounds = rounds;
  m.chains = chain_entrants(m.who.present);
  std::vector<chain_series*> turns;
  for (chain_series& s : m.chains) turns.push_back(&s);
  for (unsigned round = 0; round < rounds; ++round) {
    show_progress(fmt::format("{}: round {} of {}", chain_name, round + 1, rounds));
    shuffle(turns, random);
    for (chain_series* s : turns) {
      for (std::size_t i = 0; i < levels.size(); ++i) {
        if (is_left_out(*s, levels[i])) break;
        run_chain_once(*s, levels[i], levels[std::min(i + 1, levels.size() - 1)]);
      }
    }
  }
  show_progress("");
}

// --- Texts.

std::string time_text(const series* s) {
  return s == nullptr ? "-" : cli::duration_text(median_of(s->rounds_ns));
}

std::string over_serial_text(const program_result& r, const series* s) {
  if (s == nullptr) return "-";
  return ratio_text(ratio_of(s->rounds_ns, r.serial.rounds_ns)) + (s->given_up ? ", given up" : "");
}

std::string level_text(const chain_series& s, std::uint64_t levels) {
  const auto* found = s.at(levels);
  if (found == nullptr) return "-";
  return fmt::format("{:.1f}", median_of(found->rounds_ns) / static_cast<double>(levels));
}

std::string bytes_text(const chain_series& s) {
  return s.bytes_a_level > 0 ? fmt::format("{:.0f}", s.bytes_a_level) : "-";
}

std::string program_text(const program_result& r) {
  cli::table table(
      {"runtime", "form", ">one worker", ">over serial, 95%", ">all workers", ">over serial, 95%"});
  for (const series& s : r.all) {
    if (s.of.who->door != all_workers) continue;
    const series* alone = series_of(r, s.of.who->runtime, s.of.schedule, one_worker);
    table.add_row({s.of.who->runtime, s.of.schedule, time_text(alone), over_serial_text(r, alone),
                   time_text(&s), over_serial_text(r, &s)});
  }
  return fmt::format("\n{}: serial {}, {} rounds\n{}", r.program,
                     cli::duration_text(median_of(r.serial.rounds_ns)), r.serial.rounds_ns.size(),
                     table.to_text());
}

std::string chains_text(const recursions& r) {
  std::vector<cli::table::column> columns{"runtime", "form", ">workers", ">bytes a level"};
  std::vector<std::uint64_t> levels;
  for (const auto& l : r.chains.front().lengths) levels.push_back(l.levels);
  for (const std::uint64_t l : levels) columns.push_back('>' + std::to_string(l));
  columns.push_back("given up");
  cli::table table(std::move(columns));
  for (const chain_series& s : r.chains) {
    std::vector<std::string> cells{s.is_serial() ? "-" : s.of.who->runtime, s.of.schedule,
                                   s.is_serial() ? "-" : std::to_string(s.of.who->lane->threads()),
                                   bytes_text(s)};
    for (const std::uint64_t l : levels) cells.push_back(level_text(s, l));
    cells.push_back(s.given_up.empty() ? "-" : s.given_up);
    table.add_row(std::move(cells));
  }
  return fmt::format("\n{}: ns a level, by the number of levels, {} rounds\n{}", chain_name,
                     r.chain_rounds, table.to_text());
}

std::string header_text(const recursions& m) {
  const contest& c = m.asked.setting;
  return fmt::format("Recursion, {} workers and one{}{}, on {}\n", c.threads,
                     c.pinned ? ", pinned" : "", m.quick ? ", small inputs" : "", machine_name()) +
         peers_text(m);
}

// Prints each program's table when it is done. Throws lane_error when an answer is wrong or a lane
// is gone.
void measure(recursions& m, double minutes, const std::vector<std::string>& programs) {
  constexpr patience with{.times = 50, .rounds = 1};
  const std::vector<contender>& present = m.who.present;
  pace time(minutes, programs.size());
  base::rng random(1);
  const load_watch load(present);
  for (const std::string& program : programs) {
    unsigned rounds = m.asked.rounds;
    if (program == chain_name) {
      measure_chains(m, rounds > 0 ? rounds : judged_rounds_min, random);
      fmt::print("{}", chains_text(m));
    } else {
      const std::vector<entrant> entrants = entrants_of(program, present);
      if (rounds == 0) {
        rounds = time.rounds(serial_run_ns(program, present.front()), present.size(),
                             entrants.size(), judged_rounds_min);
      }
      m.programs.push_back(measure(program, entrants, rounds, random, {}, with));
      show_progress("");
      fmt::print("{}", program_text(m.programs.back()));
    }
    std::fflush(stdout);
  }
  m.others_share = load.others_share();
}

// --- Schema "doall-bench-recursion/1"; this file's page has it.

ordered_json series_json(const program_result& r, const series& s) {
  return {{"runtime", s.of.who->runtime},
          {"form", s.of.schedule},
          {"workers", s.of.who->lane->threads()},
          {"library", s.of.who->lane->library()},
          {"median_ns", rounded(median_of(s.rounds_ns))},
          {"over_serial", to_json(ratio_of(s.rounds_ns, r.serial.rounds_ns))},
          {"given_up", s.given_up},
          {"rounds_ns", rounded(s.rounds_ns)}};
}

ordered_json program_json(const program_result& r) {
  ordered_json json{{"program", r.program},
                    {"rounds", r.serial.rounds_ns.size()},
                    {"serial_ns", rounded(median_of(r.serial.rounds_ns))},
                    {"rows", ordered_json::array()}};
  for (const series& s : r.all) json["rows"].push_back(series_json(r, s));
  return json;
}

ordered_json chain_json(const chain_series& s) {
  ordered_json json{{"runtime", s.is_serial() ? "" : s.of.who->runtime},
                    {"form", s.of.schedule},
                    {"workers", s.of.who->lane->threads()},
                    {"bytes_a_level", nullptr},
                    {"given_up", s.given_up},
                    {"lengths", ordered_json::array()}};
  if (s.bytes_a_level > 0) json["bytes_a_level"] = s.bytes_a_level;
  for (const auto& l : s.lengths) {
    json["lengths"].push_back({{"levels", l.levels},
                               {"median_ns", rounded(median_of(l.rounds_ns))},
                               {"rounds_ns", rounded(l.rounds_ns)}});
  }
  return json;
}

ordered_json document(const recursions& m, const std::vector<verdict>& verdicts) {
  ordered_json json = to_json(m, "recursion");
  json["quick"] = m.quick;
  json["programs"] = ordered_json::array();
  json["chains"] = ordered_json::array();
  json["verdicts"] = list_json(verdicts);
  for (const program_result& p : m.programs) json["programs"].push_back(program_json(p));
  for (const chain_series& s : m.chains) json["chains"].push_back(chain_json(s));
  return json;
}

void run_recursion(const cli::arguments& args) {
  recursions m{{{.setting = default_contest(), .rounds = 0}}};
  run_options& asked = m.asked;
  double minutes = 10;
  std::vector<std::string> programs;
  cli::option_parser options(
      "bench recursion", "[OPTIONS]",
      "Recursion by parallel_for, parallel_invoke and task_group, on one worker and on all,\n"
      "over the serial program; oneTBB and OpenMP's tasks in the same run; and a deep chain.",
      "Exit status 1 also when an answer is wrong, or when something that is asked is missed.");
  add_rounds_option(
      options, asked,
      fmt::format("what --minutes has room for,\nfrom 6 to {} a program", pace::rounds_max));
  add_json_option(options, asked);
  add_minutes_option(options, minutes, "default 10");
  add_programs_option(options, programs);
  options.add_flag("--quick", m.quick, "Small inputs, and one round unless --rounds says more");
  add_contest_options(options, asked.setting);
  if (!options.read(args)) return;
  if (m.quick && asked.rounds == 0) asked.rounds = 1;

  result_file json(asked.json_file);
  m.who = start_lanes(m, asked.setting.threads, all_workers);
  move_to(m.who, start_lanes(m, 1, one_worker));
  std::vector<std::string> all = m.who.present.front().lane->offers();
  all.emplace_back(chain_name);
  const std::vector<std::string> chosen = chosen_of(all, programs);
  fmt::print("{}", header_text(m));
  measure(m, minutes, chosen);
  const std::vector<verdict> verdicts = judge(m);
  fmt::print("\n{}", load_text(m.others_share));
  if (!verdicts.empty()) fmt::print("\n{}", to_text(verdicts));
  json.write(document(m, verdicts));

  const auto missed = std::ranges::count(verdicts, std::optional(false), &verdict::held);
  if (missed > 0 && !m.quick) {
    throw cli::failure(cli::failed,
                       fmt::format("{} of {} demands missed", missed, verdicts.size()));
  }
}

const experiment here{"recursion", run_recursion};

}  // namespace
}  // namespace doall::bench
