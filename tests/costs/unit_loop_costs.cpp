// src/costs/loop_costs: what a loop does with the costs it is told of, which sums are made, when
// they are used again, and what becomes of costs that are of no use.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "support/told_costs.hpp"

namespace doall::tests {
namespace {

using costs::cheap_average;
using costs::cost_counts;
using costs::count_costs;
using costs::most_kept;
using schedules::costs_by_owner;

// Asks for sums by owner.
constexpr const char* by_lists = "wsrw,assign=block-cyclic";

std::vector<u64> expected_by_owner(const std::vector<u64>& costs, std::uint32_t workers) {
  const std::vector<u64> sums = sums_of(costs);
  const schedules::cyclic_lists lists({costs.size(), workers}, schedules::params{});
  std::vector<u64> all(costs_by_owner::entries(lists));
  costs_by_owner::sum_up({sums.data(), costs.size()}, lists, all.data());
  return all;
}

void expect_by_owner(const planned& loop, const std::vector<u64>& costs, std::uint32_t workers) {
  ASSERT_EQ(loop.schedule(), by_lists);
  ASSERT_NE(loop.by_owner(), nullptr);
  EXPECT_EQ(loop.costs().total(), std::accumulate(costs.begin(), costs.end(), u64{0}));
  const std::vector<u64> expected = expected_by_owner(costs, workers);
  const schedules::cyclic_lists lists({costs.size(), workers}, schedules::params{});
  for (std::uint32_t owner = 0; owner < workers; ++owner) {
    const u64 first = costs_by_owner::first_of(lists, owner);
    for (u64 b = 0; b <= lists.blocks_of(owner); ++b) {
      ASSERT_EQ(loop.by_owner()[first + b], expected[first + b]) << owner << " " << b;
    }
  }
}

TEST(LoopCosts, AreSummedUpByOwnerFromEveryForm) {
  for (const u64 n : {2, 3, 7, 100, 1000, 20000}) {
    for (const std::uint32_t workers : {2, 3, 8}) {
      const std::vector<u64> costs = uneven(n, 17 * n + workers);
      if (std::accumulate(costs.begin(), costs.end(), u64{0}) <= cheap_average * n) continue;
      const auto of_signed = as<std::int64_t>(costs);
      const auto real = as<double>(costs);
      const std::vector<u64> sums = sums_of(costs);
      expect_by_owner({by_lists, workers, told_of(costs)}, costs, workers);
      expect_by_owner({by_lists, workers, told_of(of_signed)}, costs, workers);
      expect_by_owner({by_lists, workers, told_of(real)}, costs, workers);
      expect_by_owner({by_lists, workers, told_of_sums(sums)}, costs, workers);
    }
  }
}

TEST(LoopCosts, AreSummedUpInOrderForContiguousPieces) {
  const std::vector<u64> costs = uneven(1000);
  const auto real = as<double>(costs);
  const std::vector<u64> sums = sums_of(costs);
  for (const char* const how : {"best-static", "hybrid,costs", "wsrw"}) {
    for (const doall_costs& told : {told_of(costs), told_of(real)}) {
      const planned loop(how, 3, told);
      EXPECT_EQ(loop.schedule(), how);
      EXPECT_EQ(loop.by_owner(), nullptr);
      for (u64 i = 0; i <= costs.size(); ++i) ASSERT_EQ(loop.costs().before(i), sums[i]) << how;
    }
  }
}

// The user's own running sums: nothing is made.
TEST(LoopCosts, RunningSumsServeAsTheyAreWherePiecesAreContiguous) {
  const std::vector<u64> sums = sums_of(uneven(1000));
  const cost_counts before = count_costs();
  for (const char* const how : {"best-static", "hybrid,costs"}) {
    const planned loop(how, 3, told_of_sums(sums));
    EXPECT_EQ(loop.schedule(), how);
    EXPECT_EQ(loop.costs().total(), sums.back());
  }
  EXPECT_EQ(count_costs().made, before.made);
  EXPECT_EQ(count_costs().reused, before.reused);
}

TEST(LoopCosts, AreUsedAgainWhileTheyAreTheSame) {
  std::vector<u64> costs = uneven(1000);
  const counted times;
  const u64* where = nullptr;
  for (int run = 0; run < 5; ++run) {
    const planned loop(by_lists, 2, told_of(costs));
    if (run == 0) where = loop.by_owner();
    EXPECT_EQ(loop.by_owner(), where);
  }
  EXPECT_EQ(times.made(), 1U);
  EXPECT_EQ(times.reused(), 4U);

  // Other costs in the same place, at any of the sixteen that are looked at: made anew, where the
  // old ones were.
  costs[62] += 1;
  const planned changed(by_lists, 2, told_of(costs));
  EXPECT_EQ(times.made(), 2U);
  EXPECT_EQ(changed.by_owner(), where);
  expect_by_owner(changed, costs, 2);
}

TEST(LoopCosts, BelongToANumberOfWorkersAndOfIterations) {
  const std::vector<u64> costs = uneven(1001);
  const counted times;
  planned(by_lists, 2, told_of(costs));
  expect_by_owner({by_lists, 3, told_of(costs)}, costs, 3);
  EXPECT_EQ(times.made(), 2U);
  expect_by_owner({by_lists, 2, told_of(costs)}, costs, 2);
  expect_by_owner({by_lists, 3, told_of(costs)}, costs, 3);
  EXPECT_EQ(times.made(), 2U);
  EXPECT_EQ(times.reused(), 2U);

  doall_costs fewer = told_of(costs);
  fewer.iterations = 1000;
  planned(by_lists, 2, fewer);
  EXPECT_EQ(times.made(), 3U);
  // In order they are the same for all.
  planned("best-static", 2, told_of(costs));
  planned("best-static", 3, told_of(costs));
  EXPECT_EQ(times.made(), 4U);
  EXPECT_EQ(times.reused(), 3U);
}

TEST(LoopCosts, AGenerationSaysWhetherTheyHaveChanged) {
  std::vector<u64> costs = uneven(1000);
  const counted times;
  planned(by_lists, 2, told_of(costs, 7));
  std::ranges::copy(uneven(1000, 2), costs.begin());
  planned(by_lists, 2, told_of(costs, 7));  // believed
  EXPECT_EQ(times.made(), 1U);
  EXPECT_EQ(times.reused(), 1U);
  expect_by_owner({by_lists, 2, told_of(costs, 8)}, costs, 2);
  EXPECT_EQ(times.made(), 2U);
}

TEST(LoopCosts, OfNoIdentityAreMadeEachTimeInOnePlace) {
  doall_costs told{};
  const std::vector<u64> costs = uneven(3000);
  told = told_of(costs);
  told.identity = nullptr;
  const counted times;
  const u64* where = nullptr;
  for (int run = 0; run < 3; ++run) {
    const planned loop(by_lists, 2, told);
    if (run == 0) where = loop.by_owner();
    EXPECT_EQ(loop.by_owner(), where);
  }
  EXPECT_EQ(times.made(), 3U);
}

TEST(LoopCosts, TwoLoopsReadTheSameAtOnce) {
  const std::vector<u64> costs = uneven(2000);
  const planned one(by_lists, 2, told_of(costs));
  const planned other(by_lists, 2, told_of(costs));
  EXPECT_EQ(one.by_owner(), other.by_owner());
  // While they do, other costs get another place.
  std::vector<u64> changed = costs;
  changed[0] += 1;
  doall_costs told = told_of(changed);
  told.identity = costs.data();
  expect_by_owner({by_lists, 2, told}, changed, 2);
  expect_by_owner(one, costs, 2);
}

TEST(LoopCosts, LongUnusedOnesMakeRoom) {
  std::vector<std::vector<u64>> all;
  for (u64 k = 0; k < 2 * most_kept; ++k) all.push_back(uneven(100, k + 50));
  const counted times;
  for (const auto& costs : all) expect_by_owner({by_lists, 2, told_of(costs)}, costs, 2);
  EXPECT_EQ(times.made(), all.size());
  planned(by_lists, 2, told_of(all.back()));
  EXPECT_EQ(times.reused(), 1U);
  planned(by_lists, 2, told_of(all.front()));
  EXPECT_EQ(times.made(), all.size() + 1);
}

// In the lists that wsrw would have.
TEST(LoopCosts, UniformOnesAreNotStolen) {
  const std::vector<u64> equal(1000, 7);
  const std::vector<u64> ones(1000, 1);
  const std::vector<u64> zeros(1000, 0);
  const std::vector<double> real(1000, 0.3);
  for (const doall_costs& told :
       {told_of(equal), told_of(ones), told_of(zeros), told_of(real), told_of(equal, 5)}) {
    EXPECT_EQ(planned("wsrw,assign=cyclic", 2, told).schedule(), "cyclic");
    EXPECT_EQ(planned("wsrw", 2, told).schedule(), "static");
    EXPECT_EQ(planned("wsrw", 2, told).schedule(), "static") << "when they are known again";
    EXPECT_EQ(planned("wsrw,4,order=reverse", 2, told).schedule(), "static,order=reverse");
    EXPECT_EQ(planned(by_lists, 2, told).schedule(), "static,2");
    EXPECT_EQ(planned("wsrw,4,assign=block-cyclic,order=reverse", 2, told).schedule(),
              "static,4,order=reverse");
    EXPECT_EQ(planned("best-static", 2, told).schedule(), "best-static");
  }
  for (const auto& costs : {equal, ones, zeros}) {
    const std::vector<u64> sums = sums_of(costs);
    EXPECT_EQ(planned("wsrw", 2, told_of_sums(sums)).schedule(), "static");
  }
  // One that is not.
  std::vector<u64> almost = equal;
  almost[501] = 8;
  EXPECT_EQ(planned("wsrw", 2, told_of(almost)).schedule(), "wsrw");
  const std::vector<u64> sums = sums_of(almost);
  EXPECT_EQ(planned("wsrw", 2, told_of_sums(sums)).schedule(), "wsrw");
}

// Of a loop of 4,000 iterations in cells of 4: its lists, and what serves instead, are of as many
// iterations as asked for.
TEST(LoopCosts, OfCellsKeepNumbersOfIterations) {
  const auto schedule_of = [](const std::vector<u64>& costs, u64 cell) {
    const doall_costs told = told_of(costs);
    const costs::costed_loop loop = costs::with_costs(spec_of("wsrw,64,assign=block-cyclic"),
                                                      {costs.size(), 2}, &told, {}, 0, cell);
    costs::give_back(loop.held);
    return schedules::to_text(loop.how);
  };
  const std::vector<u64> equal(1000, 7);
  EXPECT_EQ(schedule_of(equal, 1), "static,64");
  EXPECT_EQ(schedule_of(equal, 4), "static,64");
  EXPECT_EQ(schedule_of(uneven(1000), 4), "wsrw,64,assign=block-cyclic");
}

TEST(LoopCosts, HintsNeedNoCosts) {
  doall_costs told{};
  told.size = sizeof told;
  const loop_shape shape{1000, 2};
  told.hints = DOALL_COSTS_UNIFORM;
  EXPECT_EQ(planned("wsrw", shape, &told).schedule(), "static");
  EXPECT_EQ(planned(by_lists, shape, &told).schedule(), "static,2");
  told.hints = DOALL_COSTS_GUARDED;
  EXPECT_EQ(planned("wsrw,2,min=9", shape, &told).schedule(), "wsri,2,min=9");
  EXPECT_EQ(planned("best-static", shape, &told).schedule(), "best-static");

  const std::vector<u64> costs = uneven(1000);
  doall_costs guarded = told_of(costs);
  guarded.hints = DOALL_COSTS_GUARDED;
  const counted times;
  EXPECT_EQ(planned("wsrw", 2, guarded).schedule(), "wsri");
  EXPECT_EQ(times.made(), 0U);
}

// As many edges as a road network has: an average of two or three.
TEST(LoopCosts, ThatAreCheapAreNotSummedUp) {
  std::vector<u64> roads(10000);
  for (u64 i = 0; i < roads.size(); ++i) roads[i] = i % 4 == 0 ? 6 : 2;
  const std::vector<u64> sums = sums_of(roads);
  const counted times;
  EXPECT_EQ(planned("wsrw", 2, told_of(roads)).schedule(), "wsri");
  EXPECT_EQ(planned("wsrw", 2, told_of(roads)).schedule(), "wsri");
  EXPECT_EQ(times.made(), 0U);
  EXPECT_EQ(times.reused(), 1U) << "what is known of them";
  // Unless they are there, are said to be used again, or are not counted in edges; or nothing can
  // be stolen.
  EXPECT_EQ(planned("wsrw", 2, told_of_sums(sums)).schedule(), "wsrw");
  EXPECT_EQ(planned("wsrw", 2, told_of(roads, 1)).schedule(), "wsrw");
  const auto real = as<double>(roads);
  EXPECT_EQ(planned("wsrw", 2, told_of(real)).schedule(), "wsrw");
  EXPECT_NE(planned("best-static", 2, told_of(roads)).costs().total(), 0U);
}

TEST(LoopCosts, NobodyNeedsThemForOneIterationOrOneWorker) {
  const std::vector<u64> costs = uneven(1000);
  const counted times;
  doall_costs told = told_of(costs);
  EXPECT_EQ(planned("wsrw", 1, told).schedule(), "wsrw");
  for (const u64 n : {0, 1}) {
    told.iterations = n;
    EXPECT_EQ(planned("wsrw", 2, told).schedule(), "wsrw");
  }
  EXPECT_EQ(planned("dynamic", 2, told_of(costs)).schedule(), "dynamic");
  EXPECT_EQ(planned("hybrid", 2, told_of(costs)).schedule(), "hybrid");
  EXPECT_EQ(times.made(), 0U);
}

// Small ones would be lost in whole numbers, and large ones would not fit.
TEST(LoopCosts, RealOnesHaveAnyUnit) {
  std::vector<double> costs(1000);
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = i < 500 ? 3 : 1;
  for (const double unit : {1e-300, 1e-9, 0.1, 1.0, 1e6, 1e25, 1e300}) {
    std::vector<double> scaled = costs;
    for (double& cost : scaled) cost *= unit;
    const planned loop("best-static", 2, told_of(scaled));
    ASSERT_TRUE(loop.costs().given());
    EXPECT_NEAR(static_cast<double>(loop.costs().cut(1, 2)), 1000.0 / 3, 2) << unit;
    u64 before = 0;
    for (u64 i = 0; i <= scaled.size(); ++i) {
      ASSERT_GE(loop.costs().before(i), before);
      before = loop.costs().before(i);
    }
    EXPECT_EQ(planned("wsrw", 2, told_of(scaled)).schedule(), "wsrw");
  }
}

}  // namespace
}  // namespace doall::tests
