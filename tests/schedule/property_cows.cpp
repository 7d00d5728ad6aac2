// COWS's three on random costs and interleavings: each iteration is dealt once, and no worker is
// told that nothing is left while a list still has min unreserved iterations.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "schedule/reversed.hpp"
#include "schedule/wsr.hpp"
#include "schedule/wsri.hpp"
#include "schedule/wsrw.hpp"
#include "support/hand_driver.hpp"
#include "support/interleaving.hpp"
#include "support/ledger.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::cost_sums;
using schedules::costs_by_owner;
using schedules::loop_context;
using schedules::origin;
using schedules::worker_line;

constexpr std::uint32_t workers_most = 24;

enum class cost_kind { uniform, power_law, one_giant, all_zero, rising, falling, count };

std::vector<u64> costs_of(base::rng& random, cost_kind kind, u64 iterations) {
  std::vector<u64> costs(iterations, 1);
  // Few are large: a cost above x has a probability of about 1 / x.
  const auto power_law = [&] { return (u64{1} << 20) / (1 + random.below(u64{1} << 20)); };
  switch (kind) {
    case cost_kind::uniform: break;
    case cost_kind::one_giant:
      if (iterations != 0) costs[random.below(iterations)] = u64{1} << 40;
      break;
    case cost_kind::all_zero: std::ranges::fill(costs, 0); break;
    default: std::ranges::generate(costs, power_law);
  }
  if (kind == cost_kind::rising) std::ranges::sort(costs);
  if (kind == cost_kind::falling) std::ranges::sort(costs, std::greater());
  return costs;
}

u64 min_of(const loop_context& loop) { return loop.given.as<schedules::cows_options>().min; }

// A loop of one of the three, and its workers' lines.
template <class Schedule>
class driven_loop {
 public:
  driven_loop(const loop_context& loop)
      : schedule_(loop),
        lists_(loop),
        context_(loop),
        least_(std::max<u64>(2, min_of(loop) == 0 ? 5 : min_of(loop))) {}

  chunk ask(std::uint32_t w, u64 turn) { return schedule_.next({w, turn}, {}); }

  void expect_nothing_to_steal() const {
    for (std::uint32_t w = 0; w < context_.shape.workers; ++w) {
      worker_line& line = context_.lines[w];
      const bool is_ready = line.touch.look(context_.epoch) == base::first_touch::state::ready;
      const schedules::range left =
          is_ready ? schedules::stealable_run(line.word[0]).look() : lists_.of(w, read_costs());
      ASSERT_LT(left.size(), least_) << "left with worker " << w;
    }
  }

  u64 steals_tried() const { return schedule_.steals_tried(); }

 private:
  // Of the three, wsr alone never reads costs. In reverse all three begin with the last iterations.
  cost_sums read_costs() const {
    using schedules::wsr;
    constexpr bool never =
        std::is_same_v<Schedule, wsr> || std::is_same_v<Schedule, schedules::reversed<wsr>>;
    if (never) return {};
    return costs_by_owner::in_dealt_order(context_.costs, context_.given);
  }

  Schedule schedule_;
  schedules::initial_lists lists_;
  loop_context context_;
  u64 least_;
};

template <class Schedule>
void run_case(base::rng& random, schedules::dealing order = schedules::in_order) {
  const loop_shape shape{random.below(random.below(4) == 0 ? 1500 : 150),
                         static_cast<std::uint32_t>(1 + random.below(workers_most))};
  const auto kind = static_cast<cost_kind>(random.below(static_cast<u64>(cost_kind::count)));
  const std::vector<u64> costs = costs_of(random, kind, shape.iterations);
  std::vector<u64> sums(shape.iterations + 1);
  for (u64 i = 0; i < shape.iterations; ++i) sums[i + 1] = sums[i] + costs[i];

  const auto lines = std::make_unique<worker_line[]>(shape.workers);
  loop_context context{.shape = shape, .lines = lines.get(), .epoch = 1 + random.below(1000)};
  schedules::cows_options asked;
  asked.c = random.below(3) == 0 ? 0 : 1 + random.below(random.below(2) == 0 ? 2 : 12);
  asked.min = random.below(2) == 0 ? 0 : 1 + random.below(12);
  asked.assign = random.below(4);
  context.given = schedules::params::of(asked, order);
  const schedules::cyclic_lists lists(shape, context.given);
  std::vector<u64> by_owner(costs_by_owner::entries(lists));
  const cost_sums plain(sums.data(), shape.iterations);
  costs_by_owner::sum_up(costs_by_owner::in_dealt_order(plain, context.given), lists,
                         by_owner.data());
  context.costs = plain.with(by_owner.data());
  const auto comers = random.below(4) == 0
                          ? 1 + static_cast<std::uint32_t>(random.below(shape.workers))
                          : shape.workers;
  SCOPED_TRACE(std::to_string(shape.iterations) + " iterations, " + std::to_string(shape.workers) +
               " workers, c " + std::to_string(asked.c) + ", min " + std::to_string(asked.min) +
               ", assign " + std::to_string(asked.assign) + ", costs " +
               std::to_string(static_cast<int>(kind)));

  driven_loop<Schedule> loop(context);
  ledger dealt(shape.iterations);
  u64 stolen = 0;
  bool somebody_left = false;
  interleaving turns(random, shape.workers, comers);
  u64 turn = 0;
  for (std::uint32_t w = turns.next(); w != interleaving::nobody; w = turns.next()) {
    const chunk c = loop.ask(w, turn++);
    dealt.record(c);
    ASSERT_LE(turn, shape.iterations + comers) << "a chunk without an iteration";
    if (c.empty()) {
      somebody_left = true;
      loop.expect_nothing_to_steal();
      turns.leave();
    } else if (c.from == origin::stolen) {
      ++stolen;
      ASSERT_FALSE(somebody_left) << "from worker " << c.victim << ", after somebody was sent away";
    }
    if (testing::Test::HasFailure()) return;
  }
  dealt.expect_each(comers == shape.workers ? 1 : 0, 1);
  ASSERT_GE(loop.steals_tried(), stolen);
}

template <class Schedule>
void run_cases() {
  for_each_case(2000, [](base::rng& random) {
    if (random.below(4) == 0) {
      run_case<schedules::reversed<Schedule>>(random, schedules::in_reverse);
    } else {
      run_case<Schedule>(random);
    }
  });
}

TEST(Cows, NobodyStopsWhileWsrHasAVictim) { run_cases<schedules::wsr>(); }
TEST(Cows, NobodyStopsWhileWsriHasAVictim) { run_cases<schedules::wsri>(); }
TEST(Cows, NobodyStopsWhileWsrwHasAVictim) { run_cases<schedules::wsrw>(); }

}  // namespace
}  // namespace doall::tests
