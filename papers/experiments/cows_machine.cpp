#include "experiments/cows_machine.hpp"

#include <doall/doall.hpp>

#include <algorithm>

#include "base/rng.hpp"
#include "sim/virtual_time.hpp"

namespace doall::bench {
namespace {

// A schedule that leaves, when its loop is done, how often its workers have tried to steal: virtual
// time keeps the object to itself, but calls the entry's finish().
class watched_schedule {
 public:
  explicit watched_schedule(const std::string& text) : spec_(schedules::parse(text).value) {
    if (spec_.which->forward.steals_tried == nullptr) return;
    entry_ = *spec_.which;
    tried_by_ = entry_.forward.steals_tried;
    entry_.forward.finish = [](void* object) { tried_ = running_->tried_by_(object); };
    spec_.which = &entry_;
  }
  watched_schedule(const watched_schedule&) = delete;
  watched_schedule& operator=(const watched_schedule&) = delete;

  const schedules::spec& spec() const { return spec_; }

  // On this thread, and how often was tried.
  sim::execution run(sim::virtual_loop& loop, std::uint64_t& tried) const {
    running_ = this;
    tried_ = 0;
    sim::execution done = loop.run();
    tried = tried_;
    return done;
  }

 private:
  static thread_local const watched_schedule* running_;
  static thread_local std::uint64_t tried_;

  schedules::spec spec_;
  schedules::entry entry_{};
  std::uint64_t (*tried_by_)(const void*) = nullptr;
};

thread_local const watched_schedule* watched_schedule::running_ = nullptr;
thread_local std::uint64_t watched_schedule::tried_ = 0;

bool looks_at_all(const std::string& text) {
  return text.starts_with("wsri") || text.starts_with("wsrw");
}

std::vector<double> arrivals_of(unsigned seed, std::uint32_t workers, double late) {
  base::rng random(seed);
  std::vector<double> all(workers);
  constexpr std::uint64_t steps = 1 << 20;
  for (std::uint32_t w = 1; w < workers; ++w) {
    all[w] = late * static_cast<double>(random.below(steps)) / steps;
  }
  return all;
}

std::vector<double> slowness_of(unsigned seed, std::uint32_t workers, double jitter) {
  std::vector<double> all = arrivals_of(~seed, workers, jitter);
  for (double& one : all) one += 1;
  return all;
}

// Balance differs from seed to seed only where there are thieves.
unsigned balance_seeds_of(const std::string& schedule, unsigned seeds) {
  return schedule.starts_with("wsr") ? seeds : 1;
}

double largest_reservation(const sim::execution& done) {
  double largest = 0;
  for (const sim::dealt_chunk& c : done.chunks) largest = std::max(largest, c.finished - c.started);
  return largest;
}

executed_cost executed_in(const sim::execution& done) {
  const double mean = done.total().busy / static_cast<double>(done.workers.size());
  return {.busiest = std::ranges::max(done.workers, {}, &sim::worker_account::busy).busy,
          .mean = mean,
          .bound = std::max(mean, largest_reservation(done))};
}

sim::sync_prices prices_of(const machine_prices& prices, const std::string& schedule,
                           std::uint32_t workers) {
  sim::sync_prices made{
      .own = prices.own,
      .central = prices.central,
      .stolen = prices.stolen + (looks_at_all(schedule) ? workers * prices.look : prices.look)};
  if (!schedule.starts_with("wsr")) return made;
  if (!schedule.starts_with("wsrw")) made.own = prices.own_by_number.value_or(prices.own);
  if (prices.locks_in_line == 1) return made;
  made.again = prices.own_again * made.own;
  made.served = prices.own_served * made.own;
  made.own_in_line = prices.locks_in_line;
  return made;
}

// All workers come within less than a look, in an order that the seed says.
executed_cost worst_balance(sim::virtual_loop& loop, sim::loop_setup setup, unsigned seeds) {
  constexpr double at_once = 0.5;
  executed_cost worst;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    setup.arrivals = arrivals_of(seed, setup.shape.workers, at_once);
    loop.change(setup);
    const executed_cost one = executed_in(loop.run());
    if (seed == 1 || one.over_bound() > worst.over_bound()) worst = one;
  }
  return worst;
}

}  // namespace

unsigned seeds_of(const std::string& schedule, unsigned seeds) {
  return schedule == "dynamic" ? std::max(1U, seeds / 10) : seeds;
}

machine::cell machine::cell_of(const recorded_loop& loop, const std::string& schedule,
                               std::uint32_t workers) const {
  const std::string instead = asked_.by(loop, schedule);
  return {loop.fingerprint, workers, instead,
          loop.kind == loop_kind::guarded && instead != schedule};
}

machine_figures machine::run_one(const recorded_costs& costs, const cell& how_run) const {
  const std::string& schedule = how_run.schedule;
  const std::uint32_t workers = how_run.workers;
  const machine_prices& prices = asked_.prices;
  const watched_schedule how(schedule);
  sim::loop_setup setup{.schedule = how.spec(),
                        .shape = {costs.iterations, workers},
                        .costs = costs.each.empty() ? sim::iteration_costs(asked_.uniform_cost)
                                                    : sim::iteration_costs(costs.each),
                        .costs_guarded = how_run.guarded,
                        .estimated = costs.estimated.empty()
                                         ? std::nullopt
                                         : std::optional(sim::iteration_costs(costs.estimated)),
                        .prices = prices_of(prices, schedule, workers)};
  sim::virtual_loop loop(setup);
  const unsigned seeds = seeds_of(schedule, asked_.seeds);
  machine_figures made;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    setup.arrivals = arrivals_of(seed, workers, prices.late);
    setup.slowness.clear();
    if (prices.jitter != 0 && !costs.each.empty()) {
      setup.slowness = slowness_of(seed, workers, prices.jitter);
    }
    if (!asked_.slowness.empty()) {
      setup.slowness.resize(workers, 1);
      for (std::uint32_t w = 0; w < workers; ++w) setup.slowness[w] *= asked_.slowness[w];
    }
    loop.change(setup);
    std::uint64_t tried = 0;
    const sim::execution done = how.run(loop, tried);
    const sim::worker_account all = done.total();
    const double moved = sim::stolen_part(done) * static_cast<double>(costs.iterations);
    const double failed = static_cast<double>(tried) - static_cast<double>(all.remote);
    made.makespan += (all.left + (prices.moved * moved + prices.failed * failed) / workers) / seeds;
    made.steals += static_cast<double>(all.remote) / seeds;
    made.tried += static_cast<double>(tried) / seeds;
  }
  if (asked_.judges_balance)
    made.executed = worst_balance(loop, setup, balance_seeds_of(schedule, asked_.seeds));
  return made;
}

void machine::run(const std::vector<recorded_loop>& loops) {
  struct task {
    cell key;
    const recorded_costs* costs;
    machine_figures made = {};
  };
  std::vector<task> tasks;
  // The schedules with most chunks first: they take longest.
  for (const std::string& schedule : asked_.schedules) {
    for (const recorded_loop& loop : loops) {
      for (const std::uint32_t workers : asked_.workers) {
        cell key = cell_of(loop, schedule, workers);
        if (done_.contains(key) || std::ranges::find(tasks, key, &task::key) != tasks.end()) {
          continue;
        }
        tasks.push_back({std::move(key), loop.costs.get()});
      }
    }
  }
  parallel_for(
      std::size_t{0}, tasks.size(),
      [&](std::size_t i) {
        task& one = tasks[i];
        one.made = run_one(*one.costs, one.key);
      },
      schedule::dynamic());
  for (task& one : tasks) done_[std::move(one.key)] = one.made;
}

machine_figures machine::of(const std::vector<recorded_loop>& loops, const std::string& schedule,
                            std::uint32_t workers) const {
  machine_figures all;
  for (const recorded_loop& loop : loops) {
    const machine_figures& one = done_.at(cell_of(loop, schedule, workers));
    all.makespan += loop.times * one.makespan;
    all.steals += loop.times * one.steals;
    all.tried += loop.times * one.tried;
    if (loop.kind == loop_kind::costed) all.costed_steals += loop.times * one.steals;
    if (loop.kind == loop_kind::uniform) continue;
    all.executed.busiest += loop.times * one.executed.busiest;
    all.executed.mean += loop.times * one.executed.mean;
    all.executed.bound += loop.times * one.executed.bound;
  }
  return all;
}

}  // namespace doall::bench
