// doall bench idle: what threads take while no loop runs, and whether the next loop finds
// them awake.
// Why no runtime that sleeps does better: docs/investigations/2026-11-26-waking.md.
#include <fmt/format.h>

#include <array>
#include <functional>

#include "driver/experiment.hpp"
#include "driver/kernel_wake.hpp"
#include "driver/report.hpp"
#include "driver/statistics.hpp"
#include "experiments/neighbours.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

// How long a process sleeps after its last loop while its CPU clock is watched.
constexpr std::uint64_t rest_ns = 500'000'000;

// The caller's own work between two loops; the first is none.
constexpr std::array<std::uint64_t, 4> gaps_ns{0, 50'000, 1'000'000, 5'000'000};

// Of loops with one gap, and before a rest.
constexpr std::uint64_t time_ns = 20'000'000;

// How often a thread is woken at least, to know how long that takes.
constexpr unsigned wakes_min = 10;

// A process at rest. How its last loops were scheduled plays no part.
struct rest_series {
  entrant of;
  std::vector<double> cpu_ns = {};  // that it took, a round

  // The most that it should be.
  std::optional<double> most_ns() const {
    constexpr double most_a_thread_ns = 2e6;
    if (!of.is_ours()) return std::nullopt;
    return most_a_thread_ns * of.who->lane->threads();
  }
};

// One entrant's loops of one length, for each of the gaps. A number a round.
struct gap_series {
  entrant of;
  loop what;
  std::array<std::vector<double>, gaps_ns.size()> median_ns = {};  // of a loop
  std::array<std::vector<double>, gaps_ns.size()> busy_cpus = {};  // by workers, in the gaps

  ratio over_no_gap(std::size_t g) const { return ratio_of(median_ns[g], median_ns[0]); }
};

// What the kernel takes to wake a thread after each of the gaps. A number a round.
struct kernels_share {
  std::array<std::vector<double>, gaps_ns.size()> call_ns = {};
  std::array<std::vector<double>, gaps_ns.size()> awake_ns = {};

  // Of a loop on two threads, one asleep, over that without a gap.
  double least(double serial_ns, std::size_t g) const {
    return least_after_waking(serial_ns, median_of(call_ns[g]), median_of(awake_ns[g])) /
           (serial_ns / 2);
  }
};

struct idling : outcome {
  std::vector<rest_series> rests = {};
  std::vector<gap_series> loops = {};
  kernels_share kernel = {};

  bool knows_kernel() const { return !kernel.call_ns.back().empty(); }
};

void measure(idling& m) {
  const std::vector<contender>& present = m.who.present;
  const std::vector<loop> loops = calibrate(*present.front().lane, {0, 1e5});
  for (const entrant& e : entrants_beside_serial(present)) {
    if (e.schedule == e.who->lane->offers().front()) m.rests.push_back({e});
  }
  for (const loop& l : loops) {
    for (const entrant& e : entrants_beside_serial(present)) m.loops.push_back({e, l});
  }
  std::vector<std::function<void()>> turns;
  for (rest_series& s : m.rests) {
    turns.emplace_back(
        [&] { s.cpu_ns.push_back(rest_after(s.of, loops.back(), time_ns, rest_ns)); });
  }
  for (gap_series& s : m.loops) {
    for (std::size_t g = 0; g < gaps_ns.size(); ++g) {
      turns.emplace_back([&s, g] {
        const stretch_times found = run_loops(s.of, s.what, gaps_ns[g], time_ns);
        s.median_ns[g].push_back(found.median_ns);
        s.busy_cpus[g].push_back(found.busy_cpus);
      });
    }
  }
  const std::vector<int>& cpus = m.asked.setting.cpus;
  if (cpus.size() > 1) {
    for (std::size_t g = 1; g < gaps_ns.size(); ++g) {
      turns.emplace_back([&m, &cpus, g] {
        const auto times = static_cast<unsigned>(time_ns / gaps_ns[g]) + wakes_min;
        const woken found = wake_times(cpus[0], cpus[1], gaps_ns[g], times);
        m.kernel.call_ns[g].push_back(median_of(found.call_ns));
        m.kernel.awake_ns[g].push_back(median_of(found.awake_ns));
      });
    }
  }
  measure_rounds(m, [&](base::rng& random) {
    shuffle(turns, random);
    for (const auto& turn : turns) turn();
  });
}

std::string rests_text(const idling& m) {
  cli::table table({"runtime", "door", ">CPU time", ">p5..p95", "bar, ms", "setting"});
  for (const rest_series& s : m.rests) {
    const summary cpu = summarise(s.cpu_ns);
    std::optional<double> most_ms = s.most_ns();
    if (most_ms) *most_ms /= 1e6;
    table.add_row({s.of.who->runtime, s.of.who->door, cli::duration_text(cpu.median),
                   spread_text(cpu), bar_text(cpu.median / 1e6, most_ms), s.of.who->setting});
  }
  return fmt::format("In {} of sleep after the last loop, the process takes\n",
                     cli::duration_text(rest_ns)) +
         table.to_text();
}

std::string loops_text(const idling& m) {
  std::vector<cli::table::column> columns{"loop", "runtime", "door", "schedule", ">no gap"};
  for (std::size_t g = 1; g < gaps_ns.size(); ++g) {
    columns.push_back('>' + cli::duration_text(static_cast<double>(gaps_ns[g])));
    columns.push_back(">CPUs");
  }
  columns.push_back("setting");
  cli::table table(std::move(columns));
  for (const gap_series& s : m.loops) {
    std::vector<std::string> cells{
        s.what.serial_ns > 0 ? cli::duration_text(s.what.serial_ns) : "empty", s.of.who->runtime,
        s.of.who->door, s.of.schedule, cli::duration_text(median_of(s.median_ns[0]))};
    for (std::size_t g = 1; g < gaps_ns.size(); ++g) {
      cells.push_back(ratio_text(s.over_no_gap(g)));
      cells.push_back(fmt::format("{:.2f}", median_of(s.busy_cpus[g])));
    }
    cells.push_back(s.of.who->setting);
    table.add_row(std::move(cells));
  }
  return "Loops after gaps in which the caller works alone: time over that without gaps, 95%;\n"
         "and how many CPUs the other threads keep busy in the gaps\n" +
         table.to_text();
}

std::string kernel_text(const idling& m) {
  if (!m.knows_kernel()) return "";
  cli::table table({"gap", ">call", ">awake after", ">least, 100 us"});
  for (std::size_t g = 1; g < gaps_ns.size(); ++g) {
    table.add_row({cli::duration_text(static_cast<double>(gaps_ns[g])),
                   cli::duration_text(median_of(m.kernel.call_ns[g])),
                   cli::duration_text(median_of(m.kernel.awake_ns[g])),
                   fmt::format("{:.2f}", m.kernel.least(1e5, g))});
  }
  return "\nThe kernel alone wakes a thread that sleeps at a futex; and the least that a loop "
         "takes\n"
         "on two threads of which one sleeps, over that without a gap\n" +
         table.to_text();
}

std::string to_text(const idling& m) {
  return fmt::format("Idle threads, {} a process{}, {} rounds, on {}\n", m.asked.setting.threads,
                     m.asked.setting.pinned ? ", pinned" : "", m.asked.rounds, machine_name()) +
         load_text(m.others_share) + peers_text(m) + '\n' + rests_text(m) + '\n' + loops_text(m) +
         kernel_text(m);
}

// --- Schema "doall-bench-idle/1"; this file's page has it.

ordered_json to_json(const rest_series& s) {
  const summary cpu = summarise(s.cpu_ns);
  const std::optional<double> most = s.most_ns();
  ordered_json json = to_json(s.of);
  json.erase("schedule");
  json["cpu_ns"] = cpu.median;
  json["p5_ns"] = cpu.p5;
  json["p95_ns"] = cpu.p95;
  json["bar_ns"] = or_null(most);
  json["held"] = most ? ordered_json(cpu.median <= *most) : ordered_json(nullptr);
  json["rounds_ns"] = s.cpu_ns;
  return json;
}

ordered_json to_json(const gap_series& s) {
  ordered_json json = to_json(s.of);
  json["serial_ns"] = s.what.serial_ns;
  json["median_ns"] = rounded(median_of(s.median_ns[0]));
  json["rounds_ns"] = rounded(s.median_ns[0]);
  json["gaps"] = ordered_json::array();
  for (std::size_t g = 1; g < gaps_ns.size(); ++g) {
    json["gaps"].push_back({{"gap_ns", gaps_ns[g]},
                            {"median_ns", rounded(median_of(s.median_ns[g]))},
                            {"ratio", to_json(s.over_no_gap(g))},
                            {"busy_cpus", median_of(s.busy_cpus[g])},
                            {"rounds_ns", rounded(s.median_ns[g])}});
  }
  return json;
}

ordered_json to_json(const kernels_share& k) {
  ordered_json json = ordered_json::array();
  for (std::size_t g = 1; g < gaps_ns.size(); ++g) {
    json.push_back({{"gap_ns", gaps_ns[g]},
                    {"call_ns", rounded(median_of(k.call_ns[g]))},
                    {"awake_ns", rounded(median_of(k.awake_ns[g]))},
                    {"least_ratio_100us", k.least(1e5, g)},
                    {"rounds_ns", rounded(k.awake_ns[g])}});
  }
  return json;
}

ordered_json to_json(const idling& m) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "idle");
  json["rounds"] = m.asked.rounds;
  json["rest_ns"] = rest_ns;
  json["rests"] = list_json(m.rests);
  json["rows"] = list_json(m.loops);
  json["kernel"] = m.knows_kernel() ? to_json(m.kernel) : ordered_json(nullptr);
  return json;
}

void run_idle(const cli::arguments& args) {
  run_options asked{.setting = default_contest(), .rounds = 10};
  cli::option_parser options(
      "bench idle", "[OPTIONS]",
      "The CPU time that a process takes in half a second of sleep after its last loop; and\n"
      "loops, empty and of 100 us, that arrive every 50 us, 1 ms and 5 ms, against such loops\n"
      "without a gap. Every runtime in turn in one run, and what the kernel takes to wake a "
      "thread.",
      "Exit status 1 also when a loop's result is wrong.");
  add_rounds_option(options, asked);
  add_json_option(options, asked);
  add_contest_options(options, asked.setting);
  if (!options.read(args)) return;
  result_file json(asked.json_file);
  idling m{{asked, start_uforall(asked.setting, peer_waiting::actively_too)}};
  measure(m);
  fmt::print("{}", to_text(m));
  json.write(to_json(m));
}

const experiment here{"idle", run_idle};

}  // namespace
}  // namespace doall::bench
