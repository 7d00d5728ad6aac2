#include "report/first_sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

#include "report/report.hpp"
#include "text/table.hpp"

namespace doall::cli {
namespace {

using observe::record;
using observe::report;
using observe::site_kind;

// What one thing that can be set would change, over all loops that it is advised for.
struct action {
  const record* largest = nullptr;
  const loop_advice* advice = nullptr;  // of that one
  std::size_t places = 0;
  double calls = 0;
  double wall_ns = 0;
  double work_ns = 0;
  double saved_ns = 0;

  void add(const record& r, const loop_advice& a) {
    if (largest == nullptr || r.wall_time > largest->wall_time) {
      largest = &r;
      advice = &a;
    }
    ++places;
    calls += static_cast<double>(r.calls);
    wall_ns += static_cast<double>(r.elapsed_time);
    work_ns += static_cast<double>(r.busy_time);
    saved_ns += a.saves * static_cast<double>(r.elapsed_time);
  }
};

template <class Visit>
void each_record(const std::vector<report>& reports, Visit visit) {
  for (std::size_t p = 0; p < reports.size(); ++p) {
    for (std::size_t n = 0; n < reports[p].records.size(); ++n) visit(p, n, reports[p].records[n]);
  }
}

// Whether other programs had so much of the CPUs that a worker which waits for a CPU looks like one
// that waits for work.
bool is_crowded(const whole_run& run) {
  constexpr double much = 0.15;
  return run.others_part.value_or(0) >= much;
}

// From which part of the run on an action is worth a try. What a setting saves is bounded by what
// was measured; what a schedule does is a model's, which knows nothing of other programs.
double worth_trying(const action& a, const whole_run& run) {
  if (a.advice->schedule.empty()) return is_crowded(run) ? 0.05 : 0.01;
  return is_crowded(run) ? 0.15 : 0.05;
}

// The one that saves most of those that are worth a try; else `largest` is null.
action best_action(const std::vector<report>& reports, const all_advice& of, const whole_run& run) {
  std::map<std::string, action> all;
  each_record(reports, [&](std::size_t p, std::size_t n, const record& r) {
    const loop_advice& a = of[p][n];
    if (a.from_outside()) all[a.settings + a.schedule].add(r, a);
  });
  action best;
  for (const auto& [what, one] : all) {
    if (one.saved_ns > best.saved_ns && run.share(one.saved_ns) >= worth_trying(one, run))
      best = one;
  }
  return best;
}

// What is in regions and in loops outside of them. What is in regions inside of regions is in the
// outer ones' time, and may be where most is lost.
struct parallel_part {
  double wall_ns = 0;
  double busy_ns = 0;
  double capacity_ns = 0;
  const record* most_lost = nullptr;
  const loop_advice* advice = nullptr;  // of that one
  double lost_ns = 0;                   // in it
};

parallel_part outermost(const std::vector<report>& reports, const all_advice& of) {
  parallel_part found;
  each_record(reports, [&](std::size_t p, std::size_t n, const record& r) {
    if (r.kind == site_kind::nested || is_in_region(reports[p], r)) return;
    const double outer_ns =
        static_cast<double>(r.wall_time - std::min(r.wall_time, r.in_regions_time));
    const double outer = r.wall_time == 0 ? 0 : outer_ns / static_cast<double>(r.wall_time);
    found.wall_ns += outer_ns;
    found.busy_ns += outer * static_cast<double>(r.busy_time);
    found.capacity_ns += outer * static_cast<double>(r.capacity_time);
    const double lost =
        static_cast<double>(r.elapsed_time) * (1 - parallel_efficiency(r).value_or(1));
    if (lost <= found.lost_ns) return;
    found.most_lost = &r;
    found.advice = &of[p][n];
    found.lost_ns = lost;
  });
  return found;
}

// "the run's 10 s", or what the shares are of where processes ran at the same time.
std::string whole_text(const whole_run& run) {
  const bool together = run.processes_ns > run.wall_ns + run.wall_ns / 100;
  return together ? fmt::format("its processes' {}",
                                duration_text(static_cast<double>(run.processes_ns)))
                  : fmt::format("the run's {}", duration_text(static_cast<double>(run.wall_ns)));
}

std::string others_text(const action& a) {
  if (a.places < 2) return "";
  return fmt::format(" and {} more like it", a.places - 1);
}

std::string text_of(const action& a, const whole_run& run) {
  const record& r = *a.largest;
  const std::string place = fmt::format("Begin with {}{}: ", where_text(r), others_text(a));
  const std::string time = fmt::format("{}, {} of {}", duration_text(a.wall_ns),
                                       percent_text(run.share(a.wall_ns)), whole_text(run));
  const std::string saved = fmt::format("{} ({} of the run)", duration_text(a.saved_ns),
                                        percent_text(run.share(a.saved_ns)));
  if (!a.advice->schedule.empty()) {
    return fmt::format(
        "{}it takes {}; {} would save {} of its time, {}: doall run --schedule='{}'. Whether its "
        "answers stay the same, 'doall compare' shows.",
        place, time, a.advice->schedule, percent_text(a.saved_ns / a.wall_ns), saved,
        a.advice->schedule);
  }
  const std::string crowd =
      run.cpus != 0 && r.workers > run.cpus ? fmt::format(" and {} CPUs", run.cpus) : "";
  if (!a.advice->tiny) {
    return fmt::format("{}{} workers take turns on {} CPUs for {}; set {}, which saves up to {}.",
                       place, r.workers, run.cpus, time, a.advice->settings, saved);
  }
  return fmt::format(
      "{}{:.0f} call{} of {} of work each take{} {} on {} workers{}; set {}, which runs such "
      "regions on one thread{}, and saves up to {}.",
      place, a.calls, a.calls == 1 ? "" : "s", duration_text(a.work_ns / std::max(1.0, a.calls)),
      a.calls == 1 ? "s" : "", time, r.workers, crowd, a.advice->settings,
      a.advice->settings == "OMP_DYNAMIC=true" ? " where that is faster" : "", saved);
}

}  // namespace

whole_run run_of(const std::vector<report>& reports, const seen_run& seen) {
  whole_run run;
  if (reports.empty()) {
    run.command = seen.facts.command;
    run.settings = seen.facts.settings;
    run.began_s = seen.facts.began_s;
    run.cpus = seen.facts.cpus;
    run.no_report = seen.no_report;
  }
  std::uint64_t together_ns = 0;
  for (const report& process : reports) {
    together_ns += process.wall_ns;
    if (process.wall_ns < run.wall_ns) continue;
    run.command = process.command;
    run.settings = process.settings;
    run.wall_ns = process.wall_ns;
    run.began_s = process.began_s;
    run.cpus = process.cpus;
    run.workers = process.threads;
  }
  run.wall_ns = std::max(run.wall_ns, seen.wall_ns);
  run.others_part = seen.others_part;
  run.lost_processes = seen.lost_processes;
  run.cpu_ns = seen.cpu_ns;
  run.reported_cpu_ns = std::min(seen.reported_cpu_ns, seen.cpu_ns);
  run.processes_ns = together_ns;
  return run;
}

std::string missing_text(const whole_run& run) {
  // Below that it is the processes' beginnings and ends.
  constexpr double much = 0.1;
  constexpr double least_ns = 1e8;
  const auto all_ns = static_cast<double>(run.cpu_ns);
  const double missing_ns = all_ns - static_cast<double>(run.reported_cpu_ns);
  const bool is_much = missing_ns >= std::max(least_ns, much * all_ns);
  const std::uint32_t lost = run.lost_processes;
  const std::string processes = fmt::format("{} process{}", lost, lost == 1 ? "" : "es");
  const std::string time =
      fmt::format("{} of the run's {} of CPU time ({})", duration_text(missing_ns),
                  duration_text(all_ns), all_ns == 0 ? "-" : percent_text(missing_ns / all_ns));
  if (lost != 0) {
    return fmt::format(
        "{} not in this report: what ran loops or regions, and ended by _exit (as Python's pool "
        "workers do), exec or a signal, or runs on.",
        is_much     ? processes + ", and " + time + ", are"
        : lost == 1 ? processes + " is"
                    : processes + " are");
  }
  if (!is_much) return "";
  return time +
         " are not in this report: processes had them that ran nothing on doall, or that it cannot "
         "be loaded into (set-user-id, linked statically, of another C library).";
}

namespace {

// Of the environment, as the process has it: "OMP_NUM_THREADS=1". Empty: none.
std::string setting_of_threads(const report& process) {
  for (const char* name : {"DOALL_NUM_THREADS=", "OMP_NUM_THREADS=", "OMP_THREAD_LIMIT="}) {
    std::istringstream all(process.settings);
    for (std::string one; all >> one;) {
      if (one.starts_with(name)) return one;
    }
  }
  return "";
}

// The threads that a process had for its loops, by what it was told: what doall or the program's
// source runs on fewer is not meant.
std::uint32_t threads_had(const report& process) {
  std::uint32_t outer = 0;
  std::uint32_t inner = 1;
  for (const record& r : process.records) {
    const bool is_inner = r.wall_time != 0 && r.in_regions_time == r.wall_time;
    std::uint32_t& most = is_inner ? inner : outer;
    most = std::max(most, r.workers);
  }
  const std::uint32_t ran = outer * inner;
  const bool is_limited = setting_of_threads(process).starts_with("OMP_THREAD_LIMIT=");
  return is_limited ? ran : std::max(ran, process.threads);
}

// Begins the sentence of a run of one process whose loops had fewer threads than it had CPUs; else
// empty.
std::string fewer_threads_text(const std::vector<report>& reports) {
  if (reports.size() != 1 || reports.front().rank >= 0) return "";
  const report& process = reports.front();
  const std::uint32_t threads = threads_had(process);
  if (threads == 0 || threads >= process.cpus) return "";
  const std::string setting = setting_of_threads(process);
  return fmt::format("It ran on {} of {} CPUs{}. ", threads, process.cpus,
                     setting.empty() ? "" : ", as " + setting + " says");
}

std::string best_text(const std::vector<report>& reports, const all_advice& of,
                      const whole_run& run, bool has_all_cpus);

}  // namespace

std::string first_sentence(const std::vector<report>& reports, const all_advice& of,
                           const whole_run& run) {
  const std::string fewer = fewer_threads_text(reports);
  return fewer + best_text(reports, of, run, fewer.empty());
}

namespace {

std::string best_text(const std::vector<report>& reports, const all_advice& of,
                      const whole_run& run, bool has_all_cpus) {
  constexpr double worth_building = 0.05;  // of the run
  constexpr double few = 0.1;
  if (!run.no_report.empty()) return run.no_report;
  const parallel_part all = outermost(reports, of);
  if (all.wall_ns == 0) return "No parallel loop or region of the program ran on doall to its end.";
  const std::string others = is_crowded(run)
                                 ? fmt::format("Other programs had {} of the CPUs meanwhile",
                                               percent_text(*run.others_part))
                                 : "";
  const action best = best_action(reports, of, run);
  if (best.largest != nullptr) {
    return text_of(best, run) +
           (others.empty() ? "" : " " + others + ", and a part of these times.");
  }
  const std::string time = fmt::format("{} of {} ({})", duration_text(all.wall_ns), whole_text(run),
                                       percent_text(run.share(all.wall_ns)));
  // Other programs make the parallel part look longer, and its workers idler: where there is little
  // to gain beside them, there is less without.
  if (run.share(all.wall_ns) < few)
    return fmt::format("There is little to gain: only {} is in parallel loops and regions.", time);
  if (all.most_lost != nullptr && run.share(all.lost_ns) >= worth_building) {
    const record& r = *all.most_lost;
    const std::string lost = fmt::format(
        "Most is lost in {}: it takes {} ({} of the run), for {} of which its workers are busy",
        where_text(r), duration_text(static_cast<double>(r.elapsed_time)),
        percent_text(run.share(static_cast<double>(r.elapsed_time))),
        percent_text(parallel_efficiency(r).value_or(0)));
    if (!others.empty()) {
      return fmt::format(
          "{}, so this run does not tell what would help: repeat it when they have "
          "ended, or have 'doall compare' try what can be set. {}.",
          others, lost);
    }
    return fmt::format("No setting would help much. {}; {}.", lost, all.advice->text);
  }
  return fmt::format(
      "{} is little to gain: its parallel loops and regions take {}, and their workers are busy "
      "for {} of that.",
      has_all_cpus ? "There" : "Beside that there", time,
      all.capacity_ns == 0 ? "all" : percent_text(all.busy_ns / all.capacity_ns));
}

}  // namespace
}  // namespace doall::cli
