// adaptive-guided: guided's sizes over strided chunks; failed claims back off.

#include <gtest/gtest.h>

#include "schedule/adaptive_guided.hpp"
#include "support/hand_driver.hpp"

namespace doall::tests {
namespace {

using schedules::adaptive_guided;

struct strided {
  u64 begin;
  u64 end;
  u64 step;
  bool operator==(const strided&) const = default;
};

void PrintTo(const strided& c, std::ostream* out) {
  *out << '[' << c.begin << ", " << c.end << ") step " << c.step;
}

std::vector<strided> chunks_alone(u64 iterations, std::uint32_t workers) {
  hand_driver driver(workers);
  driver.begin(spec_of("adaptive-guided"), {iterations, workers});
  std::vector<strided> result;
  for (const chunk& c : all_of(driver, 0)) result.push_back({c.begin, c.end, c.step});
  return result;
}

// 22 iterations over 4 workers have remainders 0 and 1 six times, 2 and 3 five times.
// Sizes: ceil(22/4), ceil(16/4), 2 of ceil(12/4) that are left with remainder 1, ...
TEST(AdaptiveGuided, DealsRemaindersOneAfterTheOther) {
  EXPECT_EQ(chunks_alone(22, 4), (std::vector<strided>{{0, 21, 4},
                                                       {1, 14, 4},
                                                       {17, 22, 4},
                                                       {2, 11, 4},
                                                       {14, 19, 4},
                                                       {3, 8, 4},
                                                       {11, 12, 4},
                                                       {15, 16, 4},
                                                       {19, 20, 4}}));
}

TEST(AdaptiveGuided, GivesNeighboursToDifferentWorkersIfTheyTakeTurns) {
  constexpr u64 iterations = 1000;
  hand_driver driver(4);
  driver.begin(spec_of("adaptive-guided"), {iterations, 4});
  std::vector<std::uint32_t> runs(iterations);
  std::uint32_t w = 0;
  for (chunk c = driver.ask(w); !c.empty(); c = driver.ask(w)) {
    EXPECT_EQ(c.from, schedules::origin::central);
    for (u64 i = c.begin; i < c.end; i += c.step) runs[i] = w;
    w = (w + 1) % 4;
  }
  u64 apart = 0;
  for (u64 i = 1; i < iterations; ++i) apart += runs[i] == runs[i - 1] ? 0 : 1;
  EXPECT_GT(apart, iterations * 3 / 4);
}

// The long iterations come first, at cost N - i: the first of 4 workers gets 7/16 of
// all work from guided; here it is its fair part.
TEST(AdaptiveGuided, ItsFirstChunkIsAFairPartOfAFallingLoop) {
  constexpr u64 iterations = 1000;
  const auto part = [&](std::string_view text) {
    hand_driver driver(4);
    driver.begin(spec_of(text), {iterations, 4});
    const chunk c = driver.ask(0);
    u64 cost = 0;
    for (u64 i = c.begin; i < c.end; i += c.step) cost += iterations - i;
    return static_cast<double>(cost) / (iterations * (iterations + 1) / 2.0);
  };
  EXPECT_GT(part("guided"), 0.43);
  EXPECT_NEAR(part("adaptive-guided"), 0.25, 0.001);
}

TEST(AdaptiveGuided, IsAllAtOnceForOneWorker) {
  EXPECT_EQ(chunks_alone(base::u64_max, 1), (std::vector<strided>{{0, base::u64_max, 1}}));
}

TEST(AdaptiveGuided, DealsOneByOneWhenWorkersAreMoreThanIterations) {
  EXPECT_EQ(chunks_alone(3, 8), (std::vector<strided>{{0, 1, 8}, {1, 2, 8}, {2, 3, 8}}));
}

TEST(AdaptiveGuided, CutsTheLargestLoop) {
  const std::vector<strided> chunks = chunks_alone(base::u64_max, 2);
  EXPECT_EQ(chunks.front(), (strided{0, base::u64_max, 2}));
  EXPECT_EQ(chunks[1], (strided{1, u64{1} << 63, 2}));
  EXPECT_EQ(chunks.back(), (strided{base::u64_max - 2, base::u64_max - 1, 2}));
}

// Opens the window between a worker's look and its swap.
struct half_open : adaptive_guided {
  using adaptive_guided::adaptive_guided;
  using adaptive_guided::claim;
  using adaptive_guided::dealt;
};

TEST(AdaptiveGuided, BacksOffWhenAnotherWorkerCameFirst) {
  half_open loop({.shape = {100, 4}, .given = {}});
  const u64 seen_by_slow = loop.dealt();
  const chunk first = loop.claim(loop.dealt());
  EXPECT_EQ(first.begin, 0U);
  EXPECT_EQ(first.size(), 25U);
  EXPECT_EQ(loop.failed_claims(), 0U);
  EXPECT_EQ(loop.pauses(), 0U);

  // The slow one fails once, waits, and goes on where the quick one has left off.
  const chunk second = loop.claim(seen_by_slow);
  EXPECT_EQ(second.begin, 1U);
  EXPECT_EQ(second.size(), 19U);
  EXPECT_EQ(loop.failed_claims(), 1U);
  EXPECT_EQ(loop.pauses(), adaptive_guided::pauses_after(1));
}

TEST(AdaptiveGuided, IsToldThatNothingIsLeftWhenAnotherTookTheLast) {
  half_open loop({.shape = {1, 4}, .given = {}});
  const u64 seen_by_slow = loop.dealt();
  EXPECT_FALSE(loop.next({0, 0}, {}).empty());
  EXPECT_TRUE(loop.claim(seen_by_slow).empty());
  EXPECT_EQ(loop.failed_claims(), 1U);
}

TEST(AdaptiveGuided, CountsNothingWhenWorkersComeOneByOne) {
  adaptive_guided loop({.shape = {100, 4}, .given = {}});
  for (std::uint32_t w = 0; !loop.next({w, 0}, {}).empty(); w = (w + 1) % 4) {
  }
  EXPECT_EQ(loop.failed_claims(), 0U);
  EXPECT_EQ(loop.pauses(), 0U);
}

TEST(AdaptiveGuided, WaitsTwiceAsLongAfterEachFailureUpToABound) {
  for (unsigned failed = 1; failed < 6; ++failed) {
    EXPECT_EQ(adaptive_guided::pauses_after(failed + 1), 2 * adaptive_guided::pauses_after(failed));
  }
  EXPECT_EQ(adaptive_guided::pauses_after(~0U), adaptive_guided::pauses_after(6));
}

}  // namespace
}  // namespace doall::tests
