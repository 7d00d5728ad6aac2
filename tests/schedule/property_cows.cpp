// COWS's three on random costs and interleavings: each iteration is dealt once, and no worker is
// told that nothing is left while a list still has min unreserved iterations.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "schedule/dispatch.hpp"
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

constexpr std::uint32_t cows_workers_most = 24;

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
        least_(std::max<u64>(2, min_of(loop) == 0 ? 5 : min_of(loop))),
        walks_(loop.shape.workers) {
    for (std::uint32_t w = 0; w < loop.shape.workers; ++w) {
      walks_[w] = {.object = &schedule_,
                   .me = {w, 0},
                   .source = {.last = loop.shape.iterations},
                   .iterations = loop.shape.iterations,
                   .otherwise = [](schedules::range_walk&, u64*, u64*) { return false; }};
    }
  }

  chunk ask(std::uint32_t w, u64 turn) { return schedule_.next({w, turn}, {}); }

  // As doors ask: own chunks may be planned. Of an ordinary chunk it is not known whether it was
  // stolen.
  chunk ask_for_range(std::uint32_t w) {
    chunk ordinary;
    schedules::range_walk& walk = walks_[w];
    const bool is_ordinary =
        schedules::next_range_of<Schedule>(walk, &ordinary.begin, &ordinary.end);
    return is_ordinary ? ordinary : walk.rest;
  }

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
  std::vector<schedules::range_walk> walks_;  // of the workers
};

// A random loop, and how it is to be dealt.
struct random_loop {
  loop_shape shape;
  schedules::cows_options asked;
  cost_kind kind;
  std::vector<u64> sums;
  std::vector<u64> by_owner;
  cost_sums costs;
  schedules::params given;
  u64 epoch;

  random_loop(base::rng& random, schedules::dealing order) {
    shape = {random.below(random.below(4) == 0 ? 1500 : 150),
             static_cast<std::uint32_t>(1 + random.below(cows_workers_most))};
    kind = static_cast<cost_kind>(random.below(static_cast<u64>(cost_kind::count)));
    const std::vector<u64> each = costs_of(random, kind, shape.iterations);
    sums.resize(shape.iterations + 1);
    for (u64 i = 0; i < shape.iterations; ++i) sums[i + 1] = sums[i] + each[i];
    epoch = 1 + random.below(1000);
    asked.c = random.below(3) == 0 ? 0 : 1 + random.below(random.below(2) == 0 ? 2 : 12);
    asked.min = random.below(2) == 0 ? 0 : 1 + random.below(12);
    asked.assign = random.below(4);
    given = schedules::params::of(asked, order);
    const schedules::cyclic_lists lists(shape, given);
    by_owner.resize(costs_by_owner::entries(lists));
    const cost_sums plain(sums.data(), shape.iterations);
    costs_by_owner::sum_up(costs_by_owner::in_dealt_order(plain, given), lists, by_owner.data());
    costs = plain.with(by_owner.data());
  }

  loop_context context(worker_line* lines) const {
    return {.shape = shape, .given = given, .lines = lines, .epoch = epoch, .costs = costs};
  }

  std::string to_text() const {
    return std::to_string(shape.iterations) + " iterations, " + std::to_string(shape.workers) +
           " workers, c " + std::to_string(asked.c) + ", min " + std::to_string(asked.min) +
           ", assign " + std::to_string(asked.assign) + ", costs " +
           std::to_string(static_cast<int>(kind));
  }
};

template <class Schedule>
void run_case(base::rng& random, schedules::dealing order = schedules::in_order) {
  const random_loop made(random, order);
  const loop_shape shape = made.shape;
  const auto lines = std::make_unique<worker_line[]>(shape.workers);
  const auto comers = random.below(4) == 0
                          ? 1 + static_cast<std::uint32_t>(random.below(shape.workers))
                          : shape.workers;
  SCOPED_TRACE(made.to_text());

  driven_loop<Schedule> loop(made.context(lines.get()));
  ledger dealt(shape.iterations);
  u64 stolen = 0;
  bool somebody_left = false;
  interleaving turns(random, shape.workers, comers);
  u64 turn = 0;
  const u64 ways = random.below(3);  // all ask for chunks, all for ranges, or each its own way
  for (std::uint32_t w = turns.next(); w != interleaving::nobody; w = turns.next()) {
    const bool for_range = ways == 1 || (ways == 2 && w % 2 == 0);
    const chunk c = for_range ? loop.ask_for_range(w) : loop.ask(w, turn);
    ++turn;
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

// Plans change nothing: chunk by chunk, whoever asks next, and whatever was stolen meanwhile,
// ranges are what next() would have dealt.
template <class Schedule>
void compare_ranges(base::rng& random) {
  const random_loop made(random, schedules::in_order);
  const std::uint32_t workers = made.shape.workers;
  SCOPED_TRACE(made.to_text());
  const auto lines = std::make_unique<worker_line[]>(workers);
  const auto lines_of_ranges = std::make_unique<worker_line[]>(workers);
  driven_loop<Schedule> loop(made.context(lines.get()));
  driven_loop<Schedule> by_ranges(made.context(lines_of_ranges.get()));
  std::vector<u64> turns(workers);
  interleaving order(random, workers, workers);
  for (std::uint32_t w = order.next(); w != interleaving::nobody; w = order.next()) {
    const chunk wanted = loop.ask(w, turns[w]++);
    const chunk got = by_ranges.ask_for_range(w);
    ASSERT_EQ(got.empty(), wanted.empty());
    if (wanted.empty()) {
      order.leave();
      continue;
    }
    ASSERT_EQ(got.begin, wanted.begin) << "turn " << turns[w] << " of worker " << w;
    ASSERT_EQ(got.end, wanted.end) << "turn " << turns[w] << " of worker " << w;
    ASSERT_EQ(got.step, wanted.step);
  }
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

TEST(Cows, RangesAreWhatNextDeals) {
  for_each_case(2000, [](base::rng& random) {
    compare_ranges<schedules::wsr>(random);
    compare_ranges<schedules::wsri>(random);
    compare_ranges<schedules::wsrw>(random);
  });
}

TEST(Cows, NobodyStopsWhileWsrHasAVictim) { run_cases<schedules::wsr>(); }
TEST(Cows, NobodyStopsWhileWsriHasAVictim) { run_cases<schedules::wsri>(); }
TEST(Cows, NobodyStopsWhileWsrwHasAVictim) { run_cases<schedules::wsrw>(); }

}  // namespace
}  // namespace doall::tests
