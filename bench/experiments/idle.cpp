// doall bench idle: what threads take while no loop runs, and whether the next loop finds
// them awake.
#include <fmt/format.h>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/table.hpp"
#include "driver/experiments.hpp"
#include "driver/load_watch.hpp"
#include "driver/machine.hpp"
#include "driver/neighbour_requests.hpp"
#include "driver/row_text.hpp"
#include "driver/run_options.hpp"
#include "driver/shuffle.hpp"

namespace doall::bench {
namespace {

// The measurement: what threads take when no loop runs, and what it costs to find them
// again; everybody in turn, round by round.

// How long a process sleeps after its last loop while its CPU clock is watched.
inline constexpr std::uint64_t rest_ns = 500'000'000;

// The caller's own work between two loops; the first is none.
inline constexpr std::array<std::uint64_t, 4> gaps_ns{0, 50'000, 1'000'000, 5'000'000};

// A process at rest. How its last loops were scheduled plays no part.
struct rest_series {
  entrant of;
  std::vector<double> cpu_ns = {};  // that it took, a round
};

// One entrant's loops of one length, for each of the gaps. A number a round.
struct gap_series {
  entrant of;
  loop what;
  std::array<std::vector<double>, gaps_ns.size()> median_ns = {};  // of a loop
  std::array<std::vector<double>, gaps_ns.size()> busy_cpus = {};  // by workers, in the gaps
};

struct measurement {
  std::vector<rest_series> rests;
  std::vector<gap_series> loops;
  double others_share = 0;  // of all CPUs' time that other programs used
};

// Throws lane_error on a wrong answer.
measurement measure(const std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress);

// What came out, for people and for programs.

struct report {
  run_options asked;
  std::vector<std::string> left_out;
  measurement measured;
};

std::string to_text(const report& r);

// Schema "doall-bench-idle/1"; this file's page has it.
nlohmann::ordered_json to_json(const report& r);

// Of loops with one gap, and before a rest.
constexpr std::uint64_t time_ns = 20'000'000;

std::vector<std::function<void()>> turns_of(measurement& m, const loop& burst) {
  std::vector<std::function<void()>> turns;
  for (rest_series& s : m.rests) {
    turns.emplace_back([&s, burst] {
      s.cpu_ns.push_back(rest_after(*s.of.lane, s.of.index, burst, time_ns, rest_ns));
    });
  }
  for (gap_series& s : m.loops) {
    for (std::size_t g = 0; g < gaps_ns.size(); ++g) {
      turns.emplace_back([&s, g] {
        const stretch_times found = run_loops(*s.of.lane, s.of.index, s.what, gaps_ns[g], time_ns);
        s.median_ns[g].push_back(found.median_ns);
        s.busy_cpus[g].push_back(found.busy_cpus);
      });
    }
  }
  return turns;
}

measurement measure(const std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress) {
  const std::vector<loop> loops = calibrate(*present.front().lane, {0, 1e5});
  measurement m;
  for (const entrant& e : entrants_of(present)) {
    if (e.index == 0) m.rests.push_back({e});
  }
  for (const loop& l : loops) {
    for (const entrant& e : entrants_of(present)) m.loops.push_back({e, l});
  }
  auto turns = turns_of(m, loops.back());

  const load_watch load(present);
  base::rng random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    progress(round);
    shuffle(turns, random);
    for (const auto& turn : turns) turn();
  }
  m.others_share = load.others_share();
  return m;
}

using cli::align;
using nlohmann::ordered_json;

constexpr double rest_cpu_most_ns = 2e6;  // a thread

std::optional<double> most_for(const rest_series& s) {
  if (s.of.runtime != "doall") return std::nullopt;
  return rest_cpu_most_ns * s.of.threads;
}

std::string loop_text(const loop& l) {
  return l.serial_ns > 0 ? cli::duration_text(l.serial_ns) : "empty";
}

std::string rests_text(const measurement& m) {
  cli::table table({{"runtime"},
                    {"door"},
                    {"CPU time", align::right},
                    {"p5..p95", align::right},
                    {"bar, ms"},
                    {"setting"}});
  for (const rest_series& s : m.rests) {
    const summary cpu = summarise(s.cpu_ns);
    std::optional<double> most_ms = most_for(s);
    if (most_ms) *most_ms /= 1e6;
    table.add_row({s.of.runtime, s.of.door, cli::duration_text(cpu.median),
                   fmt::format("{}..{}", cli::duration_text(cpu.p5), cli::duration_text(cpu.p95)),
                   bar_text(cpu.median / 1e6, most_ms), s.of.setting});
  }
  return fmt::format("In {} of sleep after the last loop, the process takes\n",
                     cli::duration_text(rest_ns)) +
         table.to_text();
}

std::string loops_text(const measurement& m) {
  std::vector<cli::table::column> columns{
      {"loop"}, {"runtime"}, {"door"}, {"schedule"}, {"no gap", align::right}};
  for (std::size_t g = 1; g < gaps_ns.size(); ++g) {
    columns.push_back({cli::duration_text(static_cast<double>(gaps_ns[g])), align::right});
    columns.push_back({"CPUs", align::right});
  }
  columns.push_back({"setting"});
  cli::table table(std::move(columns));
  for (const gap_series& s : m.loops) {
    std::vector<std::string> cells{loop_text(s.what), s.of.runtime, s.of.door, s.of.schedule,
                                   cli::duration_text(median_of(s.median_ns[0]))};
    for (std::size_t g = 1; g < gaps_ns.size(); ++g) {
      cells.push_back(ratio_text(ratio_of(s.median_ns[g], s.median_ns[0])));
      cells.push_back(fmt::format("{:.2f}", median_of(s.busy_cpus[g])));
    }
    cells.push_back(s.of.setting);
    table.add_row(std::move(cells));
  }
  return "Loops after gaps in which the caller works alone: time over that without gaps, 95%;\n"
         "and how many CPUs the other threads keep busy in the gaps\n" +
         table.to_text();
}

ordered_json rest_json(const rest_series& s) {
  const summary cpu = summarise(s.cpu_ns);
  const std::optional<double> most = most_for(s);
  ordered_json json = to_json(s.of);
  json.erase("schedule");
  json["cpu_ns"] = cpu.median;
  json["p5_ns"] = cpu.p5;
  json["p95_ns"] = cpu.p95;
  json["bar_ns"] = nullptr;
  json["held"] = nullptr;
  if (most) {
    json["bar_ns"] = *most;
    json["held"] = cpu.median <= *most;
  }
  json["rounds_ns"] = s.cpu_ns;
  return json;
}

ordered_json loop_json(const gap_series& s) {
  ordered_json gaps = ordered_json::array();
  for (std::size_t g = 1; g < gaps_ns.size(); ++g) {
    gaps.push_back({{"gap_ns", gaps_ns[g]},
                    {"median_ns", rounded(median_of(s.median_ns[g]))},
                    {"ratio", to_json(ratio_of(s.median_ns[g], s.median_ns[0]))},
                    {"busy_cpus", median_of(s.busy_cpus[g])},
                    {"rounds_ns", rounded(s.median_ns[g])}});
  }
  ordered_json json = to_json(s.of);
  json["serial_ns"] = s.what.serial_ns;
  json["median_ns"] = rounded(median_of(s.median_ns[0]));
  json["rounds_ns"] = rounded(s.median_ns[0]);
  json["gaps"] = gaps;
  return json;
}

std::string to_text(const report& r) {
  std::string text =
      fmt::format("Idle threads, {} a process{}, {} rounds, on {}\n", r.asked.setting.threads,
                  r.asked.setting.pinned ? ", pinned" : "", r.asked.rounds, machine_name());
  text += load_text(r.measured.others_share);
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text + '\n' + rests_text(r.measured) + '\n' + loops_text(r.measured);
}

ordered_json to_json(const report& r) {
  ordered_json rests = ordered_json::array();
  for (const rest_series& s : r.measured.rests) rests.push_back(rest_json(s));
  ordered_json loops = ordered_json::array();
  for (const gap_series& s : r.measured.loops) loops.push_back(loop_json(s));
  return {{"schema", "doall-bench-idle/1"},
          {"machine", machine_name()},
          {"threads", r.asked.setting.threads},
          {"rounds", r.asked.rounds},
          {"pinned", r.asked.setting.pinned},
          {"others_cpu_share", r.measured.others_share},
          {"rest_ns", rest_ns},
          {"rests", rests},
          {"rows", loops},
          {"left_out", r.left_out}};
}

constexpr const char* name = "bench idle";

// False after --help.
bool read_options(const cli::arguments& args, run_options& o) {
  cli::option_parser options(
      name, "[OPTIONS]",
      "The CPU time that a process takes in half a second of sleep after its last loop; and\n"
      "loops, empty and of 100 us, that arrive every 50 us, 1 ms and 5 ms, against such loops\n"
      "without a gap. Every runtime in turn in one run.",
      "Exit status 1 also when a loop's result is wrong.");
  add_run_options(options, o);
  add_contest_options(options, o.setting);
  return options.read(args);
}

void run(const cli::arguments& args) {
  run_options asked{.setting = default_contest(runtime_names()), .rounds = 10};
  if (!read_options(args, asked)) return;
  json_file json(asked.json_file);
  contenders all = start_contenders(asked.setting, peer_waiting::actively_too);
  measurement m =
      measure(all.present, asked.rounds, [&](unsigned round) { show_round(round, asked); });
  show_progress("");

  const report made{asked, std::move(all.left_out), std::move(m)};
  fmt::print("{}", to_text(made));
  json.write(to_json(made));
}

}  // namespace

int run_idle(int argc, char** argv) {
  return run_benchmark(name, argc, argv, [](const cli::arguments& args) { run(args); });
}

}  // namespace doall::bench
