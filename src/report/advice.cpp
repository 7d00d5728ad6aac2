#include "report/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "schedule/grammar.hpp"
#include "schedule/registry.hpp"
#include "text/table.hpp"

namespace doall::cli {
namespace {

using base::u64;

constexpr double ns_in_us = 1'000;

// Adds one call's worker-times, but for the join.
void add(shares& to, const sim::execution& e) {
  const double makespan = e.makespan();
  std::vector<double> began(e.workers.size());
  for (std::size_t w = 0; w < began.size(); ++w) began[w] = e.workers[w].left;
  for (const sim::dealt_chunk& d : e.chunks) began[d.worker] = std::min(began[d.worker], d.asked);
  for (std::size_t w = 0; w < began.size(); ++w) {
    const sim::worker_account& account = e.workers[w];
    to.work += account.busy - account.moving;
    to.communication += account.moving;
    to.imbalance += makespan - account.left;
    to.burden += began[w];
    to.synchronisation += std::max(0.0, account.left - began[w] - account.busy);
  }
}

prediction predict(const sim::workload_loop& loop, const sim::machine& on, std::uint32_t workers,
                   const schedules::spec& schedule) {
  constexpr u64 calls_most = 4;
  sim::program calls = sim::program_of(loop);
  calls.loops = std::min(calls.loops, calls_most);
  shares parts;
  double makespans = 0;
  const double time =
      sim::run_program(calls, on, workers, schedule, 1, [&](u64, const sim::execution& e) {
        add(parts, e);
        makespans += e.makespan();
      }).time;
  parts.burden += (time - makespans) * workers;
  const double whole = time * workers;
  for (double* part :
       {&parts.work, &parts.communication, &parts.synchronisation, &parts.imbalance, &parts.burden})
    *part = whole == 0 ? 0 : *part / whole;
  return {schedules::to_text(schedule), time / static_cast<double>(calls.loops), parts};
}

}  // namespace

double advice::saves() const {
  if (!today || today->time_us <= 0) return 0;
  const double predicted = 1 - best.time_us / today->time_us;
  const double call_ns = loop->ran->ns;
  if (call_ns <= 0 || loop->ran->workers != workers) return predicted;
  const double lost = 1 - loop->serial_ns() / (workers * call_ns);
  return std::clamp(lost, 0.0, predicted);
}

advice advise(const sim::workload_loop& loop, const sim::machine& on, std::uint32_t workers,
              const std::function<void(std::string_view)>& before) {
  advice made;
  made.loop = &loop;
  made.workers = workers;
  made.serial_us = loop.serial_ns() / ns_in_us;
  std::vector<prediction> all;
  std::vector<sim::alternative> times;
  const auto consider = [&](const schedules::spec& schedule) {
    all.push_back(predict(loop, on, workers, schedule));
    times.push_back({schedule, all.back().time_us});
  };
  for (const schedules::entry& e : schedules::registry()) {
    schedules::spec how{&e, {}};
    if (loop.ran && loop.ran->chunk > 1) {
      how.given = schedules::params::of_first(1);
      if (schedules::chunk_of(how) != 1) continue;
    }
    before(e.name);
    consider(how);
  }
  if (loop.ran) {
    if (const auto parsed = schedules::parse(loop.ran->schedule)) {
      consider(parsed.value);
      made.today = all.back();
    }
  }
  made.best = all[sim::best_of(times)];
  if (made.today && made.today->time_us <= sim::alike * made.best.time_us) made.best = *made.today;
  return made;
}

std::string text_of_advice(const advice& a) {
  if (!a.pays()) return "run it on one thread";
  if (!a.today) return fmt::format("use {}", a.best.schedule);
  if (!a.changes()) return fmt::format("keep {}", a.best.schedule);
  const std::string saves = percent_text(a.saves());
  if (a.loop->ran->in_source) {
    return fmt::format("{} in its source, in place of {}, would save {}", a.best.schedule,
                       a.loop->ran->schedule, saves);
  }
  return fmt::format("{} would save {}", a.best.schedule, saves);
}

}  // namespace doall::cli
