#include "sim/program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/rng.hpp"
#include "sim/launch.hpp"
#include "sim/memory.hpp"
#include "sim/stealing.hpp"

namespace doall::sim {
namespace {

void expect_enough(const machine& on, std::uint32_t processors) {
  if (processors == 0 || processors > on.processors) {
    throw std::invalid_argument(std::to_string(processors) + " processors of " + on.name +
                                ", expected 1 to " + std::to_string(on.processors));
  }
}

void place(const program& what, const machine& on, memory_system& memory) {
  if (what.home == nullptr) return;
  for (std::uint32_t b = 0; b < what.blocks; ++b) {
    const auto domain = static_cast<std::uint32_t>(what.home(b) * on.domains);
    memory.place(b, std::min(domain, on.domains - 1));
  }
}

// Who comes when to a loop, and how fast: drawn anew for each.
class team {
 public:
  team(const machine& on, std::uint32_t processors, std::uint64_t seed)
      : on_(on),
        launch_(processors, std::max(on.processors / on.domains, 1U), on.messages),
        begins_(launch_.begins()),
        slowness_(on.slowness(processors)),
        dice_(seed) {}

  std::vector<double> arrivals() {
    std::vector<double> all = begins_;
    for (double& at : all) at += on_.spread * draw();
    return all;
  }

  std::vector<double> slowness() {
    std::vector<double> all = slowness_;
    if (on_.jitter == 0) return all;
    for (double& one : all) one *= 1 + on_.jitter * draw();
    return all;
  }

  double joined(const execution& ran) {
    std::vector<double> ends;
    for (const worker_account& w : ran.workers) ends.push_back(w.left);
    return launch_.joined(ends);
  }

  base::rng& dice() { return dice_; }

 private:
  double draw() { return std::ldexp(static_cast<double>(dice_.next() >> 11), -53); }

  const machine& on_;
  launch launch_;
  std::vector<double> begins_;
  std::vector<double> slowness_;
  base::rng dice_;
};

void take(const memory_system& from, program_run& to) {
  to.fetched = from.fetched();
  to.near_bytes = from.near_bytes();
  to.far_bytes = from.far_bytes();
}

// The loop as the only one of a nest, times in the machine's unit.
nest nest_of(const program_loop& loop, double unit) {
  nested_loop made{.iterations = loop.iterations};
  for (u64 i = 0; i < loop.iterations; ++i) made.costs.push_back(unit * loop.costs.of({i, i + 1}));
  return {{{.iterations = 1, .inner = {1}}, std::move(made)}};
}

}  // namespace

program_run run_program(const program& what, const machine& on, std::uint32_t processors,
                        const schedules::spec& schedule, std::uint64_t seed,
                        const loop_watcher& seen) {
  expect_enough(on, processors);
  memory_system memory(on, processors, what.blocks, what.block_bytes);
  place(what, on, memory);
  std::vector<std::unique_ptr<virtual_loop>> sites(what.sites);
  team all_of(on, processors, seed);
  program_run done;
  for (u64 k = 0; k < what.loops; ++k) {
    program_loop loop = what.loop(k);
    loop_setup setup{.schedule = loop.clause.value_or(schedule),
                     .shape = {loop.iterations, processors},
                     .costs = std::move(loop.costs),
                     .unit = on.unit,
                     .uses = std::move(loop.uses),
                     .memory = &memory,
                     .prices = on.sync,
                     .arrivals = all_of.arrivals(),
                     .slowness = all_of.slowness(),
                     .absent = on.absent};
    auto& site = sites[k % what.sites];
    memory.begin_loop();
    if (site == nullptr)
      site = std::make_unique<virtual_loop>(std::move(setup));
    else
      site->change(std::move(setup));
    const execution ran = site->run();
    const worker_account all = ran.total();
    done.time += all_of.joined(ran);
    done.synchronisations += all.local + all.remote + all.central;
    if (seen != nullptr) seen(k, ran);
  }
  take(memory, done);
  return done;
}

program_run run_program_by_stealing(const program& what, const machine& on,
                                    std::uint32_t processors, const schedules::spec& schedule,
                                    std::uint64_t seed, const loop_watcher& seen, goes_on after) {
  expect_enough(on, processors);
  memory_system memory(on, processors, what.blocks, what.block_bytes);
  place(what, on, memory);
  team all_of(on, processors, seed);
  stealing_setup setup{.schedule = schedule,
                       .workers = processors,
                       .prices = on.stealing.scaled(on.unit),
                       .watched = 1,
                       .memory = &memory};
  if (on.sync.central != 0) setup.prices.attempt = setup.prices.report = on.sync.central;
  if (on.sync.stolen != 0) setup.prices.theft = on.sync.stolen;
  program_run done;
  for (u64 k = 0; k < what.loops; ++k) {
    program_loop loop = what.loop(k);
    setup.arrivals = all_of.arrivals();
    for (const std::uint32_t p : on.absent) {
      if (p < processors) setup.arrivals[p] = std::numeric_limits<double>::infinity();
    }
    setup.slowness = all_of.slowness();
    setup.seed = all_of.dice().next();
    setup.uses = loop.uses;
    memory.begin_loop();
    const nest all = nest_of(loop, on.unit);
    setup.prices.attempt_most = all.works()[0] / static_cast<double>(4 * loop.iterations);
    const stealing_result ran = run_by_stealing(all, setup);
    if (after == goes_on::last_one) setup.starter = ran.last;
    done.time += ran.makespan;
    done.synchronisations += ran.total.transactions() + ran.total.claims;
    done.stealing += ran.total;
    if (seen != nullptr) seen(k, ran.watched);
  }
  take(memory, done);
  return done;
}

}  // namespace doall::sim
