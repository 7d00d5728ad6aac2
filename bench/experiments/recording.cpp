// doall bench recording: what `doall run --record` costs the loops that it records, or what
// `doall run --report=FILE` costs those that it counts.
//
// Each lane runs twice: as it is, and with the variables that the option sets. Loops of one length
// each (uforall), and programs.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "cli/table.hpp"
#include "cli/temp_folder.hpp"
#include "driver/programs.hpp"
#include "driver/report.hpp"
#include "driver/verdict.hpp"
#include "experiments/recorded_programs.hpp"
#include "lanes/uforall.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

constexpr double recording_most = 1.03;
constexpr double report_most = 1.02;

// What a native loop gets, and what the guide advises to record under.
const std::vector<std::string> program_schedules{"affinity", "dynamic,16"};
// What lane-uforall-doall offers is timed as it is, and as it is recorded.
constexpr std::int64_t loop_iterations = 1024;
// What an iteration computes: loops from some 10 us on.
constexpr std::uint64_t loop_units[] = {4, 16, 128};

struct choice {
  bool is_report = false;
  std::string size = "paper";
  std::vector<std::string> programs = {};
};

// What is timed, as it is and recorded, in turns.
struct row {
  std::string what;
  std::string schedule;
  std::vector<double> plain_ns = {};
  std::vector<double> recorded_ns = {};

  ratio over() const { return ratio_of(recorded_ns, plain_ns); }
};

struct recordings : outcome {
  choice how = {};
  std::deque<row> rows = {};

  double most() const { return how.is_report ? report_most : recording_most; }
};

constexpr const char* as_it_is = "as it is";
constexpr const char* recorded = "recorded";

contenders start_lanes(const recordings& m, const std::string& folder) {
  roster all(m.asked.setting);
  for (const char* setting : {as_it_is, recorded}) {
    std::vector<std::string> variables;
    if (setting == recorded) {
      const std::string costs = m.how.is_report ? "1" : "only";
      variables = {"DOALL_REPORT_FOLDER=" + folder, "DOALL_REPORT_COSTS=" + costs};
    }
    const auto add = [&](const char* door, const char* program, std::vector<std::string> words) {
      all.add(lane_plan{.runtime = "doall",
                        .door = door,
                        .setting = setting,
                        .program = program,
                        .arguments = std::move(words),
                        .variables = variables});
    };
    add("uforall", "lane-uforall-doall", {});
    for (const char* experiment : recorded_experiments)
      add(experiment, recorded_lane, {experiment, m.how.size});
  }
  return all.take();
}

const contender& lane_of(const recordings& m, const char* door, const char* setting) {
  for (const contender& c : m.who.present) {
    if (std::string_view(c.door) == door && c.setting == setting) return c;
  }
  throw lane_error(fmt::format("the lane {}, {}, does not take part", door, setting));
}

// Both in turn, and who begins in turn too.
template <class Time>
void time_both(row& r, unsigned round, const Time& time) {
  const auto one = [&](const char* setting) {
    (setting == recorded ? r.recorded_ns : r.plain_ns).push_back(time(setting));
  };
  one(round % 2 == 0 ? as_it_is : recorded);
  one(round % 2 == 0 ? recorded : as_it_is);
}

void measure_loops(recordings& m) {
  constexpr std::uint64_t time_ns = 10'000'000;
  constexpr std::size_t median = 1;  // of the answer's numbers
  for (const std::string& schedule : lane_of(m, "uforall", as_it_is).lane->offers()) {
    for (const std::uint64_t units : loop_units) {
      row& r = m.rows.emplace_back(row{fmt::format("loop of {} units", units), schedule});
      for (unsigned round = 0; round < m.asked.rounds; ++round) {
        show_progress(fmt::format("{}, {}: round {}", r.what, schedule, round + 1));
        time_both(r, round, [&](const char* setting) {
          return lane_of(m, "uforall", setting)
              .lane->numbers(fmt::format("run {} {} {} {} 0 {}", schedule, uforall::shared_site,
                                         loop_iterations, units, time_ns),
                             median + 1)[median];
        });
      }
    }
  }
}

void measure_programs(recordings& m) {
  for (const recorded_program& p : chosen_programs(m.how.programs)) {
    for (const std::string& schedule : program_schedules) {
      row& r = m.rows.emplace_back(row{p.name, schedule});
      for (unsigned round = 0; round < m.asked.rounds; ++round) {
        show_progress(fmt::format("{}, {}: round {}", p.name, schedule, round + 1));
        time_both(r, round, [&](const char* setting) {
          return median_of(lane_of(m, p.experiment, setting)
                               .lane->numbers(fmt::format("repeat {} {} 5", p.name, schedule), 5));
        });
      }
    }
  }
}

std::string to_text(const recordings& m) {
  cli::table table({"what", "schedule", ">as it is", ">recorded over it", "bar"});
  for (const row& r : m.rows) {
    const ratio over = r.over();
    table.add_row({r.what, r.schedule, cli::duration_text(median_of(r.plain_ns)), ratio_text(over),
                   bar_text(over.interval ? over.interval->low : over.median, m.most())});
  }
  return fmt::format("What a {} costs, {}, {} rounds, size {}, on {}\n{}\n{}\n",
                     m.how.is_report ? "report" : "recording", threads_text(m.asked.setting),
                     m.asked.rounds, m.how.size, machine_name(), load_text(m.others_share),
                     table.to_text());
}

std::vector<verdict> judge(const recordings& m) {
  demand price("recorded over as it is", fmt::format("<= {}", m.most()));
  for (const row& r : m.rows) {
    const ratio over = r.over();
    price.add(fmt::format("{}, {}", r.what, r.schedule), over,
              over.interval ? std::optional(over.interval->low <= m.most()) : std::nullopt);
  }
  std::vector<verdict> all;
  add_to(all, price.made());
  return all;
}

// Schema "doall-bench-recording/1"; prediction.md has it.
ordered_json to_json(const recordings& m, const std::vector<verdict>& verdicts) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "recording");
  json["rounds"] = m.asked.rounds;
  json["rows"] = ordered_json::array();
  for (const row& r : m.rows) {
    ordered_json one{{"what", r.what}, {"schedule", r.schedule}, {"ratio", to_json(r.over())}};
    add_times(one, r.plain_ns, r.plain_ns);
    json["rows"].push_back(std::move(one));
  }
  json["verdicts"] = list_json(verdicts);
  return json;
}

void run_recording(const cli::arguments& args) {
  recordings m{{{.setting = default_contest({"doall"}), .rounds = 10}}};
  cli::option_parser options(
      "bench recording", "[OPTIONS]",
      "What 'doall run --record' costs: loops and programs through the native door, as they are\n"
      "and recorded, in turns.",
      "");
  add_rounds_option(options, m.asked);
  add_contest_options(options, m.asked.setting);
  add_json_option(options, m.asked);
  options.add_option("--size", m.how.size, "The paper's sizes, or small ones for a test")
      .one_of({"paper", "small"})
      .shown_as("paper|small");
  add_programs_option(options, m.how.programs);
  options.add_flag("--report", m.how.is_report,
                   "What 'doall run --report=FILE' costs instead, at most 2%");
  if (!options.read(args)) return;
  result_file json(m.asked.json_file);
  const cli::temp_folder reports;
  m.who = start_lanes(m, reports.path().string());
  const load_watch load(m.who.present);
  measure_loops(m);
  measure_programs(m);
  m.others_share = load.others_share();
  show_progress("");
  const std::vector<verdict> verdicts = judge(m);
  fmt::print("{}{}", to_text(m), to_text(verdicts));
  json.write(to_json(m, verdicts));
}

const experiment here{"recording", run_recording};

}  // namespace
}  // namespace doall::bench
