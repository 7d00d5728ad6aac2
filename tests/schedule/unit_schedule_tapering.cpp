// tapering: guided's chunks, smaller the more unevenly long iterations were.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.hpp"
#include "schedule/tapering.hpp"
#include "support/hand_driver.hpp"
#include "support/ledger.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::chunk_times;

chunk_times times_of(const std::vector<std::pair<double, double>>& chunks) {
  chunk_times sums;
  for (const auto& [n, t] : chunks) sums += {1, n, t, t * t / n};
  return sums;
}

// What the schedule remembers of such a loop.
sync::plain<chunk_times>& history(loop_memory& memory, loop_shape shape,
                                  std::string_view what = "tapering") {
  return *static_cast<sync::plain<chunk_times>*>(memory.of(spec_of(what), shape));
}

// Runs a loop; the chunk that has size n takes took(n). Returns the sizes.
template <class Took>
std::vector<u64> run(hand_driver& driver, loop_memory& memory, loop_shape shape, Took took,
                     std::string_view what = "tapering") {
  driver.begin(spec_of(what), shape, &memory);
  std::vector<u64> sizes;
  double elapsed = 0;
  for (chunk c = driver.ask(0); !c.empty(); c = driver.ask(0, elapsed)) {
    EXPECT_EQ(c.from, schedules::origin::central);
    sizes.push_back(c.size());
    elapsed = took(c.size());
  }
  for (std::uint32_t w = 1; w < shape.workers; ++w) EXPECT_TRUE(driver.ask(w).empty());
  driver.finish();
  return sizes;
}

// floor(R / 2P), at least 1.
TEST(Tapering, TakesHalfOfGuidedsPartWithoutHistory) {
  EXPECT_EQ(sizes_alone("tapering", 40, 4), (std::vector<u64>{5, 4, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1,
                                                              1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(sizes_alone("tapering,4", 40, 4), (std::vector<u64>{5, 4, 4, 4, 4, 4, 4, 4, 4, 3}));
  EXPECT_EQ(sizes_alone("tapering", 3, 4), (std::vector<u64>{1, 1, 1}));
}

TEST(Tapering, IsGuidedWhenAllIterationsTakeTheSame) {
  hand_driver driver(4);
  loop_memory memory;
  const auto even = [](u64 n) { return 3.0 * static_cast<double>(n); };
  run(driver, memory, {1000, 4}, even);
  EXPECT_EQ(run(driver, memory, {1000, 4}, even), sizes_alone("guided", 1000, 4));
}

// History as if chunks of one iteration had taken 0, 2, 0, 2, ...: mu is 1, sigma^2 N / (N - 1).
TEST(Tapering, FollowsTheFormula) {
  constexpr u64 n = 1000;
  hand_driver driver(4);
  loop_memory memory;
  history(memory, {n, 4}).set({n, n, n, 2 * n});
  const double v = 1.3 * std::sqrt(static_cast<double>(n) / (n - 1));
  const auto sizes = run(driver, memory, {n, 4}, [](u64) { return 0.0; });
  u64 left = n;
  for (const u64 size : sizes) {
    const double share = static_cast<double>(left) / 4;
    const double k = share + v * v / 2 - v * std::sqrt(2 * share + v * v / 4);
    // Another form of it: k and alpha standard deviations are the even share.
    if (share > v * v) {
      EXPECT_NEAR(k + v * std::sqrt(k + share), share, 1e-9);
    }
    EXPECT_EQ(size, share <= v * v ? 1 : static_cast<u64>(std::ceil(k))) << left << " left";
    left -= size;
  }
  EXPECT_EQ(left, 0U);
  EXPECT_EQ(sizes[0], 222U);  // guided: 250
}

TEST(Tapering, ChunksAreSmallerTheMoreTimesVary) {
  std::vector<u64> first;
  for (const double spread : {0.0, 0.2, 0.5, 0.9}) {
    hand_driver driver(4);
    loop_memory memory;
    int turn = 0;
    const auto uneven = [&](u64 n) {
      return static_cast<double>(n) * (1 + (++turn % 2 == 0 ? spread : -spread));
    };
    run(driver, memory, {10000, 4}, uneven);
    first.push_back(run(driver, memory, {10000, 4}, uneven)[0]);
  }
  EXPECT_EQ(first[0], 2500U);
  for (std::size_t i = 1; i < first.size(); ++i) EXPECT_LT(first[i], first[i - 1]);
}

// Of a thousand iterations one took all the time: v^2 is above any share of the loop.
TEST(Tapering, TakesTheLeastWhenTimesVaryWildly) {
  const loop_shape shape{100, 4};
  for (const auto& [what, least] : {std::pair{"tapering", 1}, std::pair{"tapering,7", 7}}) {
    hand_driver driver(4);
    loop_memory memory;
    history(memory, shape, what).set({1000, 1000, 1, 1});
    driver.begin(spec_of(what), shape, &memory);
    for (int turn = 0; turn < 100 / least; ++turn) {
      EXPECT_EQ(driver.ask(turn % 4, 1.0).size(), static_cast<u64>(least));
    }
  }
}

TEST(Tapering, EstimatesFromChunks) {
  EXPECT_DOUBLE_EQ(times_of({{1, 1}, {1, 3}}).deviation(), std::sqrt(2.0) / 2);
  EXPECT_DOUBLE_EQ(times_of({{2, 4}, {4, 8}, {1, 2}}).deviation(), 0);
  EXPECT_LT(times_of({{7, 3}}).deviation(), 0) << "one chunk says nothing of the variance";
  EXPECT_LT(times_of({}).deviation(), 0);
  EXPECT_LT(times_of({{1, 0}, {5, 0}}).deviation(), 0) << "a clock that stands still";
}

// Iterations are 0 or 2 at random: mu 1, sigma 1, however they are cut into chunks.
TEST(Tapering, EstimatesTheDeviationOfIterations) {
  for (const u64 size_most : {1, 5, 100}) {
    base::rng random(size_most);
    double variances = 0;
    constexpr int samples = 2000;
    for (int s = 0; s < samples; ++s) {
      chunk_times sums;
      for (int j = 0; j < 20; ++j) {
        const u64 n = 1 + random.below(size_most);
        double t = 0;
        for (u64 i = 0; i < n; ++i) t += random.below(2) == 0 ? 0 : 2;
        sums += {1, static_cast<double>(n), t, t * t / static_cast<double>(n)};
      }
      const double mean = sums.time / sums.iterations;
      variances += std::pow(sums.deviation() * mean, 2);
    }
    EXPECT_NEAR(variances / samples, 1, 0.05) << size_most;
  }
}

// Half of the weight is the last run's, so a few runs are enough.
TEST(Tapering, FollowsAProgramThatChanges) {
  hand_driver driver(4);
  loop_memory memory;
  int turn = 0;
  const auto uneven = [&](u64 n) { return static_cast<double>(++turn % 2 == 0 ? 2 * n : 0); };
  const auto even = [](u64 n) { return static_cast<double>(n); };
  for (int i = 0; i < 4; ++i) run(driver, memory, {10000, 4}, uneven);
  const u64 at_first = run(driver, memory, {10000, 4}, even)[0];
  for (int i = 0; i < 12; ++i) run(driver, memory, {10000, 4}, even);
  const u64 later = run(driver, memory, {10000, 4}, even)[0];
  EXPECT_LT(at_first, 2000U);
  EXPECT_GT(later, 2400U);
}

TEST(Tapering, GathersWhatAllWorkersMeasure) {
  constexpr std::uint32_t workers = 8;
  const loop_shape shape{4000, workers};
  hand_driver driver(workers);
  loop_memory memory;
  driver.begin(spec_of("tapering"), shape, &memory);
  u64 chunks = 0;
  double time = 0;
  std::vector<double> lasted(workers);
  std::vector<bool> gone(workers);
  for (std::uint32_t left = workers; left > 0;) {
    for (std::uint32_t w = 0; w < workers; ++w) {
      if (gone[w]) continue;
      const chunk c = driver.ask(w, lasted[w]);
      gone[w] = c.empty();
      left -= gone[w] ? 1 : 0;
      lasted[w] = static_cast<double>((w + 1) * c.size());
      chunks += c.empty() ? 0 : 1;
      time += lasted[w];
    }
  }
  driver.finish();
  const chunk_times& sums = history(memory, shape).get();
  EXPECT_EQ(sums.chunks, static_cast<double>(chunks));
  EXPECT_EQ(sums.iterations, 4000);
  EXPECT_EQ(sums.time, time);
}

TEST(Tapering, CountsNoTimesThatCannotBe) {
  for (const double garbage : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    hand_driver driver(2);
    loop_memory memory;
    const loop_shape shape{100, 2};
    u64 turn = 0;
    const auto sizes = run(driver, memory, shape, [&](u64) { return ++turn == 1 ? garbage : 1.0; });
    EXPECT_EQ(history(memory, shape).get().chunks, static_cast<double>(sizes.size() - 1));
    EXPECT_EQ(history(memory, shape).get().iterations, static_cast<double>(100 - sizes[0]));
    EXPECT_EQ(history(memory, shape).get().time, static_cast<double>(sizes.size() - 1));
  }
}

// Whatever a driver measures, every iteration is dealt once, and the next honest run counts.
TEST(Tapering, ShrugsOffTimesThatCannotBe) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const double garbage : {0.0, -1.0, inf, -inf, std::nan(""), 1e300, 1e154, 5e-324,
                               std::numeric_limits<double>::max()}) {
    hand_driver driver(3);
    loop_memory memory;
    for (int i = 0; i < 3; ++i) {
      u64 turn = 0;
      u64 dealt = 0;
      for (const u64 size :
           run(driver, memory, {500, 3}, [&](u64) { return ++turn % 3 == 0 ? garbage : 1.0; })) {
        dealt += size;
      }
      EXPECT_EQ(dealt, 500U) << garbage;
    }
    const auto even = [](u64 n) { return static_cast<double>(n); };
    for (int i = 0; i < 2000; ++i) run(driver, memory, {500, 3}, even);
    EXPECT_EQ(run(driver, memory, {500, 3}, even), sizes_alone("guided", 500, 3)) << garbage;
  }
}

// Shares beyond 2^53, where the formula's terms cancel to noise: a chunk stays between
// the least and guided's.
TEST(Tapering, IsNeverMoreThanGuidedWhateverTheRounding) {
  constexpr loop_shape shape{9708867617635340214U, 4};
  hand_driver driver(shape.workers);
  loop_memory memory;
  history(memory, shape).set({2, 1, 1, 1.436223020360257e+18});
  driver.begin(spec_of("tapering"), shape, &memory);
  EXPECT_LE(driver.ask(0).size(), base::ceil_div(shape.iterations, shape.workers));
}

TEST(Tapering, CutsTheLargestLoop) {
  for (const std::uint32_t workers : {1, 3}) {
    hand_driver driver(workers);
    loop_memory memory;
    const loop_shape shape{base::u64_max, workers};
    history(memory, shape).set(times_of({{1, 1}, {1, 1}}));
    driver.begin(spec_of("tapering"), shape, &memory);
    EXPECT_EQ(driver.ask(0).size(), base::ceil_div(base::u64_max, workers));
    history(memory, shape).set(times_of({{1, 1}, {1, 1e9}}));
    driver.begin(spec_of("tapering"), shape, &memory);
    const u64 size = driver.ask(0).size();
    EXPECT_LT(size, base::u64_max / workers);
    EXPECT_GT(size, base::u64_max / workers / 2);
  }
}

}  // namespace
}  // namespace doall::tests
