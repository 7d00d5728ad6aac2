// doall bench recursion: recursion made of loops, of forks and of tasks, with the peers.
//
// Length: an experiment is one file: who takes part, what is measured, and the report.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/table.hpp"
#include "driver/experiments.hpp"
#include "driver/load_watch.hpp"
#include "driver/machine.hpp"
#include "driver/pace.hpp"
#include "driver/program_contenders.hpp"
#include "driver/program_measurement.hpp"
#include "driver/row_text.hpp"
#include "driver/run_options.hpp"
#include "driver/shuffle.hpp"
#include "driver/verdict.hpp"
#include "lanes/deep_chain.hpp"

namespace doall::bench {
namespace {

// Doors of lanes, here: how many workers a lane has.
inline constexpr const char* all_workers = "all";
inline constexpr const char* one_worker = "one";

struct recursion_request {
  run_options asked;  // 0 rounds: as many as there is time for
  double minutes = 10;
  bool quick = false;
  std::vector<std::string> programs = {};  // by name, or by its beginning; none: all
};

// Throws lane_error when nobody takes part.
contenders start_recursion_lanes(const recursion_request& r);

// The deep chain is measured as if it were the last program.
inline constexpr const char* chain_name = "deep-chain";
std::vector<std::string> chosen_recursions(const recursion_request& r,
                                           const std::vector<contender>& present);

// Chains of one entrant.
struct chain_series {
  struct length {
    std::uint64_t levels = 0;
    std::vector<double> rounds_ns = {};
  };
  entrant of;
  std::vector<length> lengths = {};
  double bytes_a_level = 0;   // of stack; 0: unknown
  std::string given_up = "";  // why longer ones were not asked for; "": none was left out

  bool is_serial() const { return of.schedule.starts_with("serial"); }
  const length* at(std::uint64_t levels) const;  // null: was not measured
};

// For an interval.
inline constexpr unsigned judged_rounds_min = 6;

struct recursion_results {
  std::vector<program_result> programs;
  std::vector<chain_series> chains;  // the serial ones first, pairs and loops
  unsigned chain_rounds = 0;
  double others_share = 0;
};

// The shortest and the longest chain are judged.
std::vector<std::uint64_t> chain_levels(bool quick);

// Prints each program's table when it is done. Throws lane_error when an answer is wrong or a
// lane is gone.
recursion_results measure_recursions(const recursion_request& r,
                                     const std::vector<std::string>& programs,
                                     const std::vector<contender>& present);

// What is asked of recursion, and whether it is held.

// Each by the median; nothing is judged with fewer than 6 rounds, and no speed-up with one worker.
std::vector<verdict> judge_recursions(const recursion_results& all, unsigned workers, bool quick);

// Of a runtime in one form, with all workers or with one. Null: does not take part.
const series* series_of(const program_result& r, const std::string& runtime,
                        const std::string& form, const char* door);

// What came out, for people and for programs.

struct recursion_report {
  const recursion_request& request;
  std::vector<std::string> left_out;
  recursion_results results = {};
  std::vector<verdict> verdicts = {};
};

std::string header_text(const recursion_report& r);
std::string program_text(const program_result& r);
std::string chains_text(const recursion_results& r);
std::string footer_text(const recursion_report& r);

// Schema "doall-bench-recursion/1"; this file's page has it.
nlohmann::ordered_json to_json(const recursion_report& r);

// Address space for chains on workers' stacks: tasks may be stolen at any level.
constexpr const char* stacks = "OMP_STACKSIZE=512M";

void add_lanes(contenders& to, const recursion_request& r, unsigned threads, const char* door) {
  contest c = r.asked.setting;
  c.threads = threads;
  const std::string size = r.quick ? "small" : "paper";
  roster all(c);
  const auto plan = [&](const std::string& runtime, const std::string& program,
                        const std::string& needs) {
    return lane_plan{.runtime = runtime,
                     .door = door,
                     .program = "lane-recursion-" + program,
                     .arguments = {size},
                     .variables = {stacks},
                     .needs = needs,
                     .compiler = program == "openmp-clang" ? "Clang" : own_compiler};
  };
  if (c.wants("doall")) all.add(plan("doall", "doall", ""));
  if (c.wants("tbb")) all.add(with_tbb_arena(plan("tbb", "tbb", "libtbb-dev"), c));
  if (c.wants("libgomp")) all.add(plan("libgomp", "openmp-gcc", "GCC"));
  if (c.wants("libomp")) all.add(plan("libomp", "openmp-clang", "clang-19 and libomp-19-dev"));
  contenders found = all.take();
  std::ranges::move(found.present, std::back_inserter(to.present));
  std::ranges::move(found.left_out, std::back_inserter(to.left_out));
}

double serial_run_ns(const std::string& program, const contender& who) {
  std::istringstream answer(who.lane->ask(fmt::format("runs {} serial 1 1", program)));
  double ns = 0;
  if (!(answer >> ns)) throw lane_error(who.lane->name() + ": " + answer.str());
  return ns;
}

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
  std::istringstream answer;
  double run_ns = 0;
  double bytes = 0;
  try {
    answer.str(s.of.who->lane->ask(fmt::format("deep {} {}", s.of.schedule, levels)));
  } catch (const lane_error& e) {
    s.given_up = fmt::format("{} levels: {}", levels, e.what());
    return;
  }
  if (!(answer >> run_ns >> bytes)) {
    throw lane_error(
        fmt::format("a chain of {} levels, {}: {}", levels, s.of.who->lane->name(), answer.str()));
  }
  const auto found = std::ranges::find(s.lengths, levels, &chain_series::length::levels);
  chain_series::length& to =
      found != s.lengths.end() ? *found : s.lengths.emplace_back(chain_series::length{levels});
  to.rounds_ns.push_back(run_ns);
  s.bytes_a_level = std::max(s.bytes_a_level, bytes);
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

std::vector<chain_series> measure_chains(const std::vector<contender>& present, unsigned rounds,
                                         bool quick, base::rng& random) {
  const std::vector<std::uint64_t> levels = chain_levels(quick);
  std::vector<chain_series> all = chain_entrants(present);
  std::vector<chain_series*> turns;
  for (chain_series& s : all) turns.push_back(&s);
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
  return all;
}

contenders start_recursion_lanes(const recursion_request& r) {
  contenders all;
  add_lanes(all, r, r.asked.setting.threads, all_workers);
  add_lanes(all, r, 1, one_worker);
  return all;
}

std::vector<std::string> chosen_recursions(const recursion_request& r,
                                           const std::vector<contender>& present) {
  std::vector<std::string> all = present.front().lane->offers();
  all.emplace_back(chain_name);
  if (r.programs.empty()) return all;
  for (const std::string& wanted : r.programs) {
    if (std::ranges::none_of(all, [&](const auto& name) { return name.starts_with(wanted); })) {
      throw cli::failure(cli::bad_usage,
                         fmt::format("unknown program \"{}\", expected the beginning of one of: {}",
                                     wanted, fmt::join(all, ", ")));
    }
  }
  std::erase_if(all, [&r](const std::string& name) {
    return std::ranges::none_of(r.programs,
                                [&](const auto& wanted) { return name.starts_with(wanted); });
  });
  return all;
}

const chain_series::length* chain_series::at(std::uint64_t levels) const {
  const auto found = std::ranges::find(lengths, levels, &length::levels);
  return found == lengths.end() ? nullptr : &*found;
}

std::vector<std::uint64_t> chain_levels(bool quick) {
  if (quick) return {100, 1'000};
  return {1'000, 10'000, 32'000, 100'000};
}

recursion_results measure_recursions(const recursion_request& r,
                                     const std::vector<std::string>& programs,
                                     const std::vector<contender>& present) {
  constexpr patience with{.times = 50, .rounds = 1};
  recursion_results made;
  pace time(r.minutes, programs.size());
  base::rng random(1);
  const load_watch load(present);
  for (const std::string& program : programs) {
    unsigned rounds = r.asked.rounds;
    if (program == chain_name) {
      made.chain_rounds = rounds > 0 ? rounds : judged_rounds_min;
      made.chains = measure_chains(present, made.chain_rounds, r.quick, random);
      fmt::print("{}", chains_text(made));
    } else {
      if (rounds == 0) {
        rounds = time.rounds(serial_run_ns(program, present.front()), present.size(),
                             entrants_of(program, present).size(), judged_rounds_min);
      }
      made.programs.push_back(measure(program, present, rounds, {}, random, show_progress, with));
      show_progress("");
      fmt::print("{}", program_text(made.programs.back()));
    }
    std::fflush(stdout);
  }
  made.others_share = load.others_share();
  return made;
}

enum class limit { most, least };

// One demand: what is found of each program and form that it is asked of.
class demand {
 public:
  demand(std::string of, limit kind, double value)
      : kind_(kind),
        value_(value),
        made_{.of = std::move(of),
              .limit = fmt::format("{} {:.3g}", kind == limit::most ? "<=" : ">=", value)} {}

  // `gone`: it was given up as too slow, or did not end, so that few rounds will do.
  void add(const std::string& where, const ratio& found, bool gone = false) {
    const bool holds = kind_ == limit::most ? found.median <= value_ : found.median >= value_;
    const bool is_worse = kind_ == limit::most ? found.median > made_.found.median
                                               : found.median < made_.found.median;
    if (made_.where.empty() || is_worse) {
      made_.found = found;
      made_.where = where;
    }
    if (!found.interval && !gone) {
      is_short_of_rounds_ = true;
    } else if (!holds) {
      made_.missed.push_back(where);
    }
  }

  // What could not be measured at all.
  void miss(const std::string& where) {
    if (made_.where.empty()) made_.where = where;
    made_.missed.push_back(where);
  }

  void give(std::vector<verdict>& to) {
    if (made_.where.empty()) return;
    if (!made_.missed.empty()) {
      made_.held = false;
    } else if (!is_short_of_rounds_) {
      made_.held = true;
    }
    to.push_back(std::move(made_));
  }

 private:
  limit kind_;
  double value_;
  bool is_short_of_rounds_ = false;
  verdict made_;
};

constexpr std::array pair_forms{"invoke", "group"};

// Recursion that consists of calls and nothing else has demands of its own.
bool is_only_calls(const program_result& r) { return r.program == "fib"; }

// Those whose body takes more than 100 ns: a leaf, or what 32 elements take.
bool has_long_bodies(const program_result& r) {
  constexpr std::array all{"quicksort", "mergesort", "tree-134ns", "tree-1us", "tree-3us"};
  return std::ranges::find(all, r.program) != all.end();
}

bool is_to_speed_up(const program_result& r) {
  constexpr std::array all{"queens", "tree-search", "quicksort"};
  return std::ranges::find(all, r.program) != all.end();
}

// A task of a group may cost 60 ns, and a row of the board takes little more.
bool may_speed_up(const series& s, const program_result& r) {
  return is_to_speed_up(r) && !(r.program == "queens" && s.of.schedule == "group");
}

// ours(series, program, where) of all that doall ran on so many workers.
void each_of_ours(const recursion_results& all, const char* door, const auto& visit) {
  for (const program_result& r : all.programs) {
    for (const series& s : r.all) {
      if (s.of.is_ours() && s.of.who->door == door) {
        visit(r, s, fmt::format("{} {}", r.program, s.of.schedule));
      }
    }
  }
}

void judge_all_workers(const recursion_results& all, unsigned workers, std::vector<verdict>& to) {
  constexpr double slack = 0.08;
  demand serial("all workers over serial", limit::most, 1.02);
  demand speed_up("all workers over serial, searches and quicksort", limit::most,
                  1.0 / workers + slack);
  each_of_ours(all, all_workers, [&](const auto& r, const series& s, const std::string& where) {
    if (is_only_calls(r)) return;
    const ratio found = ratio_of(s.rounds_ns, r.serial.rounds_ns);
    serial.add(where, found, s.given_up);
    if (workers > 1 && may_speed_up(s, r)) speed_up.add(where, found, s.given_up);
  });
  serial.give(to);
  speed_up.give(to);
}

void judge_efficiency(const recursion_results& all, std::vector<verdict>& to) {
  demand efficiency("serial over one worker, bodies over 100 ns", limit::least, 0.98);
  each_of_ours(all, one_worker, [&](const auto& r, const series& s, const std::string& where) {
    if (!has_long_bodies(r) || s.of.schedule == "group") return;
    efficiency.add(where, ratio_of(r.serial.rounds_ns, s.rounds_ns), s.given_up);
  });
  efficiency.give(to);
}

// fib(n) forks once a call of two or more.
double forks_of_fib(bool quick) {
  const unsigned n = quick ? 18 : 30;
  double before = 1;
  double now = 1;
  for (unsigned i = 2; i <= n; ++i) before = std::exchange(now, now + before);
  return now - 1;
}

void judge_fib(const recursion_results& all, unsigned workers, bool quick,
               std::vector<verdict>& to) {
  constexpr double slack = 0.08;
  demand scales("fib, all workers over one", limit::most, 1.0 / workers + slack);
  demand ahead("fib, TBB's time over ours, all workers", limit::least, 3);
  demand price("a group's task, ns", limit::most, 60);
  for (const program_result& r : all.programs) {
    if (!is_only_calls(r)) continue;
    for (const char* form : pair_forms) {
      const series* shared = series_of(r, "doall", form, all_workers);
      const series* alone = series_of(r, "doall", form, one_worker);
      if (shared == nullptr || alone == nullptr) continue;
      const std::string where = fmt::format("fib {}", form);
      const bool gone = shared->given_up || alone->given_up;
      if (workers > 1) scales.add(where, ratio_of(shared->rounds_ns, alone->rounds_ns), gone);
      if (const series* tbb = series_of(r, "tbb", form, all_workers)) {
        ahead.add(where, ratio_of(tbb->rounds_ns, shared->rounds_ns), gone || tbb->given_up);
      }
      if (std::string_view(form) != "group") continue;
      std::vector<double> costs_ns;
      for (std::size_t i = 0; i < alone->rounds_ns.size(); ++i) {
        costs_ns.push_back((alone->rounds_ns[i] - r.serial.rounds_ns[i]) / forks_of_fib(quick));
      }
      price.add(where, {median_of(costs_ns), estimate_median(costs_ns)}, alone->given_up);
    }
  }
  scales.give(to);
  ahead.give(to);
  price.give(to);
}

void judge_chains(const recursion_results& all, bool quick, std::vector<verdict>& to) {
  if (all.chains.empty()) return;
  const std::uint64_t shortest = chain_levels(quick).front();
  const std::uint64_t longest = chain_levels(quick).back();
  demand linear(fmt::format("deep chain, a level of {} over one of {}", longest, shortest),
                limit::most, 2);
  demand deep("deep chain of loops, serial's stack over ours", limit::least, 0.25);
  const double serial_bytes = all.chains[1].bytes_a_level;
  for (const chain_series& s : all.chains) {
    if (!s.of.is_ours() || s.is_serial()) continue;
    const std::string where = fmt::format("{} on {} worker{}", s.of.schedule, s.of.who->door,
                                          s.of.who->door == all_workers ? "s" : "");
    const auto* from = s.at(shortest);
    const auto* at = s.at(longest);
    if (from == nullptr || at == nullptr) {
      linear.miss(where + ", " + s.given_up);
    } else {
      const double longer = static_cast<double>(longest) / static_cast<double>(shortest);
      ratio found = ratio_of(at->rounds_ns, from->rounds_ns);
      found.median /= longer;
      if (found.interval) {
        found.interval->low /= longer;
        found.interval->high /= longer;
      }
      linear.add(where, found);
    }
    // Pairs are not asked: a serial level of them is a return address and one register. The
    // bytes are the same in every round, but for what was stolen.
    const bool in_loops = s.of.schedule == "for";
    if (in_loops && s.bytes_a_level > 0) {
      deep.add(where, {serial_bytes / s.bytes_a_level}, all.chain_rounds >= judged_rounds_min);
    }
  }
  linear.give(to);
  deep.give(to);
}

const series* series_of(const program_result& r, const std::string& runtime,
                        const std::string& form, const char* door) {
  const auto found = std::ranges::find_if(r.all, [&](const series& s) {
    return s.of.who->runtime == runtime && s.of.schedule == form && s.of.who->door == door;
  });
  return found == r.all.end() ? nullptr : &*found;
}

std::vector<verdict> judge_recursions(const recursion_results& all, unsigned workers, bool quick) {
  std::vector<verdict> made;
  judge_all_workers(all, workers, made);
  judge_fib(all, workers, quick, made);
  judge_efficiency(all, made);
  judge_chains(all, quick, made);
  return made;
}

using cli::align;
using nlohmann::ordered_json;

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

std::string header_text(const recursion_report& r) {
  const contest& c = r.request.asked.setting;
  std::string text = fmt::format("Recursion, {} workers and one{}{}, on {}\n", c.threads,
                                 c.pinned ? ", pinned" : "",
                                 r.request.quick ? ", small inputs" : "", machine_name());
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text;
}

std::string program_text(const program_result& r) {
  cli::table table({{"runtime"},
                    {"form"},
                    {"one worker", align::right},
                    {"over serial, 95%", align::right},
                    {"all workers", align::right},
                    {"over serial, 95%", align::right}});
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

std::string chains_text(const recursion_results& r) {
  std::vector<cli::table::column> columns{
      {"runtime"}, {"form"}, {"workers", align::right}, {"bytes a level", align::right}};
  std::vector<std::uint64_t> levels;
  for (const auto& l : r.chains.front().lengths) levels.push_back(l.levels);
  for (const std::uint64_t l : levels) columns.push_back({std::to_string(l), align::right});
  columns.push_back({"given up"});
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

std::string footer_text(const recursion_report& r) {
  std::string text = '\n' + load_text(r.results.others_share);
  if (!r.verdicts.empty()) text += '\n' + to_text(r.verdicts);
  return text;
}

ordered_json to_json(const recursion_report& r) {
  const contest& c = r.request.asked.setting;
  ordered_json json{{"schema", "doall-bench-recursion/1"},
                    {"machine", machine_name()},
                    {"threads", c.threads},
                    {"pinned", c.pinned},
                    {"quick", r.request.quick},
                    {"others_cpu_share", r.results.others_share},
                    {"programs", ordered_json::array()},
                    {"chains", ordered_json::array()},
                    {"verdicts", to_json(r.verdicts)},
                    {"left_out", r.left_out}};
  for (const program_result& p : r.results.programs) json["programs"].push_back(program_json(p));
  for (const chain_series& s : r.results.chains) json["chains"].push_back(chain_json(s));
  return json;
}

constexpr const char* name = "bench recursion";

// False after --help.
bool read_request(const cli::arguments& args, recursion_request& r) {
  cli::option_parser options(
      name, "[OPTIONS]",
      "Recursion by parallel_for, parallel_invoke and task_group, on one worker and on all,\n"
      "over the serial program; oneTBB and OpenMP's tasks in the same run; and a deep chain.",
      "Exit status 1 also when an answer is wrong, or when something that is asked is missed.");
  r.asked.rounds = 0;
  add_run_options(
      options, r.asked,
      fmt::format("what --minutes has room for,\nfrom 6 to {} a program", pace::rounds_max));
  options
      .add_option("--minutes", r.minutes,
                  "About how long all rounds may take, unless --rounds says how many; by\n"
                  "default 10")
      ->check(CLI::Range(0.1, 10'000.0).description(""))
      ->type_name("M");
  options.add_option("--programs", r.programs, "Those whose names begin so; by default all")
      ->delimiter(',')
      ->type_name("LIST");
  options.add_flag("--quick", r.quick, "Small inputs, and one round unless --rounds says more");
  add_contest_options(options, r.asked.setting);
  if (!options.read(args)) return false;
  if (r.quick && r.asked.rounds == 0) r.asked.rounds = 1;
  return true;
}

void run(const cli::arguments& args) {
  recursion_request r{.asked = {.setting = default_contest(program_runtimes())}};
  if (!read_request(args, r)) return;
  json_file json(r.asked.json_file);
  contenders all = start_recursion_lanes(r);
  recursion_report made{r, std::move(all.left_out)};
  const std::vector<std::string> programs = chosen_recursions(r, all.present);
  fmt::print("{}", header_text(made));
  made.results = measure_recursions(r, programs, all.present);
  made.verdicts = judge_recursions(made.results, r.asked.setting.threads, r.quick);
  fmt::print("{}", footer_text(made));
  json.write(to_json(made));

  const auto missed = std::ranges::count(made.verdicts, std::optional(false), &verdict::held);
  if (missed > 0 && !r.quick) {
    throw cli::failure(cli::failed,
                       fmt::format("{} of {} demands missed", missed, made.verdicts.size()));
  }
}

}  // namespace

int run_recursion(int argc, char** argv) {
  return run_benchmark(name, argc, argv, [](const cli::arguments& args) { run(args); });
}

}  // namespace doall::bench
