// wsrw, and the sums by owner that it goes by: whose iterations cost most, and where half of that
// is.

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "schedule/wsrw.hpp"
#include "support/costed_loop.hpp"
#include "support/hand_driver.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::cost_sums;
using schedules::costs_by_owner;
using schedules::initial_lists;
using schedules::loop_context;
using schedules::range;
using schedules::worker_line;

using sizes = std::vector<u64>;

// Worker 1 has 19 iterations left that cost 19, worker 2 has 10 that cost 100; at first their lists
// cost the same.
TEST(Wsrw, RobsWhoseIterationsLeftCostMost) {
  for (const char* const assign : {"cyclic", "block"}) {
    SCOPED_TRACE(assign);
    const bool cyclic = std::string(assign) == "cyclic";
    std::vector<u64> costs(60);
    for (u64 x = 0; x < 20; ++x) {
      const u64 of_lists[] = {6, x == 0 ? 101U : 1U, x < 10 ? 2U : 10U};
      for (u64 w = 0; w < 3; ++w) costs[cyclic ? w + 3 * x : 20 * w + x] = of_lists[w];
    }
    costed_loop loop("wsrw,1,assign=" + std::string(assign), 3, costs);
    ask_often(loop.driver, 0, 20);
    ask_often(loop.driver, 1, 1);
    ask_often(loop.driver, 2, 10);
    const chunk taken = loop.driver.ask(0);
    EXPECT_EQ(taken.victim, 2U);
    EXPECT_EQ(taken.begin, cyclic ? 2 + 3 * 15U : 55U);
  }
}

// What a thief gets of worker 1, who has not come.
sizes stolen_of(const std::vector<u64>& costs_of_one,
                std::string_view what = "wsrw,1,min=2,assign=cyclic") {
  std::vector<u64> costs;
  for (const u64 cost : costs_of_one) costs.insert(costs.end(), {1, cost});
  costed_loop loop(what, 2, costs);
  ask_often(loop.driver, 0, static_cast<int>(costs_of_one.size()));
  const u64 before = costs_of_one.size();
  const u64 first = loop.driver.ask(0).begin / 2;
  sizes taken(before - first);
  std::iota(taken.begin(), taken.end(), first);
  return taken;
}

TEST(Wsrw, CutsWhereTheVictimKeepsHalfOfTheCost) {
  EXPECT_EQ(stolen_of({1, 1, 1, 1, 1, 1}), (sizes{3, 4, 5}));
  EXPECT_EQ(stolen_of({1, 1, 1, 1, 1}), (sizes{3, 4}));
  EXPECT_EQ(stolen_of({5, 1, 1, 1, 1}), (sizes{1, 2, 3, 4}));
  EXPECT_EQ(stolen_of({3, 1, 1, 1, 2}), (sizes{2, 3, 4}));
  EXPECT_EQ(stolen_of({1, 1, 9, 1, 1}), (sizes{3, 4}));
  EXPECT_EQ(stolen_of({100, 0, 0, 0, 0}), (sizes{1, 2, 3, 4}));
}

// The paper's thief would leave.
TEST(Wsrw, GivesTheLastIterationIfAllTheCostLiesThere) {
  EXPECT_EQ(stolen_of({1, 1, 1, 1, 100}), (sizes{4}));
  EXPECT_EQ(stolen_of({0, 0, 0, 0, 1}), (sizes{4}));
}

TEST(Wsrw, SharesByNumberWhatCostsNothing) { EXPECT_EQ(stolen_of({0, 0, 0, 0, 0}), (sizes{3, 4})); }

// Opt4 is Figure 9's linear search, but for what wsrw.hpp says.
TEST(Wsrw, BisectsOrWalksAsALinearSearchFinds) {
  for_each_case(2000, [](base::rng& random) {
    const std::uint32_t workers = 1 + static_cast<std::uint32_t>(random.below(5));
    const u64 n = workers * (2 + random.below(40));
    std::vector<u64> costs(n);
    const u64 most = 1 + random.below(100);
    for (u64& cost : costs) cost = random.below(3) == 0 ? 0 : random.below(most);
    const std::vector<u64> sums = sums_of(costs);
    const loop_shape shape{n, workers};
    loop_context context{.shape = shape};
    context.given = schedules::params::of(schedules::wsrw::options{
        .c = random.below(6), .assign = random.below(4), .cut = random.below(3)});
    const schedules::cyclic_lists by_list(shape, context.given);
    std::vector<u64> by_owner(costs_by_owner::entries(by_list));
    const cost_sums plain(sums.data(), n);
    costs_by_owner::sum_up(plain, by_list, by_owner.data());
    context.costs = plain.with(by_owner.data());
    const initial_lists lists(context);
    const schedules::most_cost rule(context);
    const auto owner = static_cast<std::uint32_t>(random.below(workers));
    range list = lists.of(owner);
    list.begin += random.below(list.size() - 1);
    list.end -= random.below(list.size() - 1);

    const auto cost_of = [&](u64 ticket) {
      return costs[lists.chunk_of({ticket, ticket + 1}, 0).begin];
    };
    u64 all = 0;
    for (u64 t = list.begin; t < list.end; ++t) all += cost_of(t);
    u64 kept = cost_of(list.begin);
    u64 at = list.begin + 1;
    for (; at + 1 < list.end && 2 * kept < all; ++at) kept += cost_of(at);
    EXPECT_EQ(rule.worth(list, lists).cost, all);
    EXPECT_EQ(rule.place(list, lists), all == 0 ? list.end - list.size() / 2 : at);
  });
}

// All chunks of a loop whose workers ask in turn, and one is slow.
std::vector<chunk> dealt_in_turn(hand_driver& driver, std::uint32_t workers) {
  std::vector<chunk> all;
  std::set<std::uint32_t> left;
  for (u64 turn = 0; left.size() < workers; ++turn) {
    for (std::uint32_t w = 0; w < workers; ++w) {
      if (left.contains(w) || (w == 1 && turn % 8 != 0)) continue;
      all.push_back(driver.ask(w));
      if (all.back().empty()) left.insert(w);
    }
  }
  return all;
}

// Without a c that is given: 9 iterations here, unless they cost more than 9 usual ones.
TEST(Wsrw, ReservesFewerWhereIterationsAreDear) {
  for (const char* const assign : {"cyclic", "block"}) {
    SCOPED_TRACE(assign);
    const bool cyclic = std::string(assign) == "cyclic";
    std::vector<u64> costs(512, 1);
    for (u64 x = 0; x < 8; ++x)
      costs[cyclic ? 2 * x : x] = costs[cyclic ? 2 * x + 1 : 256 + x] = 500;
    costed_loop loop("wsrw,assign=" + std::string(assign), 2, costs);
    for (const std::uint32_t w : {0, 1}) {
      for (int hub = 0; hub < 8; ++hub) EXPECT_EQ(loop.driver.ask(w).size(), 1U) << hub;
      EXPECT_EQ(loop.driver.ask(w).size(), 9U);
    }
    costed_loop fixed("wsrw,9,assign=" + std::string(assign), 2, costs);
    EXPECT_EQ(fixed.driver.ask(0).size(), 9U);
  }
}

void expect_same(const std::vector<chunk>& a, const std::vector<chunk>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(iterations_of(a[i]), iterations_of(b[i])) << i;
    ASSERT_EQ(a[i].victim, b[i].victim) << i;
  }
}

TEST(Wsrw, IsWsriWithoutCostsAndWithEqualOnes) {
  constexpr std::uint32_t workers = 5;
  constexpr u64 n = 1003;
  for (const std::string assign : {"cyclic", "block", "block-cyclic"}) {
    hand_driver driver(workers);
    driver.begin(spec_of("wsri,3,assign=" + assign), {n, workers});
    const std::vector<chunk> expected = dealt_in_turn(driver, workers);
    driver.begin(spec_of("wsrw,3,assign=" + assign), {n, workers});
    expect_same(dealt_in_turn(driver, workers), expected);
    for (const u64 each : {0, 7}) {
      costed_loop loop("wsrw,3,assign=" + assign, workers, std::vector<u64>(n, each));
      expect_same(dealt_in_turn(loop.driver, workers), expected);
    }
  }
}

// Nobody has summed them up by owner.
TEST(Wsrw, IsWsriWithCostsItCannotUse) {
  const std::vector<u64> sums = sums_of({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 9});
  const auto lines = std::make_unique<worker_line[]>(2);
  schedules::wsrw loop({.shape = {12, 2},
                        .given = schedules::params::of(
                            schedules::wsrw::options{.c = 1, .assign = schedules::one_by_one}),
                        .lines = lines.get(),
                        .costs = {sums.data(), 12}});
  for (u64 turn = 0; turn < 6; ++turn) loop.next({0, turn}, {});
  EXPECT_EQ(loop.next({0, 6}, {}).begin, 7U);
}

// Without assign=: blocks that are cut where costs are equal, wherever that is; and the thief's
// part of one that is not.
TEST(Wsrw, BeginsWithBlocksOfEqualCost) {
  std::vector<u64> costs(100, 1);
  for (u64 i = 0; i < 10; ++i) costs[i] = 21;  // of 300
  for (const char* const what : {"wsrw,1", "wsrw,1,assign=block"}) {
    costed_loop loop(what, 3, costs);
    EXPECT_EQ(loop.driver.ask(0).begin, 0U);
    EXPECT_EQ(loop.driver.ask(1).begin, 5U);
    EXPECT_EQ(loop.driver.ask(2).begin, 10U);
    ask_often(loop.driver, 0, 4);
    const chunk taken = loop.driver.ask(0);  // of 89 that cost 89, or of 4 that cost 84
    EXPECT_EQ(taken.victim, 2U);
    EXPECT_EQ(taken.begin, 11 + 45U);
  }
  // Nothing costs anything, or all is one iteration's.
  costed_loop nothing("wsrw,1", 4, std::vector<u64>(40, 0));
  EXPECT_EQ(nothing.driver.ask(3).begin, 30U);
  costs.assign(40, 0);
  costs[17] = 1;
  costed_loop giant("wsrw,1", 4, costs);
  EXPECT_EQ(giant.driver.ask(0).begin, 0U);
  EXPECT_EQ(giant.driver.ask(3).begin, 18U);
}

TEST(CostsByOwner, AreRunningSumsAlongTheLists) {
  for_each_case(500, [](base::rng& random) {
    const auto workers = static_cast<std::uint32_t>(1 + random.below(9));
    const u64 n = random.below(60);
    std::vector<u64> costs(n);
    for (u64& cost : costs) cost = random.below(50);
    const std::vector<u64> sums = sums_of(costs);
    const loop_shape shape{n, workers};
    const schedules::cyclic_lists lists(shape, schedules::params::of_first(random.below(5)));
    std::vector<u64> all(costs_by_owner::entries(lists));
    const cost_sums plain(sums.data(), n);
    for (const bool reversed : {false, true}) {
      const cost_sums dealt = reversed ? plain.reversed() : plain;
      costs_by_owner::sum_up(dealt, lists, all.data());
      const cost_sums given = dealt.with(all.data());
      const costs_by_owner by_owner(given, lists);
      for (std::uint32_t owner = 0; owner < workers; ++owner) {
        u64 expected = 0;
        for (u64 x = 0; x < lists.length_of(owner); ++x) {
          ASSERT_EQ(by_owner.before(owner, x), expected);
          const u64 i = lists.iteration(owner, x);
          expected += costs[reversed ? n - 1 - i : i];
        }
        if (n != 0) {
          ASSERT_EQ(by_owner.before(owner, lists.length_of(owner)), expected);
        }
      }
    }
  });
}

}  // namespace
}  // namespace doall::tests
