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

// A region and a loop in it: as the runtime has seen it, or else by the function that both are in.
bool are_together(const record& region, const record& loop) {
  if (region.kind != site_kind::region || loop.module != region.module) return false;
  if (loop.kind != site_kind::loop && loop.kind != site_kind::sections) return false;
  if (loop.region != 0) return loop.region == region.offset;
  return !loop.function.empty() && loop.function == region.function;
}

surroundings around(const report& process, const record& r) {
  surroundings found;
  for (const record& other : process.records) {
    found.in_region = found.in_region || are_together(other, r);
    found.holds_loops = found.holds_loops || are_together(r, other);
  }
  return found;
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

// Adds what the model says to what is known of the loop, in place of what the figures say: two
// sentences might contradict each other.
void ask_model(const report& process, const record& r, loop_advice& to) {
  constexpr std::uint32_t workers_most = 192;
  const auto work = workload_of(process, r);
  if (!work || r.workers < 2) return;
  const std::uint32_t workers = std::min(r.workers, workers_most);
  to.machine = machine_for(workers);
  const sim::machine on = sim::in_nanoseconds(find_machine(to.machine));
  const advice found = advise(work->loops.front(), on, workers, [&](std::string_view schedule) {
    show_progress(fmt::format("{} under {}", work->loops.front().name, schedule));
  });
  show_progress("");
  if (!found.today || !found.pays()) {
    to.machine.clear();
    return;
  }
  to.saves = found.changes() ? found.saves() : 0;
  if (to.saves > 0 && takes_schedules(r)) to.schedule = found.best.schedule;
  to.text = to.saves > 0 || !found.changes()
                ? text_of_advice(found) + (to.saves > 0 ? " of its time" : "")
                : fmt::format("keep {}", found.today->schedule);
}

// Those that the model is asked about: of the loops that may have another schedule, and for which
// nothing else helps, those whose workers lose most.
std::vector<position> most_lost(const std::vector<report>& reports, const all_advice& known) {
  constexpr std::size_t asked_most = 3;
  constexpr double worth_asking = 0.02;  // of the loop's worker-time
  const auto lost = [](const record& r) { return r.capacity_time - r.busy_time; };
  std::vector<position> all;
  for (std::size_t p = 0; p < reports.size(); ++p) {
    for (std::size_t n = 0; n < reports[p].records.size(); ++n) {
      const record& r = reports[p].records[n];
      if (!takes_schedules(r) && !is_named_in_source(r)) continue;
      if (r.capacity_time <= r.busy_time) continue;
      if (known[p][n].from_outside() || known[p][n].tiny) continue;
      // The model has a CPU for each worker.
      if (reports[p].cpus != 0 && r.workers > reports[p].cpus) continue;
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

}  // namespace

all_advice advise_on(const std::vector<report>& reports) {
  all_advice all;
  for (const report& process : reports) {
    auto& of = all.emplace_back();
    for (const record& r : process.records) of.push_back(judge(process, r, around(process, r)));
  }
  for (const position p : most_lost(reports, all))
    ask_model(reports[p.process], at(reports, p), all[p.process][p.loop]);
  for (std::size_t p = 0; p < reports.size(); ++p) {
    for (std::size_t n = 0; n < reports[p].records.size(); ++n) {
      // Of sections there are too few to say where.
      if (reports[p].records[n].kind == site_kind::sections) continue;
      const std::string lie = where_costs_lie(reports[p].records[n]);
      if (!lie.empty()) all[p][n].text = lie + "; " + all[p][n].text;
    }
  }
  return all;
}

bool is_in_region(const report& process, const record& loop) {
  return around(process, loop).in_region;
}

bool is_only_loop(const report& process, const record& region) {
  constexpr double nearly_all = 0.9;
  const record* only = nullptr;
  for (const record& r : process.records) {
    if (!are_together(region, r)) continue;
    if (only != nullptr) return false;
    only = &r;
  }
  return only != nullptr && only->calls == region.calls &&
         static_cast<double>(only->wall_time) >= nearly_all * static_cast<double>(region.wall_time);
}

}  // namespace doall::cli
