// best-static: one block each, of equal cost.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.hpp"
#include "support/any_loop.hpp"
#include "support/costed_loop.hpp"
#include "support/hand_driver.hpp"
#include "support/ledger.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::cost_sums;
using schedules::partition_of;

// Each worker's one chunk.
std::vector<chunk> blocks(const std::vector<u64>& sums, std::uint32_t workers,
                          std::string_view what = "best-static") {
  const u64 iterations = sums.size() - 1;
  hand_driver driver(workers);
  driver.begin(spec_of(what), {iterations, workers}, nullptr, cost_sums(sums.data(), iterations));
  std::vector<chunk> all;
  for (std::uint32_t w = 0; w < workers; ++w) {
    all.push_back(driver.ask(w));
    if (all.back().empty()) continue;
    EXPECT_TRUE(driver.ask(w).empty());
  }
  return all;
}

std::vector<u64> sizes_of(const std::vector<chunk>& all) {
  std::vector<u64> result;
  for (const chunk& c : all) result.push_back(c.size());
  return result;
}

TEST(BestStatic, IsTheEvenPartitionWithoutCosts) {
  const loop_shape shape{103, 7};
  hand_driver driver(shape.workers);
  driver.begin(spec_of("best-static"), shape);
  for (std::uint32_t w = 0; w < shape.workers; ++w) {
    const chunk c = driver.ask(w);
    EXPECT_EQ(c.begin, partition_of(w, shape).begin);
    EXPECT_EQ(c.end, partition_of(w, shape).end);
  }
}

TEST(BestStatic, IsTheEvenPartitionWhenNothingCosts) {
  EXPECT_EQ(sizes_of(blocks(sums_of(std::vector<u64>(8)), 4)), (std::vector<u64>{2, 2, 2, 2}));
}

// AFS's skewed clique: all the work is in the first half.
TEST(BestStatic, DealsEqualCosts) {
  std::vector<u64> costs(640, 0);
  std::fill_n(costs.begin(), 320, 10);
  const auto sums = sums_of(costs);
  for (const chunk& c : blocks(sums, 8)) EXPECT_EQ(sums[c.end] - sums[c.begin], 400U);
}

TEST(BestStatic, BeginsWhereTheCostReachesTheWorkersPart) {
  // Running sums 0 4 5 6 7 8; parts of 8/3 begin at 0, 2.67 and 5.33.
  EXPECT_EQ(sizes_of(blocks(sums_of({4, 1, 1, 1, 1}), 3)), (std::vector<u64>{1, 2, 2}));
  // One iteration may be more than a part.
  EXPECT_EQ(sizes_of(blocks(sums_of({1, 1, 9, 1}), 3)), (std::vector<u64>{3, 0, 1}));
}

TEST(BestStatic, CountsFromTheFirstSum) {
  EXPECT_EQ(sizes_of(blocks({100, 104, 105, 106, 107, 108}, 3)), (std::vector<u64>{1, 2, 2}));
}

TEST(BestStatic, KnowsTheCostsOfTheLoopFromItsOtherEnd) {
  const auto all = blocks(sums_of({4, 1, 1, 1, 1}), 2, "best-static,order=reverse");
  EXPECT_EQ(all[0].begin, 1U);  // 1 + 1 + 1 + 1
  EXPECT_EQ(all[0].end, 5U);
  EXPECT_EQ(all[1].begin, 0U);
}

TEST(BestStatic, MultipliesIn128Bits) {
  const u64 half = u64{1} << 63;
  EXPECT_EQ(sizes_of(blocks({0, half / 2, half, half + half / 2, base::u64_max}, 4)),
            (std::vector<u64>{1, 1, 1, 1}));
}

TEST(BestStatic, BlocksCostAtMostAPartAndOneIterationMore) {
  for_each_case(500, [](base::rng& random) {
    const std::uint32_t workers = any_workers(random);
    std::vector<u64> costs(any_iterations(random, workers));
    const u64 most = 1 + random.below(1000);
    for (u64& c : costs) c = random.below(most);
    const auto sums = sums_of(costs);
    const u64 largest = costs.empty() ? 0 : *std::ranges::max_element(costs);
    ledger dealt(costs.size());
    for (const chunk& c : blocks(sums, workers)) {
      dealt.record(c);
      if (c.empty() || sums.back() == 0) continue;
      const u64 cost = sums[c.end] - sums[c.begin];
      EXPECT_LE(cost * workers, sums.back() + largest * workers);
    }
    dealt.expect_exactly_once();
  });
}

// Sums that fall, wrap or are noise must not lose or repeat an iteration.
TEST(BestStatic, IsExactWhateverTheSumsAre) {
  for_each_case(2000, [](base::rng& random) {
    const std::uint32_t workers = any_workers(random);
    std::vector<u64> sums(any_iterations(random, workers) + 1);
    for (u64& s : sums) s = random.next() >> random.below(64);
    ledger dealt(sums.size() - 1);
    const char* what = random.below(2) == 0 ? "best-static" : "best-static,order=reverse";
    for (const chunk& c : blocks(sums, workers, what)) dealt.record(c);
    dealt.expect_exactly_once();
  });
}

}  // namespace
}  // namespace doall::tests
