#include "report/loop_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "process/result_file.hpp"
#include "report/advice.hpp"
#include "report/model_files.hpp"
#include "report/recording.hpp"
#include "report/report.hpp"
#include "text/table.hpp"

namespace doall::cli {
namespace {

using observe::record;
using observe::report;
using observe::site_kind;

// A loop of a report.
struct position {
  std::size_t process = 0;
  std::size_t loop = 0;
};

const record& at(const std::vector<report>& reports, position p) {
  return reports[p.process].records[p.loop];
}

// What the shipped models that are nearest this machine's size are called.
std::string machine_for(std::uint32_t workers) {
  if (workers <= 2) return "epyc-2vcpu";
  return workers <= 128 ? "2x64" : "2x96";
}

// Whether the region only holds loops that have lines of their own.
bool has_loops(const report& process, const record& region) {
  return std::ranges::any_of(process.records, [&](const record& r) {
    return r.kind == site_kind::loop && !r.function.empty() && r.function == region.function;
  });
}

// Where the cost lies: the shortest run of neighbours that holds three quarters of it, if that is
// at most half of the loop.
std::string where_costs_lie(const record& r) {
  constexpr double most_of_it = 0.75;
  const nlohmann::ordered_json pairs = cost_pairs(r);
  std::vector<double> counts{0};  // running sums
  std::vector<double> costs{0};
  for (const auto& pair : pairs) {
    const double count = pair[0].get<double>();
    counts.push_back(counts.back() + count);
    costs.push_back(costs.back() + count * pair[1].get<double>());
  }
  const double all = costs.back();
  if (all <= 0) return "";
  std::size_t best_from = 0;
  std::size_t best_to = counts.size() - 1;
  for (std::size_t from = 0, to = 0; to < counts.size(); ++to) {
    while (costs[to] - costs[from + 1 < to ? from + 1 : from] >= most_of_it * all && from + 1 < to)
      ++from;
    if (costs[to] - costs[from] < most_of_it * all) continue;
    if (counts[to] - counts[from] < counts[best_to] - counts[best_from]) {
      best_from = from;
      best_to = to;
    }
  }
  if (counts[best_to] - counts[best_from] > counts.back() / 2) return "";
  return fmt::format("iterations {:.0f} to {:.0f} of {:.0f} hold {} of the cost", counts[best_from],
                     counts[best_to] - 1, counts.back(),
                     percent_text((costs[best_to] - costs[best_from]) / all));
}

// By its figures alone (docs/guide/report.md, "What to do about it").
std::string text_of_figures(const report& process, const record& r) {
  constexpr double good = 0.9;
  constexpr double much = 0.1;
  constexpr double short_call_ns = 20'000;
  constexpr std::uint64_t many_chunks = 64;  // of a worker, in a call
  const auto part = [](std::uint64_t of, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(of) / static_cast<double>(whole);
  };
  const double calls = static_cast<double>(std::max<std::uint64_t>(r.calls, 1));
  if (r.kind == site_kind::nested) {
    return part(r.scheduling_time, r.inside_time) > much
               ? "its parts are too small for what it takes to share them"
               : "little is lost in it";
  }
  if (r.workers < 2) return "it ran on one worker";
  if (part(r.busy_time, r.capacity_time) >= good)
    return "its workers are busy with the program's own code: there is little to gain here";
  if (r.kind == site_kind::region) {
    return has_loops(process, r) ? "its loops have lines of their own"
                                 : "its loops were compiled into it: schedule(runtime) in the "
                                   "source, or doall cc, would make them visible and steerable";
  }
  if (static_cast<double>(r.wall_time) / calls < short_call_ns)
    return "its calls are too short for that many workers: share a loop further out";
  if (imbalance(r).value_or(1) > 1 + much)
    return "its workers are unevenly busy: try a schedule that deals smaller chunks";
  if (part(r.scheduling_time, r.capacity_time) > much) {
    const std::uint64_t chunks = r.chunks_own + r.chunks_central + r.chunks_stolen;
    return chunks > r.calls * r.workers * many_chunks
               ? "its workers lose time on getting chunks: try a larger chunk"
               : "its workers lose time between chunks";
  }
  if (part(r.idle_time, r.capacity_time) > much)
    return "workers came late: more threads than CPUs, or a busy machine (doall doctor)";
  return "nothing stands out";
}

// A loop as the simulator takes it; nothing if it would take too long, or its costs are not known.
std::optional<sim::workload> workload_of(const report& process, const record& r) {
  constexpr std::uint64_t iterations_most = 1'000'000;  // of a call
  if (r.calls == 0 || r.costs.empty() || r.iterations / r.calls > iterations_most)
    return std::nullopt;
  report alone = process;
  alone.records = {r};
  try {
    sim::workload found = sim::read_workload("the run's costs", recording_text({alone}));
    if (found.loops.empty()) return std::nullopt;
    return found;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

// Adds what the model says to what is known of the loop.
void ask_model(const report& process, const record& r, loop_advice& to) {
  constexpr base::u64 calls_most = 3;
  constexpr std::uint32_t workers_most = 192;
  const auto work = workload_of(process, r);
  if (!work || r.workers < 2) return;
  const std::uint32_t workers = std::min(r.workers, workers_most);
  to.machine = machine_for(workers);
  const sim::machine on = sim::in_nanoseconds(find_machine(to.machine));
  const advice found =
      advise(work->loops.front(), on, workers, calls_most, [&](std::string_view schedule) {
        show_progress(fmt::format("{} under {}", work->loops.front().name, schedule));
      });
  show_progress("");
  if (!found.pays()) {
    to.text = "one thread would run it as fast: share a loop further out";
  } else if (found.today && found.best.schedule != found.today->schedule) {
    to.schedule = found.best.schedule;
    to.saves = 1 - found.best.time_us / found.today->time_us;
    to.text = fmt::format("{} would save {} of its time", to.schedule, percent_text(to.saves));
  } else if (found.today) {
    to.text += fmt::format("{}keep {}", to.text.empty() ? "" : "; ", found.best.schedule);
  }
}

// Those that the model is asked about: the loops whose workers lose most.
std::vector<position> most_lost(const std::vector<report>& reports) {
  constexpr std::size_t asked_most = 3;
  constexpr double worth_asking = 0.02;  // of the loop's worker-time
  const auto lost = [](const record& r) { return r.capacity_time - r.busy_time; };
  std::vector<position> all;
  for (std::size_t p = 0; p < reports.size(); ++p) {
    for (std::size_t n = 0; n < reports[p].records.size(); ++n) {
      const record& r = reports[p].records[n];
      if (r.kind != site_kind::loop || r.capacity_time <= r.busy_time) continue;
      if (static_cast<double>(lost(r)) < worth_asking * static_cast<double>(r.capacity_time))
        continue;
      all.push_back({p, n});
    }
  }
  std::ranges::sort(
      all, [&](position a, position b) { return lost(at(reports, a)) > lost(at(reports, b)); });
  if (all.size() > asked_most) all.resize(asked_most);
  return all;
}

// The slowest loop, or region that is not all loops with lines of their own.
std::optional<position> slowest(const std::vector<report>& reports) {
  std::optional<position> found;
  for (std::size_t p = 0; p < reports.size(); ++p) {
    for (std::size_t n = 0; n < reports[p].records.size(); ++n) {
      const record& r = reports[p].records[n];
      if (r.kind == site_kind::nested) continue;
      if (r.kind == site_kind::region && has_loops(reports[p], r)) continue;
      if (!found || r.wall_time > at(reports, *found).wall_time) found = position{p, n};
    }
  }
  return found;
}

}  // namespace

all_advice advise_on(const std::vector<report>& reports) {
  all_advice all;
  for (const report& process : reports) {
    auto& of = all.emplace_back();
    for (const record& r : process.records) of.emplace_back().text = text_of_figures(process, r);
  }
  for (const position p : most_lost(reports))
    ask_model(reports[p.process], at(reports, p), all[p.process][p.loop]);
  for (std::size_t p = 0; p < reports.size(); ++p) {
    for (std::size_t n = 0; n < reports[p].records.size(); ++n) {
      const std::string lie = where_costs_lie(reports[p].records[n]);
      if (!lie.empty()) all[p][n].text = lie + "; " + all[p][n].text;
    }
  }
  return all;
}

std::string where_to_begin(const std::vector<report>& reports, const all_advice& of) {
  const auto found = slowest(reports);
  if (!found) return "No parallel loop or region of the program ran on doall to its end.";
  const record& r = at(reports, *found);
  const std::string busy = r.capacity_time == 0
                               ? ""
                               : fmt::format(", of which its workers are busy for {}",
                                             percent_text(static_cast<double>(r.busy_time) /
                                                          static_cast<double>(r.capacity_time)));
  return fmt::format("Begin with {}: it takes {}{}; {}.", where_text(r),
                     duration_text(static_cast<double>(r.wall_time)), busy,
                     of[found->process][found->loop].text);
}

}  // namespace doall::cli
