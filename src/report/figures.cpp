#include "report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/env.hpp"
#include "observe/reason.hpp"
#include "report/report.hpp"
#include "text/table.hpp"

namespace doall::cli {
namespace {

using observe::process_facts;
using observe::reason;
using observe::record;
using observe::site_kind;

constexpr double good = 0.9;
constexpr double much = 0.1;
// Of more work a call repays its launch on most machines, and OMP_DYNAMIC=true leaves it its team:
// what it loses beyond that is not its size.
constexpr double tiny_work_ns = 40'000;
// The first calls start threads, and OMP_DYNAMIC=true learns from some.
constexpr std::uint64_t tiny_calls_least = 50;

// Nanoseconds over all calls.
struct parts {
  double wall;
  double work;     // B
  double busiest;  // M
  double workers;
  double cpus;
  double calls;

  parts(const process_facts& process, const record& r)
      : wall(static_cast<double>(r.wall_time)),
        work(static_cast<double>(r.busy_time)),
        busiest(static_cast<double>(r.bottleneck_time) / std::max(1U, r.workers)),
        workers(std::max(1U, r.workers)),
        cpus(process.cpus == 0 ? workers : std::min<double>(process.cpus, workers)),
        calls(static_cast<double>(std::max<std::uint64_t>(1, r.calls))) {}

  double efficiency() const { return part(work, workers * wall); }
  double imbalance() const { return part(busiest - work / workers, wall); }
  bool crowded() const { return workers > cpus; }

  // The parts of the time that are saved, at most.
  double saved_alone() const {
    constexpr double call_ns = 100;  // of a region that runs alone
    return part(wall - work - calls * call_ns, wall);
  }
  double saved_by_fewer() const { return part(wall - std::max(busiest, work / cpus), wall); }

  static double part(double of, double whole) {
    return whole > 0 ? std::clamp(of / whole, 0.0, 1.0) : 0;
  }
};

std::string cpus_text(const parts& p) {
  return p.crowded() ? fmt::format(", more than the {} CPUs", p.cpus) : "";
}

// Its workers cost more than they gain.
loop_advice tiny(const process_facts& process, const record& r, const parts& p) {
  loop_advice found;
  found.tiny = true;
  found.saves = p.saved_alone();
  found.text = fmt::format("a call has {} of work, and takes {} on {} workers{}",
                           duration_text(p.work / p.calls), duration_text(p.wall / p.calls),
                           r.workers, cpus_text(p));
  if (r.door == "native") {
    found.text += ": one thread would run it as fast; share a loop further out";
  } else if (has_dynamic(process)) {
    found.settings = "OMP_THREAD_LIMIT=1";
    found.text += " in spite of OMP_DYNAMIC=true: try one thread";
  } else {
    found.settings = "OMP_DYNAMIC=true";
    found.text += ": OMP_DYNAMIC=true runs it on one thread where that is faster";
  }
  return found;
}

loop_advice fewer(const parts& p) {
  loop_advice found;
  found.settings = fmt::format("OMP_THREAD_LIMIT={}", p.cpus);
  found.saves = p.saved_by_fewer();
  found.text =
      fmt::format("{} workers take turns on {} CPUs: try {}", p.workers, p.cpus, found.settings);
  return found;
}

std::string text_of_steerable(const record& r, const parts& p) {
  constexpr std::uint64_t many_chunks = 64;  // of a worker, in a call
  if (p.imbalance() > much)
    return "its workers are unevenly busy: a schedule that deals smaller chunks may help";
  const double scheduling = parts::part(static_cast<double>(r.scheduling_time), p.workers * p.wall);
  if (scheduling > much) {
    const std::uint64_t chunks = r.chunks_own + r.chunks_central + r.chunks_stolen;
    return chunks > r.calls * r.workers * many_chunks
               ? "its workers lose time on getting chunks: a larger chunk may help"
               : "its workers lose time between chunks";
  }
  const double idle = parts::part(static_cast<double>(r.idle_time), p.workers * p.wall);
  if (idle > much) return "workers came late: a busy machine, or a quota (doall doctor)";
  return "nothing stands out";
}

// Clang's code asks for the bounds of such a loop's blocks, and runs one.
bool runs_one_block(const record& r) {
  return r.door == "llvm" &&
         (r.why == text_of(reason::compiled) || r.why == text_of(reason::by_times));
}

}  // namespace

bool has_dynamic(const process_facts& process) {
  std::istringstream settings(process.settings);
  for (std::string one; settings >> one;) {
    const auto equals = one.find('=');
    const std::string_view name = std::string_view(one).substr(0, equals);
    const bool is_it = name == "OMP_DYNAMIC" || name == "OMP_DYNAMIC_ALL";
    // As the runtime reads it.
    if (is_it && equals != std::string::npos && base::same_word(one.substr(equals + 1), "true"))
      return true;
  }
  return false;
}

bool takes_schedules(const record& r) {
  return r.kind == site_kind::loop && r.why != text_of(reason::monotonic) && !runs_one_block(r) &&
         !is_named_in_source(r);
}

bool is_named_in_source(const record& r) {
  return r.kind == site_kind::loop && r.door == "native" && r.why == text_of(reason::named);
}

loop_advice judge(const process_facts& process, const record& r, const surroundings& around) {
  constexpr double worth_saying = 0.1;
  const parts p(process, r);
  loop_advice found;
  if (r.kind == site_kind::nested) {
    const double scheduling =
        parts::part(static_cast<double>(r.scheduling_time), static_cast<double>(r.inside_time));
    found.text = scheduling > much ? "its parts are too small for what it takes to share them"
                                   : "little is lost in it";
    return found;
  }
  if (r.workers < 2) {
    found.text = "it ran on one worker";
    return found;
  }
  // The team is the region's: of its loops that is said there.
  const bool has_team = !around.in_region;
  const double balanced = p.imbalance();
  const bool is_short = p.work / p.calls < tiny_work_ns;
  const bool is_often = r.calls >= tiny_calls_least;
  if (has_team && is_short && is_often && p.saved_alone() > worth_saying &&
      p.saved_alone() > balanced)
    return tiny(process, r, p);
  if (p.efficiency() >= good) {
    found.text = "its workers are busy with the program's own code: there is little to gain here";
    return found;
  }
  if (has_team && p.crowded() && p.saved_by_fewer() > worth_saying && p.saved_by_fewer() > balanced)
    return fewer(p);
  if (!is_short && parts::part(p.wall - p.busiest, p.wall) > 3 * much) {
    found.text = "its workers wait for CPUs: a busy machine, or a quota (doall doctor)";
    return found;
  }
  if (r.kind == site_kind::region) {
    found.text = around.holds_loops
                     ? "its loops have lines of their own"
                     : "its loops were compiled into it, so no schedule reaches them";
    // Whoever has built it with -g has the source.
    if (!around.holds_loops && !r.file.empty())
      found.text += ": that takes schedule(runtime) in its source, or doall cc";
    return found;
  }
  if (r.kind == site_kind::sections) {
    found.text =
        "its sections are dealt one at a time, which no schedule changes: the longest "
        "one decides";
    return found;
  }
  if (runs_one_block(r)) {
    found.text =
        "each worker has one block of it, as Clang compiled it: a schedule can cut these "
        "blocks (best-static, by their times), and deal it in no other way";
  } else {
    const bool may_change = takes_schedules(r) || is_named_in_source(r);
    found.text = may_change ? text_of_steerable(r, p)
                            : "its order is fixed, so no other schedule may run it";
    if (is_named_in_source(r))
      found.text += fmt::format(" (its source names {}, and only that can change it)", r.schedule);
  }
  return found;
}

}  // namespace doall::cli
