// doall bench omp: what OpenMP's constructs cost, by EPCC's list, through both doors.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "driver/programs.hpp"
#include "driver/report.hpp"
#include "driver/statistics.hpp"
#include "experiments/openmp_lines.hpp"

namespace doall::bench {
namespace {

struct constructs : outcome {
  bool quick = false;
  std::vector<openmp_line> lines = {};
};

void ask_all(constructs& m, base::rng& random) {
  for (openmp_line& l : m.lines) {
    std::vector<series*> turns;
    for (series& s : l.all) turns.push_back(&s);
    shuffle(turns, random);
    for (series* s : turns) s->add_round(s->of.who->lane->numbers("time " + l.name));
  }
}

// Throws lane_error when a construct does not do what it must.
void measure(constructs& m, double minutes, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    m.lines.push_back({name, {}});
    for (const contender& c : m.who.present) {
      show_progress(name + ": checking");
      c.lane->numbers("check " + name);
      m.lines.back().all.push_back({{&c, name}});
    }
  }
  if (m.asked.rounds == 0) {
    constexpr unsigned rounds_most = 100;
    constexpr double turn_ns = 5e6;  // warm-up, batches, and the way to the lane
    const double round_ns = turn_ns * static_cast<double>(names.size() * m.who.present.size());
    m.asked.rounds = static_cast<unsigned>(
        std::clamp<double>(minutes * 60e9 / round_ns, judged_rounds_min, rounds_most));
  }
  measure_rounds(m, [&](base::rng& random) { ask_all(m, random); });
}

// Schema "doall-bench-omp/1"; openmp.md has it.
nlohmann::ordered_json document(const constructs& m, const std::vector<verdict>& verdicts) {
  nlohmann::ordered_json json = to_json(m, "omp");
  json["rounds"] = m.asked.rounds;
  json["lines"] = list_json(m.lines);
  json["verdicts"] = list_json(verdicts);
  return json;
}

void run_omp(const cli::arguments& args) {
  constructs m{{{.setting = default_contest({"doall", "libgomp", "libomp"}), .rounds = 0}}};
  run_options& asked = m.asked;
  double minutes = 1;
  std::vector<std::string> wanted;
  cli::option_parser options(
      "bench omp", "[OPTIONS]",
      "What OpenMP's constructs, schedules, private arrays and tasks cost, after EPCC's\n"
      "micro-benchmarks: one source by GCC and by Clang, on doall and on their own libraries.",
      "Exit status 1 also when a construct does not what it must, or when a bar is missed.");
  add_rounds_option(options, asked, "what --minutes has room for, from 6 to 100");
  add_json_option(options, asked);
  add_minutes_option(options, minutes, "default 1");
  options.add_option("--lines", wanted, "Those whose names begin so, as task/; by default all")
      .parted_by(',')
      .shown_as("LIST");
  options.add_flag("--quick", m.quick, "One round unless --rounds says more; nothing is judged");
  add_contest_options(options, asked.setting);
  if (!options.read(args)) return;
  if (m.quick && asked.rounds == 0) asked.rounds = 1;

  result_file json(asked.json_file);
  m.who = start_openmp_lanes(asked.setting, "lane-omp", {});
  measure(m, minutes, chosen_of(m.who.present.front().lane->offers(), wanted));
  fmt::print("OpenMP's constructs, {}, {} rounds, on {}\n{}{}\n{}", threads_text(asked.setting),
             asked.rounds, machine_name(), load_text(m.others_share), peers_text(m),
             to_text(m.lines));
  const std::vector<verdict> verdicts = judge_lines(m.lines);
  json.write(document(m, verdicts));
  print_verdicts(verdicts, m.quick);
}

const experiment here{"omp", run_omp};

}  // namespace
}  // namespace doall::bench
