// doall bench noisy: loops beside a foreign process that keeps one of the CPUs busy.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.hpp"
#include "driver/experiment.hpp"
#include "driver/report.hpp"
#include "driver/statistics.hpp"
#include "experiments/neighbours.hpp"
#include "lanes/pin.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

// Some hundred time slices of the kernel's.
constexpr std::uint64_t time_ns = 300'000'000;

[[noreturn]] void be_busy(int cpu) {
  // Its driver may die without a word.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pin_calling_thread(cpu);
  if (sched_getcpu() != cpu) _exit(1);
  raise(SIGSTOP);  // it is there, and is told to begin
  for (;;) asm volatile("");
}

// A foreign process that never sleeps, on one CPU. It ends with this object, or with the thread
// that made it.
class busy_process {
 public:
  // Returns when it is on that CPU. Throws lane_error when it cannot be started or moved there.
  explicit busy_process(int cpu) : pid_(fork()) {
    if (pid_ < 0) {
      throw lane_error(
          fmt::format("a busy process could not be started: {}", std::strerror(errno)));
    }
    if (pid_ == 0) be_busy(cpu);
    int status = 0;
    waitpid(pid_, &status, WUNTRACED);
    if (!WIFSTOPPED(status)) {
      throw lane_error(fmt::format("a busy process could not be pinned to CPU {}", cpu));
    }
    kill(pid_, SIGCONT);
  }
  ~busy_process() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  busy_process(const busy_process&) = delete;
  busy_process& operator=(const busy_process&) = delete;

  // CPU time that it has taken so far.
  std::uint64_t cpu_ns() const { return cpu_ns_of_process(pid_); }

 private:
  pid_t pid_ = -1;
};

struct noisy_loop {
  loop what;
  std::vector<double> serial_ns = {};  // the serial loop's mean, beside the busy process too
};

// One entrant's loops of one length, a number a round.
struct noisy_series {
  entrant of;
  std::size_t loop = 0;  // of noise::loops
  std::vector<double> mean_ns = {};
  std::vector<double> p99_ns = {};
};

struct noise : outcome {
  int busy_cpu = 0;
  std::vector<noisy_loop> loops = {};
  std::vector<noisy_series> all = {};
};

// A length, and who runs it; nobody: the serial loop.
struct turn {
  std::size_t loop;
  noisy_series* of;
};

void take(const turn& t, noise& m) {
  noisy_loop& l = m.loops[t.loop];
  if (t.of == nullptr) {
    const entrant serial{&m.who.present.front(), serial_name};
    l.serial_ns.push_back(run_loops(serial, l.what, 0, time_ns).mean_ns);
    return;
  }
  const stretch_times found = run_loops(t.of->of, l.what, 0, time_ns);
  t.of->mean_ns.push_back(found.mean_ns);
  t.of->p99_ns.push_back(found.p99_ns);
}

void measure(noise& m) {
  // By number, not by core: the serial loop is pinned to the first of the cores.
  m.busy_cpu = std::ranges::max(m.asked.setting.cpus);
  for (const loop& l : calibrate(*m.who.present.front().lane, {1e5, 1e7})) m.loops.push_back({l});
  for (std::size_t l = 0; l < m.loops.size(); ++l) {
    for (const entrant& e : entrants_beside_serial(m.who.present)) m.all.push_back({e, l});
  }
  std::vector<turn> turns;
  for (std::size_t l = 0; l < m.loops.size(); ++l) turns.push_back({l, nullptr});
  for (noisy_series& s : m.all) turns.push_back({s.loop, &s});

  const std::uint64_t begin_ns = base::now_ns();
  const busy_process busy(m.busy_cpu);
  measure_rounds(m, [&](base::rng& random) {
    shuffle(turns, random);
    for (const turn& t : turns) take(t, m);
  });
  const double busy_share = static_cast<double>(busy.cpu_ns()) /
                            static_cast<double>(base::now_ns() - begin_ns) /
                            static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  m.others_share = std::max(0.0, m.others_share - busy_share);  // of third parties
}

// The most that is asked of a row, in serial times; of OpenMP's loops, in libgomp's.
struct bars {
  std::optional<double> mean = {};
  std::optional<double> p99 = {};
  std::optional<double> to_libgomp = {};
};

bars bars_of(const entrant& e, const loop& what) {
  if (!e.is_ours()) return {};
  if (e.who->door != "native") return {.to_libgomp = 1 / 1.5};
  if (what.serial_ns < 1e6) return {.mean = 0.8, .p99 = 2};
  return {.mean = 0.8};
}

struct row {
  const noisy_series* of;
  const loop* what;
  ratio mean;  // over the serial loop's mean
  ratio p99;   // likewise
  std::optional<ratio> to_libgomp = {};
  bars most;
};

// libgomp waits in several ways: the one with the least mean counts.
const noisy_series* best_of_libgomp(const noise& m, std::size_t loop) {
  const noisy_series* best = nullptr;
  for (const noisy_series& s : m.all) {
    if (s.of.who->runtime != "libgomp" || s.loop != loop) continue;
    if (best == nullptr || median_of(s.mean_ns) < median_of(best->mean_ns)) best = &s;
  }
  return best;
}

std::vector<row> make_rows(const noise& m) {
  std::vector<row> rows;
  for (const noisy_series& s : m.all) {
    const noisy_loop& l = m.loops[s.loop];
    row r{.of = &s,
          .what = &l.what,
          .mean = ratio_of(s.mean_ns, l.serial_ns),
          .p99 = ratio_of(s.p99_ns, l.serial_ns),
          .most = bars_of(s.of, l.what)};
    if (const noisy_series* peer = best_of_libgomp(m, s.loop)) {
      r.to_libgomp = ratio_of(s.mean_ns, peer->mean_ns);
    }
    rows.push_back(std::move(r));
  }
  return rows;
}

std::string to_text(const noise& m) {
  cli::table table({"loop", "runtime", "door", "schedule", ">mean of serial, 95%", "bar",
                    ">p99 of serial, 95%", "bar", ">mean to libgomp, 95%", "bar", "setting"});
  for (const row& line : make_rows(m)) {
    const entrant& e = line.of->of;
    table.add_row({cli::duration_text(line.what->serial_ns), e.who->runtime, e.who->door,
                   e.schedule, ratio_text(line.mean), bar_text(line.mean.median, line.most.mean),
                   ratio_text(line.p99), bar_text(line.p99.median, line.most.p99),
                   line.to_libgomp ? ratio_text(*line.to_libgomp) : "-",
                   line.to_libgomp ? bar_text(line.to_libgomp->median, line.most.to_libgomp) : "-",
                   e.who->setting});
  }
  const contest& c = m.asked.setting;
  std::string text = fmt::format(
      "Loops on {} threads{} while another process is busy on CPU {}, {} rounds, on {}\n",
      c.threads, c.pinned ? ", pinned" : ", not pinned", m.busy_cpu, m.asked.rounds,
      machine_name());
  for (const noisy_loop& l : m.loops) {
    const summary serial = summarise(l.serial_ns);
    text += fmt::format("Serial, {}: {} ({})\n", cli::duration_text(l.what.serial_ns),
                        cli::duration_text(serial.median), spread_text(serial));
  }
  // Of P CPUs one is shared with one other.
  text += fmt::format("The least possible: {:.2f} of serial\n", 1 / (c.threads - 0.5));
  return text + load_text(m.others_share) + peers_text(m) + '\n' + table.to_text();
}

// --- Schema "doall-bench-noisy/1"; this file's page has it.

ordered_json to_json(const noisy_loop& l) {
  return {{"serial_ns", l.what.serial_ns},
          {"mean_ns", rounded(median_of(l.serial_ns))},
          {"mean_rounds_ns", rounded(l.serial_ns)}};
}

ordered_json to_json(const row& r) {
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

ordered_json to_json(const noise& m) {
  ordered_json json = to_json(static_cast<const outcome&>(m), "noisy");
  json["busy_cpu"] = m.busy_cpu;
  json["rounds"] = m.asked.rounds;
  json["serial"] = list_json(m.loops);
  json["rows"] = list_json(make_rows(m));
  return json;
}

void run_noisy(const cli::arguments& args) {
  run_options asked{.setting = default_contest(), .rounds = 10};
  contest& setting = asked.setting;
  setting.pinned = false;
  setting.threads = static_cast<unsigned>(setting.cpus.size());
  cli::option_parser options(
      "bench noisy", "[OPTIONS]",
      "Loops of 100 us and 10 ms with a thread for each CPU, while a foreign process is busy on\n"
      "the last of them: mean and 99th percentile over the serial loop's mean, every runtime in\n"
      "turn in one run. Nobody is pinned but the foreign process.",
      "Exit status 1 also when a loop's result is wrong, or there is one CPU alone.");
  add_rounds_option(options, asked);
  add_json_option(options, asked);
  add_runtimes_option(options, setting);
  options.add_flag_callback(
      "--pin", [&] { setting.pinned = true; },
      "Pins threads, to show what that does here: a thread cannot leave the busy CPU");
  if (!options.read(args)) return;
  if (setting.cpus.size() < 2) {
    throw lane_error("this process has one CPU, expected two or more; nothing was measured");
  }
  result_file json(asked.json_file);
  noise m{{asked, start_uforall(setting, peer_waiting::actively_too)}};
  measure(m);
  fmt::print("{}", to_text(m));
  json.write(to_json(m));
}

const experiment here{"noisy", run_noisy};

}  // namespace
}  // namespace doall::bench
