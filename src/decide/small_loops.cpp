#include "decide/small_loops.hpp"

#include <algorithm>
#include <limits>

#include "base/clock.hpp"

namespace doall::team {
namespace {

constexpr std::uint8_t runs_a_timing = 16;

// A timing that differs from the others by more than this factor is out of all proportion.
constexpr double out_of_proportion = 4;

constexpr std::uint64_t burden_lasts_ns = 100'000'000;
constexpr std::uint64_t first_retry_ns = 200'000;

// How long a team may take whose workers have to be woken first.
constexpr std::uint64_t team_comes_within_ns = 300'000;
constexpr int empty_runs = 4;

// More than a few workers' burden on most machines, less than any balanced loop takes.
constexpr double unmeasured_burden_ns = 5'000;

// Waking a thread and running it on a core that slept took 50 us on a quiet machine, more on shared
// ones.
constexpr double waking_ns = 50'000;

// No machine shares a loop in less, so shorter ones need not be compared.
constexpr double least_burden_ns = 100;

constexpr double blocks_most_burdens = 20;

// Whether the workers are awake, as far as these decisions can tell. All are independent estimates:
// relaxed, alone.
class crew_sleep {
 public:
  void note_shared(std::uint64_t now_ns) {
    // (1) relaxed; alone: an estimate
    shared_ns_.store(now_ns, sync::relaxed);
  }

  bool may_sleep(std::uint64_t now_ns) const {
    // (2) relaxed; alone: an estimate
    return now_ns - shared_ns_.load(sync::relaxed) > environment().idle_spin_ns;
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

constinit crew_sleep the_crew;

double median_of(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// The burden of sharing among that many workers when none of them sleeps; 0: they did not come.
double burden_of(std::uint32_t workers, sharing_price::measure run_empty) {
  const std::uint64_t start_ns = base::now_ns();
  double least_ns = std::numeric_limits<double>::infinity();
  // The first run in which all take part may have woken the last of them: it does not count.
  for (int complete = 0; complete <= empty_runs;) {
    const empty_run seen = run_empty(workers);
    if (seen.ran == empty_run::by::all_workers) {
      if (++complete > 1) least_ns = std::min(least_ns, seen.ns);
      continue;
    }
    if (seen.ran == empty_run::by::another_team) return 0;
    if (base::now_ns() - start_ns > team_comes_within_ns) return 0;
  }
  return std::max(least_ns, 1.0);
}

}  // namespace

constinit sync::atomic<bool> loop_cost::any_is_frozen_{false};

bool loop_cost::timing_due() {
  if (is_frozen()) return false;
  // (5) relaxed; alone: a lost count times a little later
  const std::uint8_t runs = runs_to_timing_.load(sync::relaxed);
  const bool due = runs == 0;
  // (6) relaxed; alone: as (5)
  runs_to_timing_.store(static_cast<std::uint8_t>(due ? runs_a_timing - 1 : runs - 1),
                        sync::relaxed);
  return due;
}

void loop_cost::time_next() {
  // (7) relaxed; alone: as (5)
  runs_to_timing_.store(0, sync::relaxed);
}

double loop_cost::usual_of_last(std::uint32_t timings) const {
  if (timings == 1) return seen_ns(0);
  if (timings == 2) return std::min(seen_ns(0), seen_ns(1));
  return median_of(seen_ns(0), seen_ns(1), seen_ns(2));
}

void loop_cost::load(double iteration_ns, double burden_ns, std::uint8_t shape) {
  // (29) relaxed; alone: an estimate
  iteration_ns_.store(static_cast<float>(iteration_ns), sync::relaxed);
  note_burden(burden_ns);
  note(shape);
  stand_for_good(standing::loaded);
}

void loop_cost::learn(std::uint64_t iterations, std::uint64_t elapsed_ns) {
  if (iterations == 0 || is_frozen()) return;
  const double now_ns =
      static_cast<double>(std::max<std::uint64_t>(elapsed_ns, 1)) / static_cast<double>(iterations);
  const double before_ns = iteration_ns();
  const std::uint32_t before = timings();
  // (8) relaxed; alone: an estimate
  seen_ns_[before % seen_most].store(static_cast<float>(now_ns), sync::relaxed);
  // (9) relaxed; alone: an estimate
  timings_.store(before + 1, sync::relaxed);
  // (47) relaxed; alone: an estimate
  last_iterations_.store(static_cast<float>(iterations), sync::relaxed);
  // (10) relaxed; alone: an estimate
  iteration_ns_.store(static_cast<float>(usual_of_last(before + 1)), sync::relaxed);
  if (before + 1 < seen_most) return time_next();
  const bool surprising =
      now_ns > out_of_proportion * before_ns || before_ns > out_of_proportion * now_ns;
  // The timing that follows decides, and is not itself followed by another: a site whose loops
  // differ is not timed all the time.
  const bool follows = standing_now() == standing::doubted;
  const bool doubted = surprising && !follows;
  if (doubted != follows) doubt(doubted);
  if (doubted) time_next();
}

void loop_cost::learn_warily(std::uint64_t iterations, std::uint64_t elapsed_ns) {
  if (iterations == 0) return;
  const double now_ns =
      static_cast<double>(std::max<std::uint64_t>(elapsed_ns, 1)) / static_cast<double>(iterations);
  const double before_ns = iteration_ns();
  const bool surprising = before_ns > 0 && now_ns > out_of_proportion * before_ns;
  const bool follows = standing_now() == standing::doubted;
  const bool doubted = surprising && !follows;
  if (doubted != follows) doubt(doubted);
  if (doubted) return time_next();
  const bool usual = before_ns > 0 && !surprising;
  // (15) relaxed; alone: an estimate
  iteration_ns_.store(static_cast<float>(usual ? (before_ns + now_ns) / 2 : now_ns), sync::relaxed);
}

sharing sharing_price::frozen_best(const loop_cost& cost, std::uint64_t iterations,
                                   std::uint32_t workers) {
  const double saved_ns = cost.serial_ns(iterations) * (1 - 1.0 / workers);
  const double burden_here_ns = cost.burden_ns();
  if (saved_ns < least_burden_ns || saved_ns <= burden_here_ns) return sharing::none;
  return saved_ns < blocks_most_burdens * burden_here_ns ? sharing::in_blocks : sharing::balanced;
}

double sharing_price::measured_ns(std::uint32_t workers) {
  return burden_ns(workers, base::now_ns());
}

double sharing_price::known_ns(std::uint32_t workers) {
  // (17) relaxed; alone: an estimate
  const double known_ns = burden_for(workers).ns.load(sync::relaxed);
  return known_ns > 0 ? known_ns : unmeasured_burden_ns;
}

double sharing_price::longest_alone_ns(std::uint32_t workers) {
  if (workers == 1) return 0;
  // (53) relaxed; alone: an estimate
  return burden_for(workers).ns.load(sync::relaxed) / (1 - 1.0 / workers);
}

sharing sharing_price::best(double serial_ns, std::uint32_t workers, age of_burden) {
  const double saved_ns = serial_ns * (1 - 1.0 / workers);
  if (saved_ns < least_burden_ns) return sharing::none;
  // (24) relaxed; alone: an estimate
  if (of_burden == age::ignored && saved_ns <= burden_for(workers).ns.load(sync::relaxed))
    return sharing::none;
  const std::uint64_t now_ns = base::now_ns();
  const double burden_here_ns = burden_ns(workers, now_ns);
  const double gain_ns = saved_ns - burden_here_ns;
  if (gain_ns <= 0) return sharing::none;
  if (the_crew.may_sleep(now_ns) && !the_crew.pays_for_waking(gain_ns)) return sharing::none;
  the_crew.note_shared(now_ns);
  return saved_ns < blocks_most_burdens * burden_here_ns ? sharing::in_blocks : sharing::balanced;
}

bool sharing_price::balances(double serial_ns, std::uint32_t workers) {
  const double saved_ns = serial_ns * (1 - 1.0 / workers);
  if (saved_ns < blocks_most_burdens * least_burden_ns) return false;
  return saved_ns >= blocks_most_burdens * burden_ns(workers, base::now_ns());
}

double sharing_price::burden_ns(std::uint32_t workers, std::uint64_t now_ns) {
  burden& of = burden_for(workers);
  // (16) relaxed; alone: an estimate
  if (now_ns > of.until_ns.load(sync::relaxed)) measure_again(of, workers, now_ns);
  return known_ns(workers);
}

void sharing_price::measure_again(burden& of, std::uint32_t workers, std::uint64_t now_ns) {
  // (18) relaxed; alone: an estimate. First, so that one thread measures and not all.
  of.until_ns.store(now_ns + burden_lasts_ns, sync::relaxed);
  const double measured_ns = burden_of(workers, run_empty_);
  const std::uint64_t ended_ns = base::now_ns();
  if (measured_ns > 0) {
    // (19) relaxed; alone: an estimate
    of.ns.store(measured_ns, sync::relaxed);
    // (20) relaxed; alone: an estimate
    of.failures.store(0, sync::relaxed);
    the_crew.note_shared(ended_ns);  // they were woken to measure
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

}  // namespace doall::team
