// doall bench noisy: loops beside a foreign process that keeps one of the CPUs busy.
#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cli/table.hpp"
#include "driver/experiments.hpp"
#include "driver/load_watch.hpp"
#include "driver/machine.hpp"
#include "driver/neighbour_requests.hpp"
#include "driver/row_text.hpp"
#include "driver/run_options.hpp"
#include "driver/shuffle.hpp"
#include "experiments/busy_process.hpp"

namespace doall::bench {
namespace {

// The measurement: everybody in turn, round by round, while a foreign process is busy.

// One entrant's loops of one length, a number a round.
struct series {
  entrant of;
  std::size_t loop = 0;  // of measurement::loops
  std::vector<double> mean_ns = {};
  std::vector<double> p99_ns = {};
};

struct noisy_loop {
  loop what;
  std::vector<double> serial_ns = {};  // the serial loop's mean, beside the busy process too
};

struct measurement {
  int busy_cpu = 0;
  std::vector<noisy_loop> loops;
  std::vector<series> all;
  double others_share = 0;  // of all CPUs' time, used by third parties
};

// Throws lane_error on a wrong answer.
measurement measure(const contest& c, const std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress);

// What came out, for people and for programs.

struct report {
  run_options asked;
  std::vector<std::string> left_out;
  measurement measured;
};

std::string to_text(const report& r);

// Schema "doall-bench-noisy/1"; this file's page has it.
nlohmann::ordered_json to_json(const report& r);

// Some hundred time slices of the kernel's.
constexpr std::uint64_t time_ns = 300'000'000;

// A length, and who runs it; nobody: the serial loop.
struct turn {
  std::size_t loop;
  series* of;
};

void take(const turn& t, lane_process& serial, measurement& m) {
  noisy_loop& l = m.loops[t.loop];
  if (t.of == nullptr) {
    l.serial_ns.push_back(run_loops(serial, 0, l.what, 0, time_ns).mean_ns);
    return;
  }
  const stretch_times found = run_loops(*t.of->of.lane, t.of->of.index, l.what, 0, time_ns);
  t.of->mean_ns.push_back(found.mean_ns);
  t.of->p99_ns.push_back(found.p99_ns);
}

measurement measure(const contest& c, const std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress) {
  lane_process& serial = *present.front().lane;
  measurement m;
  // By number, not by core: the serial loop is pinned to the first of the cores.
  m.busy_cpu = std::ranges::max(c.cpus);
  for (const loop& l : calibrate(serial, {1e5, 1e7})) m.loops.push_back({l});
  for (std::size_t l = 0; l < m.loops.size(); ++l) {
    for (const entrant& e : entrants_of(present)) m.all.push_back({e, l});
  }
  std::vector<turn> turns;
  for (std::size_t l = 0; l < m.loops.size(); ++l) turns.push_back({l, nullptr});
  for (series& s : m.all) turns.push_back({s.loop, &s});

  const load_watch load(present);
  const std::uint64_t begin_ns = base::now_ns();
  const busy_process busy(m.busy_cpu);
  base::rng random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    progress(round);
    shuffle(turns, random);
    for (const turn& t : turns) take(t, serial, m);
  }
  const double busy_share = static_cast<double>(busy.cpu_ns()) /
                            static_cast<double>(base::now_ns() - begin_ns) /
                            static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  m.others_share = std::max(0.0, load.others_share() - busy_share);
  return m;
}

using nlohmann::ordered_json;

// The most that is asked of a row, in serial times; of OpenMP's loops, in libgomp's.
struct bars {
  std::optional<double> mean = {};
  std::optional<double> p99 = {};
  std::optional<double> to_libgomp = {};
};

bars bars_of(const series& s, const loop& what) {
  if (s.of.runtime != "doall") return {};
  if (s.of.door != "native") return {.to_libgomp = 1 / 1.5};
  if (what.serial_ns < 1e6) return {.mean = 0.8, .p99 = 2};
  return {.mean = 0.8};
}

struct row {
  const series* of;
  const loop* what;
  ratio mean;  // over the serial loop's mean
  ratio p99;   // likewise
  std::optional<ratio> to_libgomp = {};
  bars most;
};

// libgomp waits in several ways: the one with the least mean counts.
const series* best_of_libgomp(const measurement& m, std::size_t loop) {
  const series* best = nullptr;
  for (const series& s : m.all) {
    if (s.of.runtime != "libgomp" || s.loop != loop) continue;
    if (best == nullptr || median_of(s.mean_ns) < median_of(best->mean_ns)) best = &s;
  }
  return best;
}

std::vector<row> make_rows(const measurement& m) {
  std::vector<row> rows;
  for (const series& s : m.all) {
    const noisy_loop& l = m.loops[s.loop];
    row r{.of = &s,
          .what = &l.what,
          .mean = ratio_of(s.mean_ns, l.serial_ns),
          .p99 = ratio_of(s.p99_ns, l.serial_ns),
          .most = bars_of(s, l.what)};
    if (const series* peer = best_of_libgomp(m, s.loop)) {
      r.to_libgomp = ratio_of(s.mean_ns, peer->mean_ns);
    }
    rows.push_back(std::move(r));
  }
  return rows;
}

ordered_json bar_json(double found, const std::optional<double>& most) {
  if (!most) return nullptr;
  return {{"most", *most}, {"held", found <= *most}};
}

ordered_json row_json(const row& r) {
  ordered_json json = to_json(r.of->of);
  json["serial_ns"] = r.what->serial_ns;
  json["mean_ns"] = rounded(median_of(r.of->mean_ns));
  json["p99_ns"] = rounded(median_of(r.of->p99_ns));
  json["mean_to_serial"] = to_json(r.mean);
  json["mean_bar"] = bar_json(r.mean.median, r.most.mean);
  json["p99_to_serial"] = to_json(r.p99);
  json["p99_bar"] = bar_json(r.p99.median, r.most.p99);
  json["mean_to_libgomp"] = nullptr;
  json["libgomp_bar"] = nullptr;
  if (r.to_libgomp) {
    json["mean_to_libgomp"] = to_json(*r.to_libgomp);
    json["libgomp_bar"] = bar_json(r.to_libgomp->median, r.most.to_libgomp);
  }
  json["mean_rounds_ns"] = rounded(r.of->mean_ns);
  json["p99_rounds_ns"] = rounded(r.of->p99_ns);
  return json;
}

std::string heading(const report& r) {
  const measurement& m = r.measured;
  std::string text = fmt::format(
      "Loops on {} threads{} while another process is busy on CPU {}, {} rounds, on {}\n",
      r.asked.setting.threads, r.asked.setting.pinned ? ", pinned" : ", not pinned", m.busy_cpu,
      r.asked.rounds, machine_name());
  for (const noisy_loop& l : m.loops) {
    const summary serial = summarise(l.serial_ns);
    text += fmt::format("Serial, {}: {} ({}..{})\n", cli::duration_text(l.what.serial_ns),
                        cli::duration_text(serial.median), cli::duration_text(serial.p5),
                        cli::duration_text(serial.p95));
  }
  // Of P CPUs one is shared with one other.
  text +=
      fmt::format("The least possible: {:.2f} of serial\n", 1 / (r.asked.setting.threads - 0.5));
  text += load_text(m.others_share);
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text;
}

std::string to_text(const report& r) {
  using cli::align;
  cli::table table({{"loop"},
                    {"runtime"},
                    {"door"},
                    {"schedule"},
                    {"mean of serial, 95%", align::right},
                    {"bar"},
                    {"p99 of serial, 95%", align::right},
                    {"bar"},
                    {"mean to libgomp, 95%", align::right},
                    {"bar"},
                    {"setting"}});
  for (const row& line : make_rows(r.measured)) {
    const entrant& who = line.of->of;
    table.add_row({cli::duration_text(line.what->serial_ns), who.runtime, who.door, who.schedule,
                   ratio_text(line.mean), bar_text(line.mean.median, line.most.mean),
                   ratio_text(line.p99), bar_text(line.p99.median, line.most.p99),
                   line.to_libgomp ? ratio_text(*line.to_libgomp) : "-",
                   line.to_libgomp ? bar_text(line.to_libgomp->median, line.most.to_libgomp) : "-",
                   who.setting});
  }
  return heading(r) + '\n' + table.to_text();
}

ordered_json to_json(const report& r) {
  const measurement& m = r.measured;
  ordered_json serial = ordered_json::array();
  for (const noisy_loop& l : m.loops) {
    serial.push_back({{"serial_ns", l.what.serial_ns},
                      {"mean_ns", rounded(median_of(l.serial_ns))},
                      {"mean_rounds_ns", rounded(l.serial_ns)}});
  }
  ordered_json rows = ordered_json::array();
  for (const row& line : make_rows(m)) rows.push_back(row_json(line));
  return {{"schema", "doall-bench-noisy/1"},
          {"machine", machine_name()},
          {"threads", r.asked.setting.threads},
          {"busy_cpu", m.busy_cpu},
          {"rounds", r.asked.rounds},
          {"pinned", r.asked.setting.pinned},
          {"others_cpu_share", m.others_share},
          {"serial", serial},
          {"rows", rows},
          {"left_out", r.left_out}};
}

constexpr const char* name = "bench noisy";

// False after --help.
bool read_options(const cli::arguments& args, run_options& o) {
  cli::option_parser options(
      name, "[OPTIONS]",
      "Loops of 100 us and 10 ms with a thread for each CPU, while a foreign process is busy on\n"
      "the last of them: mean and 99th percentile over the serial loop's mean, every runtime in\n"
      "turn in one run. Nobody is pinned but the foreign process.",
      "Exit status 1 also when a loop's result is wrong, or there is one CPU alone.");
  add_run_options(options, o);
  options
      .add_option("--runtimes", o.setting.runtimes,
                  fmt::format("Some of {}; by default all", fmt::join(runtime_names(), ",")))
      ->delimiter(',')
      ->check(CLI::IsMember(runtime_names()).description(""))
      ->type_name("LIST");
  options.add_flag_callback(
      "--pin", [&] { o.setting.pinned = true; },
      "Pins threads, to show what that does here: a thread cannot leave the busy CPU");
  return options.read(args);
}

contest unpinned_on_all_cpus() {
  contest c = default_contest(runtime_names());
  c.pinned = false;
  c.threads = static_cast<unsigned>(c.cpus.size());
  return c;
}

void run(const cli::arguments& args) {
  run_options asked{.setting = unpinned_on_all_cpus(), .rounds = 10};
  if (!read_options(args, asked)) return;
  if (asked.setting.cpus.size() < 2) {
    throw lane_error("this process has one CPU, expected two or more; nothing was measured");
  }
  json_file json(asked.json_file);
  contenders all = start_contenders(asked.setting, peer_waiting::actively_too);
  measurement m = measure(asked.setting, all.present, asked.rounds,
                          [&](unsigned round) { show_round(round, asked); });
  show_progress("");

  const report made{asked, std::move(all.left_out), std::move(m)};
  fmt::print("{}", to_text(made));
  json.write(to_json(made));
}

}  // namespace

int run_noisy(int argc, char** argv) {
  return run_benchmark(name, argc, argv, [](const cli::arguments& args) { run(args); });
}

}  // namespace doall::bench
