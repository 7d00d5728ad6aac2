#include "decide/burdens.hpp"

#include <limits>

#include "base/clock.hpp"
#include "decide/constants.hpp"

namespace doall::decide {
namespace {

// Whether the workers are awake, as far as these decisions can tell. All are independent estimates:
// relaxed, alone.
class pool_sleep {
 public:
  void note_shared(std::uint64_t now_ns) {
    // (1) relaxed; alone: an estimate
    shared_ns_.store(now_ns, sync::relaxed);
  }

  bool may_sleep(std::uint64_t now_ns, std::uint64_t idle_spin_ns) const {
    // (2) relaxed; alone: an estimate
    return now_ns - shared_ns_.load(sync::relaxed) > idle_spin_ns;
  }

  // Adds what running alone loses; returns whether the sum pays for waking.
  bool pays_for_waking(double gain_ns) {
    // (3) relaxed; alone: a lost addition buys a little later
    const double sum_ns = lost_ns_.load(sync::relaxed) + gain_ns;
    const bool enough = sum_ns > waking_ns;
    // (4) relaxed; alone: as (3)
    lost_ns_.store(enough ? 0 : sum_ns, sync::relaxed);
    return enough;
  }

 private:
  sync::atomic<std::uint64_t> shared_ns_{0};
  sync::atomic<double> lost_ns_{0};
};

constinit pool_sleep the_pool;

// What complete runs took.
struct complete_runs {
  double least_ns = std::numeric_limits<double>::infinity();
  int runs = 0;  // 0: the workers did not come
};

// Runs empty loops on that many workers. The first run in which all take part may have woken the
// last of them: it does not count.
complete_runs run_complete(std::uint32_t workers, burdens::measure run_empty) {
  const std::uint64_t start_ns = base::now_ns();
  complete_runs seen;
  for (bool awake = false; seen.runs < empty_runs;) {
    const empty_run now = run_empty(workers);
    if (now.ran == empty_run::by::another_team) return {};
    if (now.ran == empty_run::by::all_workers) {
      if (awake) {
        seen.least_ns = std::min(seen.least_ns, std::max(now.ns, 1.0));
        ++seen.runs;
      }
      awake = true;
    }
    const bool is_late = base::now_ns() - start_ns > team_comes_within_ns;
    if (is_late && (seen.runs > 0 || now.ran == empty_run::by::late_workers)) break;
  }
  return seen;
}

}  // namespace

double burdens::measured_ns(std::uint32_t workers) {
  const std::uint64_t now_ns = base::now_ns();
  burden& of = burden_for(workers);
  // (16) relaxed; alone: an estimate
  if (now_ns > of.until_ns.load(sync::relaxed)) measure_again(of, workers, now_ns);
  return known_ns(workers);
}

double burdens::known_ns(std::uint32_t workers) {
  // (17) relaxed; alone: an estimate
  const double known_ns = burden_for(workers).ns.load(sync::relaxed);
  return known_ns > 0 ? known_ns : unmeasured_burden_ns;
}

bool burdens::wakes(double gain_ns) {
  const std::uint64_t now_ns = base::now_ns();
  if (the_pool.may_sleep(now_ns, idle_spin_ns_()) && !the_pool.pays_for_waking(gain_ns))
    return false;
  the_pool.note_shared(now_ns);
  return true;
}

void burdens::measure_again(burden& of, std::uint32_t workers, std::uint64_t now_ns) {
  // (18) relaxed; alone: an estimate. First, so that one thread measures and not all.
  of.until_ns.store(now_ns + burden_lasts_ns, sync::relaxed);
  const complete_runs seen = run_complete(workers, run_empty_);
  const std::uint64_t ended_ns = base::now_ns();
  if (seen.runs > 0) {
    // In each of a few long runs a thread may have been preempted: they are believed step by step.
    const double most_ns =
        seen.runs == empty_runs ? seen.least_ns : unsure_times * known_ns(workers);
    // (19) relaxed; alone: an estimate
    of.ns.store(std::min(seen.least_ns, most_ns), sync::relaxed);
    const std::uint64_t took_ns = ended_ns - now_ns;
    // (24) relaxed; alone: an estimate
    of.until_ns.store(ended_ns + std::max(burden_lasts_ns, took_ns * burden_lasts_times),
                      sync::relaxed);
    // (20) relaxed; alone: an estimate
    of.failures.store(0, sync::relaxed);
    the_pool.note_shared(ended_ns);  // they were woken to measure
    return;
  }
  // (21) relaxed; alone: an estimate
  const std::uint32_t failures = of.failures.load(sync::relaxed);
  // (22) relaxed; alone: an estimate
  of.failures.store(failures + 1, sync::relaxed);
  const std::uint64_t wait_ns = first_retry_ns << std::min(failures, 10U);
  // (23) relaxed; alone: an estimate
  of.until_ns.store(ended_ns + std::min(wait_ns, burden_lasts_ns), sync::relaxed);
}

}  // namespace doall::decide
