// doall bench prediction: what the simulator says of programs that were recorded on one worker,
// against what they take.
//
// Each program is recorded by `doall run --record` on one worker. The simulator then says what it
// takes on one worker and on all, under each schedule, on a machine whose prices `doall calibrate
// --machine` has measured here. Lanes that nobody records measure the same.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "driver/commands.hpp"
#include "driver/programs.hpp"
#include "driver/report.hpp"
#include "driver/verdict.hpp"
#include "experiments/recorded_programs.hpp"
#include "process/temp_folder.hpp"
#include "schedule/grammar.hpp"
#include "sim/workload.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* base_schedule = "static";
// On one worker the parts that it takes are small: a 256th of what is left.
constexpr const char* recorded_under = "affinity,k=256";
constexpr std::size_t recorded_runs = 24;  // the first one finds its data in no cache
constexpr double within = 0.10;
constexpr double loss_most = 0.03;
constexpr double part_held = 0.9;
constexpr unsigned duel_times = 4;  // as many rounds for the last two

struct choice {
  std::string size = "paper";
  std::vector<std::string> programs = {};
  std::string machine_file = "";
  std::string doall = "";
};

// One run, in nanoseconds.
struct cell {
  double predicted_ns = 0;
  double measured_ns = 0;

  double ratio() const { return predicted_ns / measured_ns; }
  bool is_within() const { return std::abs(ratio() - 1) <= within; }
};

struct row {
  std::string program;
  std::size_t loops = 0;  // of the source
  cell alone = {};        // on one worker, static
  cell base = {};         // on all, static
  cell best = {};         // on all, under the schedule that the simulator names
  std::string named = {};
  std::string fastest = {};  // as measured
  ratio loss = {};           // the named one's time over the fastest one's

  bool is_within() const { return alone.is_within() && base.is_within() && best.is_within(); }
  bool is_named_right() const { return named == fastest || loss.median < 1 + loss_most; }
};

struct predictions : outcome {
  choice how = {};
  std::string machine = {};  // its file's text
  std::vector<row> rows = {};
};

// --- What the simulator says.

// Quoted for a shell.
std::string quoted(const std::string& text) {
  std::string made = "'";
  for (const char c : text) made += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return made + "'";
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

sim::workload record(const predictions& m, const recorded_program& p, const fs::path& work) {
  const fs::path lane = fs::canonical("/proc/self/exe").parent_path() / recorded_lane;
  const fs::path file = work / "costs.json";
  const std::string request = fmt::format("repeat {} {} {}", p.name, recorded_under, recorded_runs);
  const std::string said =
      run({"/bin/sh", "-c",
           fmt::format("echo {} | {} run --threads=1 --record={} -- {} {} {}", quoted(request),
                       quoted(m.how.doall), quoted(file.string()), quoted(lane.string()),
                       p.experiment, m.how.size)})
          .output;
  std::istringstream answer(said.substr(std::min(said.find('\n'), said.size() - 1) + 1));
  if (double ns = 0; !(answer >> ns))
    throw lane_error(fmt::format("{}, recorded: {}", p.name, said));
  return sim::read_workload(p.name, text_of(file));
}

// A run of all of them, by what each call takes there.
double predicted_ns(const sim::workload& work, const sim::machine& on, std::uint32_t workers,
                    const std::string& schedule) {
  constexpr base::u64 calls_most = 8;  // some schedules learn from call to call
  constexpr double ns_in_us = 1'000;
  double sum_us = 0;
  for (const sim::workload_loop& loop : work.loops) {
    sim::program calls = sim::program_of(loop);
    calls.loops = std::min(calls.loops, calls_most);
    const double time_us =
        sim::run_program(calls, on, workers, schedules::parse(schedule).value).time;
    sum_us += time_us / static_cast<double>(calls.loops) * static_cast<double>(loop.calls);
  }
  return sum_us * ns_in_us / recorded_runs;
}

// --- The measurement.

// Schedules that are told no costs: the simulator would tell them those that were recorded.
std::vector<std::string> schedules_for() {
  std::vector<std::string> all = registry_texts();
  std::erase_if(all, wants_costs);
  return all;
}

double median_ns(const series& s) { return median_of(s.rounds_ns); }

row measured(const predictions& m, const recorded_program& p, const fs::path& work,
             base::rng& random) {
  show_progress(fmt::format("{}: recording", p.name));
  const sim::workload recorded = record(m, p, work);
  const sim::machine on = sim::in_nanoseconds(sim::read_machine("this machine", m.machine));
  const std::uint32_t workers = m.asked.setting.threads;
  row made{.program = p.name, .loops = recorded.loops.size()};

  const auto lane_of = [&](std::size_t threads) {
    return std::ranges::find_if(m.who.present, [&](const contender& c) {
      return c.door == p.experiment && c.lane->threads() == threads;
    });
  };
  const auto alone = lane_of(1);
  const auto together = lane_of(workers);
  if (alone == m.who.present.end() || together == m.who.present.end())
    throw lane_error(fmt::format("{}: its lanes do not take part", p.name));

  const std::vector<std::string> schedules = schedules_for();
  std::vector<series> all{{.of = {&*alone, base_schedule}}};
  std::vector<sim::alternative> predicted;
  for (const std::string& s : schedules) {
    show_progress(fmt::format("{}: predicting {}", p.name, s));
    predicted.push_back({schedules::parse(s).value, predicted_ns(recorded, on, workers, s)});
    all.push_back({.of = {&*together, s}});
  }
  std::vector<series*> turns;
  for (series& s : all) turns.push_back(&s);
  run_rounds(p.name, turns, m.asked.rounds, random);

  const std::size_t named = sim::best_of(predicted);
  const auto fastest = static_cast<std::size_t>(
      std::ranges::min_element(all.begin() + 1, all.end(), {}, median_ns) - all.begin() - 1);
  series last_named{.of = all[named + 1].of};
  series last_fastest{.of = all[fastest + 1].of};
  std::vector<series*> last{&last_named};
  if (fastest != named) last.push_back(&last_fastest);
  run_rounds(p.name, last, duel_times * m.asked.rounds, random);

  made.named = schedules[named];
  made.fastest = schedules[fastest];
  made.loss =
      fastest == named ? ratio{1, {}} : ratio_of(last_named.rounds_ns, last_fastest.rounds_ns);
  const auto base = std::ranges::find(schedules, base_schedule) - schedules.begin();
  made.alone = {predicted_ns(recorded, on, 1, base_schedule), median_ns(all.front())};
  made.base = {predicted[static_cast<std::size_t>(base)].time,
               median_ns(all[static_cast<std::size_t>(base) + 1])};
  made.best = {predicted[named].time, median_ns(last_named)};
  return made;
}

// Lanes of one worker and of all.
contenders start_lanes(const predictions& m) {
  contenders all;
  for (const unsigned threads : {1U, m.asked.setting.threads}) {
    contest c = m.asked.setting;
    c.threads = threads;
    roster some(c);
    for (const char* experiment : recorded_experiments) {
      some.add(lane_plan{.runtime = "doall",
                         .door = experiment,
                         .program = recorded_lane,
                         .arguments = {experiment, m.how.size}});
    }
    move_to(all, some.take());
  }
  return all;
}

// --- Texts.

std::string cell_text(const cell& c) {
  return fmt::format("{:.3f}{}", c.ratio(), c.is_within() ? " " : "*");
}

std::string to_text(const predictions& m) {
  const unsigned workers = m.asked.setting.threads;
  cli::table table({"program", ">loops", ">static, 1", fmt::format(">static, {}", workers),
                    fmt::format(">named, {}", workers), ">measured", "named best", "measured best",
                    ">named over it"});
  for (const row& r : m.rows) {
    table.add_row(
        {r.program, std::to_string(r.loops), cell_text(r.alone), cell_text(r.base),
         cell_text(r.best), cli::duration_text(r.best.measured_ns), r.named, r.fastest,
         r.named == r.fastest ? "-" : ratio_text(r.loss) + (r.is_named_right() ? " " : "*")});
  }
  return fmt::format(
      "Predicted over measured, from a recording on one worker, {}, {} rounds, size {}, on {}\n"
      "{}\n{}{}\n*: further off than 10 %, or loses 3 % and more\n\n",
      threads_text(m.asked.setting), m.asked.rounds, m.how.size, machine_name(), m.machine,
      load_text(m.others_share), table.to_text());
}

std::vector<verdict> judge(const predictions& m) {
  const auto all = static_cast<double>(m.rows.size());
  const auto part = [&](std::string of, auto holds) {
    const double found = static_cast<double>(std::ranges::count_if(m.rows, holds)) / all;
    verdict made{.of = std::move(of),
                 .limit = fmt::format(">= {}", part_held),
                 .found = {found, {}},
                 .held = found >= part_held};
    for (const row& r : m.rows) {
      if (!std::invoke(holds, r)) made.missed.push_back(r.program);
    }
    return made;
  };
  return {part("programs predicted within 10 %, on one worker and on all", &row::is_within),
          part("programs whose best schedule is named, or loses under 3 %", &row::is_named_right)};
}

ordered_json to_json(const cell& c) {
  return {{"predicted_ns", c.predicted_ns}, {"measured_ns", c.measured_ns}, {"ratio", c.ratio()}};
}

// Schema "doall-bench-prediction/1"; this file's page has it.
ordered_json to_json(const predictions& m, const std::vector<verdict>& verdicts) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "prediction");
  json["rounds"] = m.asked.rounds;
  json["machine_file"] = m.machine;
  json["rows"] = ordered_json::array();
  for (const row& r : m.rows) {
    json["rows"].push_back({{"program", r.program},
                            {"loops", r.loops},
                            {"static_on_one", to_json(r.alone)},
                            {"static_on_all", to_json(r.base)},
                            {"named_on_all", to_json(r.best)},
                            {"named", r.named},
                            {"fastest", r.fastest},
                            {"named_over_fastest", to_json(r.loss)},
                            {"is_within", r.is_within()},
                            {"is_named_right", r.is_named_right()}});
  }
  json["verdicts"] = list_json(verdicts);
  return json;
}

void run_prediction(const cli::arguments& args) {
  predictions m{{{.setting = default_contest({"doall"}), .rounds = 3}}};
  const fs::path here = fs::canonical("/proc/self/exe").parent_path();
  m.how.doall = (here / "../../bin/doall").lexically_normal().string();
  cli::option_parser options(
      "bench prediction", "[OPTIONS]",
      "Programs that are recorded on one worker: what the simulator says they take on one worker\n"
      "and on all, on a model of this machine, over what they take; and whether the schedule that\n"
      "it names is the best one.",
      "");
  add_rounds_option(options, m.asked);
  options
      .add_option_function(
          "--threads",
          [&](const std::string& text) { m.asked.setting.threads = cli::parse_threads(text); },
          fmt::format("Workers beside one; by default {}", m.asked.setting.threads))
      .shown_as("P");
  add_json_option(options, m.asked);
  options.add_option("--size", m.how.size, "The paper's sizes, or small ones for a test")
      .one_of({"paper", "small"})
      .shown_as("paper|small");
  add_programs_option(options, m.how.programs);
  options
      .add_option("--machine", m.how.machine_file,
                  "The machine's file, by default what 'doall calibrate --machine' measures now")
      .shown_as("FILE");
  options.add_option("--doall", m.how.doall, "the command, by default this build's")
      .shown_as("FILE");
  if (!options.read(args)) return;
  result_file json(m.asked.json_file);
  const std::vector<recorded_program> programs = chosen_programs(m.how.programs);
  const cli::temp_folder work;
  show_progress("measuring the machine");
  m.machine = m.how.machine_file.empty() ? run({m.how.doall, "calibrate", "--machine", "-"}).output
                                         : text_of(m.how.machine_file);
  m.who = start_lanes(m);
  const load_watch load(m.who.present);
  base::rng random(1);
  for (const recorded_program& p : programs) m.rows.push_back(measured(m, p, work.path(), random));
  m.others_share = load.others_share();
  show_progress("");
  const std::vector<verdict> verdicts = judge(m);
  fmt::print("{}{}", to_text(m), to_text(verdicts));
  json.write(to_json(m, verdicts));
}

const experiment here{"prediction", run_prediction};

}  // namespace
}  // namespace doall::bench
