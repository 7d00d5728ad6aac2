#include "team/small_loops.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/clock.hpp"
#include "team/settings.hpp"

namespace doall::team {
namespace {

constexpr std::uint32_t runs_a_timing = 16;
constexpr std::uint64_t burden_lasts_ns = 100'000'000;

// Waking a thread and running it on a core that slept: 50 us were seen in quiet,
// more on machines that are shared.
constexpr double waking_ns = 50'000;

// No machine shares a loop in less, so shorter ones need not be compared.
constexpr double least_burden_ns = 100;

constexpr double blocks_most_burdens = 20;

std::array<loop_cost, 512> sites;

using measure = double (*)(std::uint32_t workers);

// What sharing a loop costs that many workers when none of them sleeps.
double burden_of(std::uint32_t workers, measure measure_ns) {
  measure_ns(workers);  // wakes them
  double least_ns = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 4; ++i) least_ns = std::min(least_ns, measure_ns(workers));
  return least_ns;
}

// What sharing costs, as it was last measured, and whether the workers are awake, as
// far as this gate knows. All of it estimates, each good by itself: relaxed, alone.
class crew_price {
 public:
  sharing best(double saved_ns, std::uint32_t workers, measure measure_ns) {
    const std::uint64_t now_ns = base::now_ns();
    const double burden_here_ns = burden_ns(workers, now_ns, measure_ns);
    const double gain_ns = saved_ns - burden_here_ns;
    if (gain_ns <= 0) return sharing::none;
    // (1) relaxed; alone: an estimate
    const std::uint64_t idle_ns = now_ns - shared_ns_.load(sync::relaxed);
    if (idle_ns > environment().idle_spin_ns && !pays_for_waking(gain_ns)) {
      return sharing::none;
    }
    // (2) relaxed; alone: an estimate
    shared_ns_.store(now_ns, sync::relaxed);
    return saved_ns < blocks_most_burdens * burden_here_ns ? sharing::in_blocks : sharing::balanced;
  }

 private:
  double burden_ns(std::uint32_t workers, std::uint64_t now_ns, measure measure_ns) {
    // (3) relaxed; alone: an estimate
    const std::uint64_t age_ns = now_ns - measured_ns_.load(sync::relaxed);
    // (4) relaxed; alone: an estimate
    if (age_ns > burden_lasts_ns || workers_.load(sync::relaxed) != workers) {
      // (5) relaxed; alone: an estimate. First, so that one thread measures and not all.
      measured_ns_.store(now_ns, sync::relaxed);
      // (6) relaxed; alone: an estimate
      workers_.store(workers, sync::relaxed);
      // (7) relaxed; alone: an estimate
      burden_ns_.store(burden_of(workers, measure_ns), sync::relaxed);
      // (8) relaxed; alone: an estimate. They were woken to measure.
      shared_ns_.store(base::now_ns(), sync::relaxed);
    }
    // (9) relaxed; alone: an estimate
    return burden_ns_.load(sync::relaxed);
  }

  // Adds what is lost by running alone; whether all that was lost pays for waking.
  bool pays_for_waking(double gain_ns) {
    // (10) relaxed; alone: a lost addition buys a little later
    const double sum_ns = lost_ns_.load(sync::relaxed) + gain_ns;
    const bool enough = sum_ns > waking_ns;
    // (11) relaxed; alone: as (10)
    lost_ns_.store(enough ? 0 : sum_ns, sync::relaxed);
    return enough;
  }

  sync::atomic<std::uint32_t> workers_{0};
  sync::atomic<std::uint64_t> measured_ns_{0};
  sync::atomic<std::uint64_t> shared_ns_{0};
  sync::atomic<double> burden_ns_{0};
  sync::atomic<double> lost_ns_{0};
};

constinit crew_price the_crew;

}  // namespace

loop_cost& cost_of(const void* code) {
  auto mixed = reinterpret_cast<std::uintptr_t>(code) * 0x9e3779b97f4a7c15;
  loop_cost& found = sites[(mixed >> 32) % sites.size()];
  // (12) relaxed; alone: see the header on words of two sites
  if (found.site_.load(sync::relaxed) != code) {
    // (13) relaxed; alone: as (12)
    found.iteration_ns_.store(0, sync::relaxed);
    // (14) relaxed; alone: as (12)
    found.runs_.store(0, sync::relaxed);
    // (15) relaxed; alone: as (12)
    found.site_.store(code, sync::relaxed);
  }
  return found;
}

bool loop_cost::timing_due() {
  // (16) relaxed; alone: a lost count times a little later
  const std::uint32_t run = runs_.load(sync::relaxed);
  // (17) relaxed; alone: as (16)
  runs_.store(run + 1, sync::relaxed);
  return run % runs_a_timing == 0;
}

void loop_cost::learn(std::uint64_t iterations, std::uint64_t elapsed_ns) {
  if (iterations == 0) return;
  const double seen_ns =
      static_cast<double>(std::max<std::uint64_t>(elapsed_ns, 1)) / static_cast<double>(iterations);
  const double before_ns = iteration_ns();
  const bool surprising = before_ns > 0 && seen_ns > 4 * before_ns;
  // (18) relaxed; alone: an estimate
  if (surprising && !doubted_.exchange(true, sync::relaxed)) {
    // (19) relaxed; alone: as (16)
    runs_.store(0, sync::relaxed);
    return;
  }
  // (20) relaxed; alone: an estimate
  doubted_.store(false, sync::relaxed);
  const bool usual = before_ns > 0 && !surprising;
  // (21) relaxed; alone: an estimate
  iteration_ns_.store(usual ? (before_ns + seen_ns) / 2 : seen_ns, sync::relaxed);
}

sharing best_sharing(double serial_ns, std::uint32_t workers, measure measure_ns) {
  const double saved_ns = serial_ns * (1 - 1.0 / workers);
  if (saved_ns < least_burden_ns) return sharing::none;
  return the_crew.best(saved_ns, workers, measure_ns);
}

}  // namespace doall::team
