// doall bench tasks: programs made of tasks, through both doors.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "driver/programs.hpp"
#include "driver/report.hpp"
#include "experiments/openmp_lines.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

struct task_programs : outcome {
  bool quick = false;
  std::vector<program_result> programs = {};
  std::vector<openmp_line> lines = {};  // a program and its form
};

// Of our doors: what part of the tasks the thread ran that ran fewest.
void ask_who_shared(program_result& r) {
  for (series& s : r.all) {
    if (!s.of.is_ours()) continue;
    s.part =
        s.of.who->lane->numbers(fmt::format("sharing {} {}", r.program, s.of.schedule)).front();
  }
}

std::vector<openmp_line> lines_of(const program_result& r) {
  std::vector<openmp_line> lines;
  for (const series& s : r.all) {
    const std::string name = r.program + ' ' + s.of.schedule;
    const auto known = std::ranges::find(lines, name, &openmp_line::name);
    auto& all = known != lines.end() ? known->all : lines.emplace_back(openmp_line{name, {}}).all;
    all.push_back(s);
  }
  return lines;
}

void measure(task_programs& m, double minutes, const std::vector<std::string>& programs) {
  const std::vector<contender>& present = m.who.present;
  pace time(minutes, programs.size());
  base::rng random(1);
  const load_watch load(present);
  for (const std::string& program : programs) {
    const std::vector<entrant> entrants = entrants_of(program, present);
    unsigned rounds = m.asked.rounds;
    if (rounds == 0) {
      rounds = time.rounds(serial_run_ns(program, present.front()), present.size(), entrants.size(),
                           judged_rounds_min);
    }
    program_result& r = m.programs.emplace_back(measure(program, entrants, rounds, random));
    ask_who_shared(r);
    const std::vector<openmp_line> lines = lines_of(r);
    m.lines.insert(m.lines.end(), lines.begin(), lines.end());
    show_progress("");
    fmt::print("\n{}: serial {}, {} rounds\n{}", program,
               cli::duration_text(median_of(r.serial.rounds_ns)), rounds, to_text(lines));
    std::fflush(stdout);
  }
  m.others_share = load.others_share();
}

// Tasks of fewer than 100 ns: nothing but calls, and a row of the board.
bool has_fine_tasks(const openmp_line& l) {
  return l.name.starts_with("fib fine") || l.name.starts_with("nqueens fine");
}

void judge_fine_tasks(const std::vector<openmp_line>& lines, std::vector<verdict>& to) {
  constexpr double least = 3;
  demand faster("fine tasks: libgomp's time over the gomp door's", fmt::format(">= {}", least),
                demand::limit::least);
  for (const openmp_line& l : lines) {
    const series* const ours = l.of("doall", "gomp");
    const series* const peer = l.of("libgomp", "gomp");
    if (!has_fine_tasks(l) || ours == nullptr || peer == nullptr) continue;
    const ratio found = ratio_of(peer->rounds_ns, ours->rounds_ns);
    faster.add(
        l.name, found,
        found.interval ? std::optional(found.interval->high >= least) : std::optional<bool>());
  }
  add_to(to, faster.made());
}

void judge_sharing(const std::vector<openmp_line>& lines, std::vector<verdict>& to) {
  demand shared("the thread with the fewest tasks, their part", "> 0", demand::limit::least);
  for (const openmp_line& l : lines) {
    for (const series& s : l.all) {
      if (!s.of.is_ours() || s.of.who->lane->threads() == 1) continue;
      shared.add(l.name + " by " + s.of.who->door, {s.part}, s.part > 0);
    }
  }
  add_to(to, shared.made());
}

// Schema "doall-bench-tasks/1"; openmp.md has it.
nlohmann::ordered_json document(const task_programs& m, const std::vector<verdict>& verdicts) {
  nlohmann::ordered_json json = to_json(m, "tasks");
  json["quick"] = m.quick;
  json["serial"] = nlohmann::ordered_json::array();
  for (const program_result& r : m.programs) {
    json["serial"].push_back({{"program", r.program},
                              {"median_ns", rounded(median_of(r.serial.rounds_ns))},
                              {"rounds_ns", rounded(r.serial.rounds_ns)}});
  }
  json["lines"] = nlohmann::ordered_json::array();
  for (const openmp_line& l : m.lines) {
    nlohmann::ordered_json line = to_json(l);
    for (std::size_t i = 0; i < l.all.size(); ++i) {
      if (l.all[i].of.is_ours()) line["rows"][i]["least_part"] = l.all[i].part;
    }
    json["lines"].push_back(std::move(line));
  }
  json["verdicts"] = list_json(verdicts);
  return json;
}

void run_tasks(const cli::arguments& args) {
  task_programs m{{{.setting = default_contest({"doall", "libgomp", "libomp"}), .rounds = 0}}};
  run_options& asked = m.asked;
  double minutes = 2;
  std::vector<std::string> wanted;
  cli::option_parser options(
      "bench tasks", "[OPTIONS]",
      "Programs made of tasks, after the Barcelona suite, with and without a cut-off, tied and\n"
      "untied: one source by GCC and by Clang, on doall and on their own libraries.",
      "Exit status 1 also when an answer is wrong, or when a bar is missed.");
  add_rounds_option(
      options, asked,
      fmt::format("what --minutes has room for,\nfrom 6 to {} a program", pace::rounds_max));
  add_json_option(options, asked);
  add_minutes_option(options, minutes, "default 2");
  add_programs_option(options, wanted);
  options.add_flag("--quick", m.quick, "Small inputs, and one round unless --rounds says more");
  add_contest_options(options, asked.setting);
  if (!options.read(args)) return;
  if (m.quick && asked.rounds == 0) asked.rounds = 1;

  result_file json(asked.json_file);
  m.who = start_openmp_lanes(asked.setting, "lane-tasks", {m.quick ? "small" : "paper"});
  fmt::print("Task programs, {}{}, on {}\n{}", threads_text(asked.setting),
             m.quick ? ", small inputs" : "", machine_name(), peers_text(m));
  measure(m, minutes, chosen_of(m.who.present.front().lane->offers(), wanted));
  fmt::print("\n{}", load_text(m.others_share));
  std::vector<verdict> verdicts = judge_lines(m.lines);
  judge_fine_tasks(m.lines, verdicts);
  judge_sharing(m.lines, verdicts);
  json.write(document(m, verdicts));
  print_verdicts(verdicts, m.quick);
}

const experiment here{"tasks", run_tasks};

}  // namespace
}  // namespace doall::bench
