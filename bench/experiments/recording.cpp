// doall bench recording: what `doall run --record` costs the loops that it records, or what
// `doall run --report=FILE` costs those that it counts, `--trace` those that it traces, and
// `doall top` those that it looks at.
//
// Each lane runs twice: as it is, and with the variables that the option sets. Loops of one length
// each (uforall), and programs. Of a report few calls are counted in detail, which a median call
// does not show: so loops have the mean call, too.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>

#include "driver/programs.hpp"
#include "driver/report.hpp"
#include "driver/verdict.hpp"
#include "experiments/recorded_programs.hpp"
#include "lanes/uforall.hpp"
#include "process/temp_folder.hpp"
#include "text/table.hpp"

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

// The option, or command, whose cost is measured.
enum class cost_of { record, report, trace, top };

struct choice {
  cost_of what = cost_of::record;
  std::string size = "paper";
  std::vector<std::string> programs = {};
};

// What is timed, as it is and recorded, in turns.
struct row {
  std::string what;
  std::string schedule;
  std::vector<double> plain_ns = {};
  std::vector<double> recorded_ns = {};
  // Of loops: the mean call, where the times above are the median one's.
  std::vector<double> plain_mean_ns = {};
  std::vector<double> recorded_mean_ns = {};

  ratio over() const { return ratio_of(recorded_ns, plain_ns); }
  bool has_means() const { return !plain_mean_ns.empty(); }
  ratio means_over() const { return ratio_of(recorded_mean_ns, plain_mean_ns); }
};

struct recordings : outcome {
  choice how = {};
  std::deque<row> rows = {};

  // Nothing is asked of a trace: it costs by the event.
  std::optional<double> most() const {
    switch (how.what) {
      case cost_of::record: return recording_most;
      case cost_of::report:
      case cost_of::top: return report_most;
      case cost_of::trace: break;
    }
    return std::nullopt;
  }
};

constexpr const char* as_it_is = "as it is";
constexpr const char* recorded = "recorded";

contenders start_lanes(const recordings& m, const std::string& folder) {
  roster all(m.asked.setting);
  for (const char* setting : {as_it_is, recorded}) {
    std::vector<std::string> variables;
    if (setting == recorded) {
      const std::string costs = m.how.what == cost_of::record ? "only" : "1";
      variables = {"DOALL_REPORT_FOLDER=" + folder, "DOALL_REPORT_COSTS=" + costs};
      // Room for what loops and programs do here in some 30 rounds.
      if (m.how.what == cost_of::trace) variables.emplace_back("DOALL_REPORT_TRACE=8000000");
      if (m.how.what == cost_of::top) variables.push_back("DOALL_LIVE_FOLDER=" + folder);
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

// Asks the processes that have a page there for what they did, each second, as `doall top` does.
class asker {
 public:
  explicit asker(std::string folder) : folder_(std::move(folder)) {}

 private:
  void ask() {
    ++question_;
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
      if (!file.path().filename().string().starts_with("page.")) continue;
      std::fstream page(file.path(), std::ios::in | std::ios::out | std::ios::binary);
      page.write(reinterpret_cast<const char*>(&question_), sizeof question_);
    }
  }

  std::string folder_;
  std::uint64_t question_ = 0;
  std::mutex held_;
  std::condition_variable_any stopped_;
  std::jthread asking_{[this](const std::stop_token& stop) {
    std::unique_lock lock(held_);
    while (!stop.stop_requested()) {
      ask();
      stopped_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
    }
  }};
};

void measure_loops(recordings& m) {
  // Each run that `top` looks at is asked once at least.
  const std::uint64_t time_ns = m.how.what == cost_of::top ? 1'100'000'000 : 10'000'000;
  constexpr std::size_t mean = 0;  // of the answer's numbers
  constexpr std::size_t median = 1;
  for (const std::string& schedule : lane_of(m, "uforall", as_it_is).lane->offers()) {
    for (const std::uint64_t units : loop_units) {
      row& r = m.rows.emplace_back(row{fmt::format("loop of {} units", units), schedule});
      for (unsigned round = 0; round < m.asked.rounds; ++round) {
        show_progress(fmt::format("{}, {}: round {}", r.what, schedule, round + 1));
        time_both(r, round, [&](const char* setting) {
          const std::vector<double> found =
              lane_of(m, "uforall", setting)
                  .lane->numbers(fmt::format("run {} {} {} {} 0 {}", schedule, uforall::shared_site,
                                             loop_iterations, units, time_ns),
                                 median + 1);
          (setting == recorded ? r.recorded_mean_ns : r.plain_mean_ns).push_back(found[mean]);
          return found[median];
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

std::string_view name_of(cost_of what) {
  switch (what) {
    case cost_of::record: return "a recording";
    case cost_of::report: return "a report";
    case cost_of::trace: return "a trace";
    case cost_of::top: return "being looked at each second";
  }
  return "?";
}

double more_ns(const row& r) { return median_of(r.recorded_ns) - median_of(r.plain_ns); }

std::string to_text(const recordings& m) {
  cli::table table({"what", "schedule", ">as it is", ">recorded over it", "bar",
                    ">by the mean call", ">more a call"});
  for (const row& r : m.rows) {
    const ratio over = r.over();
    const double low = over.interval ? over.interval->low : over.median;
    table.add_row({r.what, r.schedule, cli::duration_text(median_of(r.plain_ns)), ratio_text(over),
                   m.most() ? bar_text(low, *m.most()) : "-",
                   r.has_means() ? ratio_text(r.means_over()) : "-",
                   r.has_means() ? fmt::format("{:.0f} ns", more_ns(r)) : "-"});
  }
  return fmt::format("What {} costs, {}, {} rounds, size {}, on {}\n{}\n{}\n", name_of(m.how.what),
                     threads_text(m.asked.setting), m.asked.rounds, m.how.size, machine_name(),
                     load_text(m.others_share), table.to_text());
}

std::vector<verdict> judge(const recordings& m) {
  std::vector<verdict> all;
  if (!m.most()) return all;
  const double most = *m.most();
  demand price("recorded over as it is", fmt::format("<= {}", most));
  demand mean_price("the same, of the mean call", fmt::format("<= {}", most));
  const auto add = [&](demand& to, const row& r, const ratio& over) {
    to.add(fmt::format("{}, {}", r.what, r.schedule), over,
           over.interval ? std::optional(over.interval->low <= most) : std::nullopt);
  };
  for (const row& r : m.rows) {
    add(price, r, r.over());
    if (r.has_means()) add(mean_price, r, r.means_over());
  }
  add_to(all, price.made());
  add_to(all, mean_price.made());
  return all;
}

// Schema "doall-bench-recording/1"; prediction.md has it.
ordered_json to_json(const recordings& m, const std::vector<verdict>& verdicts) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "recording");
  json["rounds"] = m.asked.rounds;
  json["rows"] = ordered_json::array();
  for (const row& r : m.rows) {
    ordered_json one{{"what", r.what}, {"schedule", r.schedule}, {"ratio", to_json(r.over())}};
    if (r.has_means()) {
      one["mean_ratio"] = to_json(r.means_over());
      one["more_ns"] = more_ns(r);
    }
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
  bool is_report = false;
  bool is_trace = false;
  bool is_top = false;
  options.add_flag("--report", is_report,
                   "What 'doall run --report=FILE' costs instead, at most 2%");
  options.add_flag("--trace", is_trace, "What 'doall run --trace=FILE' costs instead");
  options.add_flag("--top", is_top, "What 'doall top' costs loops instead, at most 2%");
  if (!options.read(args)) return;
  if (is_report) m.how.what = cost_of::report;
  if (is_trace) m.how.what = cost_of::trace;
  if (is_top) m.how.what = cost_of::top;
  result_file json(m.asked.json_file);
  const cli::temp_folder reports;
  m.who = start_lanes(m, reports.path().string());
  const load_watch load(m.who.present);
  std::optional<asker> looks;
  if (m.how.what == cost_of::top) looks.emplace(reports.path().string());
  measure_loops(m);
  if (m.how.what != cost_of::top) measure_programs(m);
  m.others_share = load.others_share();
  show_progress("");
  const std::vector<verdict> verdicts = judge(m);
  fmt::print("{}{}", to_text(m), to_text(verdicts));
  json.write(to_json(m, verdicts));
}

const experiment here{"recording", run_recording};

}  // namespace
}  // namespace doall::bench
