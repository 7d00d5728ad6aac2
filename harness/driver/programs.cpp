#include "driver/programs.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/clock.hpp"
#include "driver/statistics.hpp"

namespace doall::bench {

void add_program_options(cli::option_parser& options, program_choice& choice) {
  options.add_option("--size", choice.size, "The paper's sizes, or small ones for a test")
      .one_of({"paper", "small"})
      .shown_as("paper|small");
  add_programs_option(options, choice.programs, choice.by_default);
}

void add_choice_options(cli::option_parser& options, program_choice& choice) {
  if (const char* graph = std::getenv("DOALL_BENCH_GRAPH")) choice.graph_file = graph;
  options
      .add_option("--graph", choice.graph_file,
                  "Runs the graph programs on this graph too; by default $DOALL_BENCH_GRAPH")
      .shown_as("FILE");
  add_program_options(options, choice);
}

std::vector<entrant> entrants_of(const std::string& program,
                                 const std::vector<contender>& present) {
  std::vector<entrant> all;
  for (const contender& c : present) {
    std::istringstream schedules(c.lane->ask("schedules " + program));
    for (std::string schedule; schedules >> schedule;) all.push_back({&c, schedule});
  }
  return all;
}

namespace {

std::vector<run_times> run(const std::string& program, const entrant& e, turn_length length) {
  constexpr std::size_t columns = 7;
  const std::vector<double> found = e.who->lane->numbers(
      fmt::format("runs {} {} {} {}", program, e.schedule, length.runs_min, length.runs_max),
      columns * std::max<std::size_t>(1, length.runs_min));
  std::vector<run_times> runs;
  for (std::size_t at = 0; at + columns <= found.size(); at += columns) {
    const double* of = &found[at];
    runs.push_back({of[0], of[1], of[2], of[3], of[4], of[5], of[6]});
  }
  return runs;
}

// Who is too slow for the rounds to come.
void give_up(const std::vector<series*>& turns, double times) {
  std::vector<double> medians;
  for (const series* s : turns) medians.push_back(median_of(s->rounds_ns));
  const double least = std::ranges::min(medians);
  for (std::size_t i = 0; i < turns.size(); ++i) turns[i]->given_up = medians[i] > times * least;
}

}  // namespace

void check_answers(const std::string& program, std::vector<series>& all) {
  show_progress(program + ": checking the answers");
  for (series& s : all) {
    s.part = s.of.who->lane->numbers(fmt::format("check {} {}", program, s.of.schedule)).front();
  }
}

void run_rounds(const std::string& program, std::vector<series*> turns, unsigned rounds,
                base::rng& random, turn_length length, patience with) {
  for (unsigned round = 0; round < rounds; ++round) {
    if (round == with.rounds) {
      std::vector<series*> rivals = turns;
      std::erase_if(rivals, [](const series* s) { return s->of.schedule == "serial"; });
      if (!rivals.empty()) give_up(rivals, with.times);
      std::erase_if(turns, [](const series* s) { return s->given_up; });
    }
    show_progress(fmt::format("rounds of {}, {} in each", program, turns.size()), round, rounds);
    shuffle(turns, random);
    for (series* s : turns) s->add_round(run(program, s->of, length));
  }
}

program_result measure(const std::string& program, const std::vector<entrant>& entrants,
                       unsigned rounds, base::rng& random, turn_length length, patience with) {
  program_result r{program, {{entrants.front().who, "serial"}}};
  for (const entrant& e : entrants) r.all.push_back({e});
  check_answers(program, r.all);
  std::vector<series*> turns{&r.serial};
  for (series& s : r.all) turns.push_back(&s);
  run_rounds(program, turns, rounds, random, length, with);
  return r;
}

double serial_run_ns(const std::string& program, const contender& who) {
  show_progress(program + ": one run");
  return who.lane->numbers(fmt::format("runs {} serial 1 1", program)).front();
}

namespace {

// Who or what is left out is told with the reason.
contenders start_fine_lanes(const contest& c, const program_choice& choice) {
  std::vector<std::string> arguments{"programs", choice.size};
  if (!choice.graph_file.empty()) {
    std::error_code error;
    const auto file = std::filesystem::canonical(choice.graph_file, error);
    if (error) {
      throw cli::failure(cli::failed, fmt::format("no graph \"{}\": {}; nothing was run",
                                                  choice.graph_file, error.message()));
    }
    arguments.push_back(file.string());
  }
  roster all(c);
  all.add(lane_set{.name = kernel_lanes, .arguments = arguments});
  contenders found = all.take();
  if (choice.graph_file.empty()) {
    found.left_out.emplace_back(
        "a graph from a file: neither --graph nor DOALL_BENCH_GRAPH names one");
  }
  return found;
}

}  // namespace

programs_outcome measure_fine_programs(const run_options& asked, const program_choice& choice,
                                       turn_length length,
                                       std::string (*header)(const programs_outcome&),
                                       std::string (*table)(const program_result&)) {
  programs_outcome made{{asked, start_fine_lanes(asked.setting, choice)}, choice};
  const std::vector<contender>& present = made.who.present;
  const auto programs = chosen_of(present.front().lane->offers(), choice.programs);
  fmt::print("{}", header(made));

  const load_watch load(present);
  base::rng random(1);
  for (const std::string& program : programs) {
    made.programs.push_back(
        measure(program, entrants_of(program, present), asked.rounds, random, length));
    show_progress("");
    fmt::print("{}", table(made.programs.back()));
    std::fflush(stdout);
  }
  made.others_share = load.others_share();
  fmt::print("\n{}", load_text(made.others_share));
  return made;
}

nlohmann::ordered_json to_json(const programs_outcome& o, const std::string& name) {
  nlohmann::ordered_json json = to_json(static_cast<const outcome&>(o), name);
  json["size"] = o.choice.size;
  json["graph"] = o.choice.graph_file;
  return json;
}

pace::pace(double minutes, std::size_t programs)
    : end_ns_(base::now_ns() + static_cast<std::uint64_t>(minutes * 60e9)),
      programs_left_(programs) {}

unsigned pace::rounds(double serial_ns, std::size_t lanes, std::size_t entrants,
                      unsigned rounds_min) {
  // kernels/harness.hpp: a lane makes the input and runs the program serially, each entrant
  // is checked by two runs, and a turn wakes the threads, prepares the input and runs. Half of a
  // serial run is what two threads take.
  constexpr double start_runs = 2;
  constexpr double check_runs = 1.2;
  constexpr double turn_runs = 0.7;
  constexpr double turn_ns = 8e6;
  const double left_ns = static_cast<double>(end_ns_) - static_cast<double>(base::now_ns());
  const double share_ns = left_ns / static_cast<double>(std::max<std::size_t>(1, programs_left_));
  if (programs_left_ > 0) --programs_left_;
  const double before_ns = serial_ns * (start_runs * static_cast<double>(lanes) +
                                        check_runs * static_cast<double>(entrants));
  const double round_ns = (turn_ns + turn_runs * serial_ns) * static_cast<double>(entrants + 1);
  const double found = (share_ns - before_ns) / round_ns;
  return static_cast<unsigned>(std::clamp<double>(found, rounds_min, rounds_max));
}

void add_paced_options(cli::option_parser& options, run_options& o, double& minutes) {
  o.rounds = 0;
  add_rounds_option(
      options, o,
      fmt::format("what --minutes has room for,\nat most {} a program", pace::rounds_max));
  add_json_option(options, o);
  add_minutes_option(options, minutes,
                     "default 5. Programs that are judged have 6 or more in any case, others 3");
}

}  // namespace doall::bench
