// A profile adds chunks' times to the parts of a loop that they lie in.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "observe/cost_profile.hpp"

namespace doall::observe {
namespace {

using schedules::chunk;
using parts = std::vector<std::pair<std::uint64_t, double>>;

parts parts_of(const cost_profile& p) {
  parts all;
  p.read([&](std::uint64_t iterations, double ticks) { all.emplace_back(iterations, ticks); });
  return all;
}

TEST(CostProfile, HasNothingBeforeAChunkRan) {
  cost_profile p;
  EXPECT_TRUE(parts_of(p).empty());
  p.begin(100);
  EXPECT_TRUE(parts_of(p).empty());
}

TEST(CostProfile, KeepsShortLoopsByIteration) {
  cost_profile p;
  p.begin(4);
  p.add({0, 1, 1}, 10);
  p.add({1, 3, 1}, 40);
  p.add({3, 4, 1}, 5);
  EXPECT_EQ(parts_of(p), (parts{{1, 10}, {1, 20}, {1, 20}, {1, 5}}));
}

TEST(CostProfile, CutsLongLoopsIntoEqualParts) {
  cost_profile p;
  p.begin(1025);  // the first part has five, the others four
  p.add({0, 6, 1}, 60);
  p.add({6, 1025, 1}, 1019 * 2);
  const parts all = parts_of(p);
  ASSERT_EQ(all.size(), 256U);
  EXPECT_EQ(all[0], (std::pair<std::uint64_t, double>{5, 10}));
  EXPECT_EQ(all[1], (std::pair<std::uint64_t, double>{4, 4})) << "one of ten, three of two";
  EXPECT_EQ(all[2], (std::pair<std::uint64_t, double>{4, 2}));
  EXPECT_EQ(all[255].first, 4U);
}

TEST(CostProfile, AStridedChunkCountsWhereItPasses) {
  cost_profile p;
  p.begin(1024);  // parts of four
  p.add({1, 1024, 2}, 512 * 3);
  for (const auto& [iterations, ticks] : parts_of(p)) {
    EXPECT_EQ(iterations, 4U);
    EXPECT_EQ(ticks, 3);
  }
  p.add({0, 1024, 512}, 2 * 11);  // iterations 0 and 512
  const parts all = parts_of(p);
  EXPECT_NEAR(all[0].second, 17.0 / 3, 1e-9);
  EXPECT_EQ(all[1].second, 3);
  EXPECT_NEAR(all[128].second, 17.0 / 3, 1e-9);
}

TEST(CostProfile, WhatWasNotTimedHasTheMean) {
  cost_profile p;
  p.begin(4);
  p.add({0, 2, 1}, 20);
  EXPECT_EQ(parts_of(p), (parts{{1, 10}, {1, 10}, {1, 10}, {1, 10}}));
}

// As in Gauss elimination: the mean execution has the shape of all.
TEST(CostProfile, ExecutionsOfOtherLengthsAddToTheSameParts) {
  cost_profile p;
  p.begin(512);
  p.add({0, 256, 1}, 256 * 30);
  p.add({256, 512, 1}, 256 * 3);
  p.begin(256);
  p.add({0, 128, 1}, 128 * 60);
  p.add({128, 256, 1}, 128 * 6);
  std::uint64_t iterations = 0;
  for (const auto& [count, ticks] : parts_of(p)) {
    EXPECT_NEAR(ticks, iterations < 384 / 2 ? 40 : 4, 1e-9) << "iteration " << iterations;
    iterations += count;
  }
  EXPECT_EQ(iterations, 384U);
  p.begin(0);
  iterations = 0;
  for (const auto& part : parts_of(p)) iterations += part.first;
  EXPECT_EQ(iterations, 256U);
}

TEST(CostProfile, TimesTheFirstExecutionsAndThenSome) {
  cost_profile p;
  int timed = 0;
  for (int call = 0; call < 64; ++call) {
    p.begin(1);
    const parts before = parts_of(p);
    p.add({0, 1, 1}, 1'000'000ULL << call % 32);
    const bool is_timed = parts_of(p) != before;
    EXPECT_EQ(p.is_timed(), is_timed) << call;
    timed += is_timed ? 1 : 0;
  }
  EXPECT_EQ(timed, 8 + 3);
}

TEST(CostProfile, TakesTheLongestLoops) {
  cost_profile p;
  p.begin(base::u64_max);
  p.add({0, base::u64_max, 1}, 1'000);
  std::uint64_t sum = 0;
  for (const auto& part : parts_of(p)) sum += part.first;
  EXPECT_EQ(sum, base::u64_max);
}

}  // namespace
}  // namespace doall::observe
