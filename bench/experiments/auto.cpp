// doall bench auto: the native default against every schedule that could be named instead, and
// against what the peers do when nobody names anything.
//
// Two parts, program by program. The search runs the program under every schedule in turn, each in
// the one native lane. Then the default, the schedule that was best there, and the peers' defaults
// are started anew each round, in processes of their own, so that nobody has learnt anything: of
// ten runs the first, and the last three. A bandit over the same schedules takes part, too. What
// the first part has chosen by its luck, the second measures again.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "experiments/auto.hpp"
#include "schedule/grammar.hpp"
#include "text/table.hpp"

namespace doall::bench::auto_choice {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t calls = 10;
constexpr std::size_t late_calls = 3;

// --- Lanes.

constexpr const char* experiment_name = "auto";

lane_set lanes_of(const choice& c) {
  return {.name = kernel_lanes,
          .arguments = {experiment_name, c.programs.size},
          .doors = {"native"},
          .wait_actively_too = false};
}

// A peer's own, when nobody names one.
std::string default_of(const contender& who) {
  if (who.runtime == "doall") return subject;
  return who.runtime == "tbb" ? "auto_partitioner" : "static";
}

contenders start(const contest& c, const choice& of, const std::string& runtime) {
  contest one = c;
  one.runtimes = {runtime};
  roster all(one);
  all.add(lanes_of(of));
  return all.take();
}

void call(const measurement& m, const std::string& program, const std::string& runtime, rival& r) {
  const contenders fresh = start(m.asked.setting, m.of, runtime);
  const std::vector<double> all = fresh.present.front().lane->numbers(
      fmt::format("calls {} {} {}", program, r.schedule, calls), calls);
  r.first_ns.push_back(all.front());
  r.tenth_ns.push_back(median_of({all.end() - late_calls, all.end()}));
}

// The learner's lane (papers/lanes/learner.hpp), with every schedule but the subject as an arm.
std::string arms_text(const measurement& m) {
  std::string text = "learner";
  for (const std::string& schedule : m.schedules)
    if (schedule != subject) text += ';' + schedule;
  return text;
}

// --- The two parts.

void search(const measurement& m, const contender& native, base::rng& random, auto_result& r) {
  std::vector<series> all{{.of = {&native, "serial"}}};
  for (const std::string& schedule : m.schedules) all.push_back({.of = {&native, schedule}});
  std::vector<series*> turns;
  for (series& s : all) turns.push_back(&s);
  run_rounds(r.program, turns, m.of.search_rounds, random, {}, {.times = 2, .rounds = 1});
  r.serial_ns = median_of(all.front().rounds_ns);
  for (const series& s : all) {
    if (s.of.schedule == "serial") continue;
    r.found_ns[s.of.schedule] = median_of(s.rounds_ns);
    if (r.best.empty() || r.found_ns[s.of.schedule] < r.found_ns[r.best]) r.best = s.of.schedule;
  }
}

void compare(const measurement& m, base::rng& random, auto_result& r) {
  std::vector<std::string> runtimes;  // of r.rivals
  const auto add = [&](const std::string& runtime, const std::string& schedule) {
    runtimes.push_back(runtime);
    r.rivals.push_back({runtime + " " + schedule, schedule});
  };
  add("doall", subject);
  if (r.best != subject) add("doall", r.best);
  if (m.schedules.size() > 1) {
    runtimes.emplace_back("doall");
    r.rivals.push_back({learner, arms_text(m)});
  }
  for (const contender& who : m.who.present) {
    if (who.runtime != "doall") add(who.runtime, default_of(who));
  }
  std::vector<std::size_t> turns(r.rivals.size());
  for (std::size_t i = 0; i < turns.size(); ++i) turns[i] = i;
  for (unsigned round = 0; round < m.asked.rounds; ++round) {
    show_progress(
        fmt::format("{}: first calls, round {} of {}", r.program, round + 1, m.asked.rounds));
    shuffle(turns, random);
    for (const std::size_t i : turns) call(m, r.program, runtimes[i], r.rivals[i]);
  }
}

// --- What is found.

std::string header_text(const measurement& m) {
  return fmt::format(
             "The native default, {} schedules, {} rounds of a search and {} of first calls, size "
             "{}, {}, on {}\n"
             "over best: auto's time over that of the schedule that the search found best, both in "
             "new processes, 95%\n",
             m.schedules.size(), m.of.search_rounds, m.asked.rounds, m.of.programs.size,
             threads_text(m.asked.setting), machine_name()) +
         peers_text(m);
}

cli::table table_of_programs() {
  return cli::table({"program", ">serial", ">auto", "best schedule", ">over best",
                     ">first over best's", "best peer", ">over peer", ">first over peer's",
                     ">over learner"});
}

void add_row(cli::table& table, const auto_result& r) {
  const rival& best = r.best_schedule();
  std::vector<std::string> cells{
      r.program, cli::duration_text(r.serial_ns), cli::duration_text(median_of(r.ours().tenth_ns)),
      r.best,    ratio_text(tenth_over(r, best)), ratio_text(first_over(r, best))};
  if (const rival* peer = r.best_peer()) {
    cells.insert(cells.end(),
                 {peer->name, ratio_text(tenth_over(r, *peer)), ratio_text(first_over(r, *peer))});
  } else {
    cells.insert(cells.end(), {"-", "-", "-"});
  }
  const rival* learnt = r.learnt();
  cells.push_back(learnt == nullptr ? "-" : ratio_text(tenth_over(r, *learnt)));
  table.add_row(std::move(cells));
}

// As soon as the program is measured: the whole takes half an hour or more.
std::string line_text(const auto_result& r) {
  const rival* peer = r.best_peer();
  return fmt::format(
      "{}: {} of {}{}", r.program, ratio_text(tenth_over(r, r.best_schedule())), r.best,
      peer == nullptr ? ""
                      : fmt::format(", {} of {}", ratio_text(tenth_over(r, *peer)), peer->name));
}

std::string means_text(const measurement& m) {
  cli::table table({"schedule", ">auto over it, mean", ">least", ">most"});
  for (const schedule_mean& s : means_of(m)) {
    table.add_row({s.schedule, fmt::format("{:.3f}", s.mean), fmt::format("{:.3f}", s.least),
                   fmt::format("{:.3f}", s.most)});
  }
  return table.to_text();
}

// --- JSON.

ordered_json rival_json(const auto_result& r, const rival& other) {
  return {{"name", other.name},
          {"first_ns", rounded(other.first_ns, of_programs_ns)},
          {"tenth_ns", rounded(other.tenth_ns, of_programs_ns)},
          {"auto_first_over", to_json(first_over(r, other))},
          {"auto_tenth_over", to_json(tenth_over(r, other))}};
}

// Schema "doall-bench-auto/1"; this file's page has it.
ordered_json to_json(const measurement& m, const std::vector<verdict>& verdicts) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "auto");
  json["rounds"] = m.asked.rounds;
  json["search_rounds"] = m.of.search_rounds;
  json["size"] = m.of.programs.size;
  json["programs"] = ordered_json::array();
  for (const auto_result& r : m.programs) {
    ordered_json program{{"program", r.program},
                         {"serial_ns", rounded(r.serial_ns, of_programs_ns)},
                         {"best", r.best},
                         {"search_ns", ordered_json::object()},
                         {"rivals", ordered_json::array()}};
    for (const auto& [schedule, ns] : r.found_ns)
      program["search_ns"][schedule] = rounded(ns, of_programs_ns);
    for (const rival& other : r.rivals) program["rivals"].push_back(rival_json(r, other));
    json["programs"].push_back(std::move(program));
  }
  json["schedules"] = ordered_json::array();
  for (const schedule_mean& s : means_of(m)) {
    json["schedules"].push_back({{"schedule", s.schedule},
                                 {"auto_over_mean", s.mean},
                                 {"least", s.least},
                                 {"most", s.most}});
  }
  json["verdicts"] = list_json(verdicts);
  return json;
}

// Throws cli::failure for a text that is no schedule.
std::vector<std::string> schedules_of(const choice& c) {
  std::vector<std::string> all = c.schedules.empty() ? registry_texts() : c.schedules;
  for (const std::string& one : all) {
    if (const auto parsed = schedules::parse(one); !parsed)
      throw cli::failure(cli::bad_usage, parsed.error);
  }
  if (std::ranges::count(all, subject) == 0) all.insert(all.begin(), subject);
  return all;
}

void run_auto(const cli::arguments& args) {
  measurement m{{{.setting = default_contest(), .rounds = 6}}};
  cli::option_parser options(
      "bench auto", "[OPTIONS]",
      "Every program of the repository, with nothing said of its loops: the native default "
      "against\n"
      "every schedule that could be named instead, and against the peers' defaults (libgomp's and\n"
      "libomp's static, oneTBB's auto_partitioner), in the first call and after ten.",
      "A short form: --programs=sor,triangular,balanced-S --schedules='static;affinity' "
      "--rounds=1\n"
      "--search-rounds=1 --size=small. Exit status 1 also when an answer is wrong.");
  add_rounds_option(options, m.asked);
  options
      .add_option("--search-rounds", m.of.search_rounds,
                  "Rounds of the search for the best schedule, of each once; by default 3")
      .between(1U, 1'000U)
      .shown_as("N");
  options
      .add_option("--schedules", m.of.schedules,
                  "Besides auto, parted by ; as parameters have commas; by default all")
      .parted_by(';')
      .shown_as("LIST");
  add_program_options(options, m.of.programs);
  add_contest_options(options, m.asked.setting);
  add_json_option(options, m.asked);
  if (!options.read(args)) return;
  result_file file(m.asked.json_file);
  m.schedules = schedules_of(m.of);
  roster lanes(m.asked.setting);
  lanes.add(lanes_of(m.of));
  m.who = lanes.take();
  const auto native = std::ranges::find(m.who.present, "doall", &contender::runtime);
  if (native == m.who.present.end())
    throw cli::failure(cli::failed, "doall takes no part; nothing was measured");
  fmt::print("{}\n", header_text(m));

  const load_watch load(m.who.present);
  base::rng random(1);
  cli::table table = table_of_programs();
  for (const std::string& program : chosen_of(native->lane->offers(), m.of.programs.programs)) {
    auto_result r;
    r.program = program;
    search(m, *native, random, r);
    compare(m, random, r);
    add_row(table, r);
    show_progress("");
    fmt::print("{}\n", line_text(r));
    std::fflush(stdout);
    m.programs.push_back(std::move(r));
  }
  fmt::print("\n");
  m.others_share = load.others_share();
  const std::vector<verdict> verdicts = judge(m);
  fmt::print("{}\n{}\n{}{}", table.to_text(), means_text(m), load_text(m.others_share),
             to_text(verdicts));
  file.write(to_json(m, verdicts));
}

const experiment here{"auto", run_auto};

}  // namespace
}  // namespace doall::bench::auto_choice
