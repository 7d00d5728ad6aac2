// src/observe/stay: which iterations run where they ran the last time, by samples.
#include "observe/stay.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace doall::observe {
namespace {

using schedules::chunk;
using schedules::numbering;

constexpr numbering no_numbers{};

class Stay : public testing::Test {
 protected:
  // One execution: `cuts` says where each worker's block of iterations begins.
  stay_samples::counts run(std::uint64_t iterations, std::vector<std::uint64_t> cuts,
                           const numbering& numbers = no_numbers) {
    EXPECT_TRUE(samples_->begin(iterations, numbers));
    cuts.push_back(iterations);
    stay_samples::counts all;
    for (std::uint32_t w = 0; w + 1 < cuts.size(); ++w) {
      add(all, samples_->mark(w, {cuts[w], cuts[w + 1]}));
    }
    samples_->end();
    return all;
  }

  static void add(stay_samples::counts& all, stay_samples::counts some) {
    all.compared += some.compared;
    all.stayed += some.stayed;
  }

  std::unique_ptr<stay_samples> samples_ = std::make_unique<stay_samples>();
};

TEST_F(Stay, ComparesNothingTheFirstTime) { EXPECT_EQ(run(100, {0, 50}).compared, 0U); }

TEST_F(Stay, CountsEachIterationOfAShortLoop) {
  run(100, {0, 50});
  const auto found = run(100, {0, 40});  // ten of worker 0's went to worker 1
  EXPECT_EQ(found.compared, 100U);
  EXPECT_EQ(found.stayed, 90U);
}

TEST_F(Stay, SamplesALongLoop) {
  constexpr std::uint64_t iterations = std::uint64_t{1} << 40;
  run(iterations, {0, iterations / 2});
  const auto found = run(iterations, {0, iterations / 4});
  EXPECT_EQ(found.compared, stay_samples::samples_most);
  EXPECT_EQ(found.stayed, stay_samples::samples_most * 3 / 4);
}

TEST_F(Stay, FollowsTheRowsOfALoopThatShrinks) {
  // Rows 10 to 99, then 20 to 99, cut at row 60 both times.
  run(90, {0, 50}, {.first = 10, .increment = 1, .last = 100});
  const auto found = run(80, {0, 40}, {.first = 20, .increment = 1, .last = 100});
  EXPECT_EQ(found.compared, 80U);
  EXPECT_EQ(found.stayed, 80U);
}

TEST_F(Stay, ComparesWithTheLastExecutionOnly) {
  const numbering low{.first = 0, .increment = 1, .last = 100};
  const numbering high{.first = 100, .increment = 1, .last = 200};
  run(100, {0}, low);
  EXPECT_EQ(run(100, {0}, high).compared, 0U);
  EXPECT_EQ(run(100, {0}, low).compared, 0U);
}

TEST_F(Stay, KnowsStridedChunks) {
  for (int time = 0; time < 2; ++time) {
    ASSERT_TRUE(samples_->begin(10, no_numbers));
    const auto even = samples_->mark(0, {0, 10, 2});
    const auto odd = samples_->mark(1, {time == 0 ? 1U : 3U, 10, 2});
    samples_->end();
    EXPECT_EQ(even.stayed, time == 0 ? 0U : 5U);
    EXPECT_EQ(odd.stayed, time == 0 ? 0U : 4U);
  }
}

TEST_F(Stay, StartsAfreshWhenTheLoopNeedsAnotherGrain) {
  run(100, {0});
  EXPECT_EQ(run(std::uint64_t{1} << 20, {0}).compared, 0U);
}

TEST_F(Stay, IsForOneExecutionAtATime) {
  ASSERT_TRUE(samples_->begin(10, no_numbers));
  EXPECT_FALSE(samples_->begin(10, no_numbers));
  samples_->end();
  EXPECT_TRUE(samples_->begin(10, no_numbers));
}

TEST_F(Stay, EndsAtTheLastNumberThereIs) {
  constexpr std::uint64_t most = base::u64_max;
  EXPECT_EQ(run(most, {0}).compared, 0U);
  // Every 2^52nd of 2^64 - 1: the last one lies below.
  EXPECT_EQ(run(most, {0}).compared, stay_samples::samples_most);
}

}  // namespace
}  // namespace doall::observe
