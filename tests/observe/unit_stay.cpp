// src/observe/stay: which iterations run where they ran the last time, by samples.
#include "observe/stay.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

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

TEST_F(Stay, TakesMemoryForTheIterationsThereAre) {
  const std::size_t before = stay_samples::all_bytes();
  EXPECT_EQ(samples_->bytes(), 0U);
  run(1, {0});
  EXPECT_EQ(samples_->bytes(), 8U);
  run(100, {0});
  EXPECT_EQ(samples_->bytes(), 8U * 128);
  run(1, {0});
  run(std::uint64_t{1} << 40, {0});
  EXPECT_EQ(samples_->bytes(), 8U * stay_samples::samples_most);
  EXPECT_EQ(stay_samples::all_bytes(), before + samples_->bytes());
  samples_.reset();
  EXPECT_EQ(stay_samples::all_bytes(), before);
}

TEST_F(Stay, FollowsALoopThatGrows) {
  run(100, {0, 50});
  for (std::uint64_t n = 101; n < 5000; n += 7) {
    const auto found = run(n, {0, 50});
    if (n <= stay_samples::samples_most) {
      EXPECT_GE(found.compared, n - 7) << n;
      EXPECT_EQ(found.stayed, found.compared) << n;
    }
  }
}

TEST_F(Stay, ComparesNothingBeyondTheMemoryOfAll) {
  std::vector<std::unique_ptr<stay_samples>> all;
  const auto long_loop = [&] {
    auto& last = *all.emplace_back(std::make_unique<stay_samples>());
    const bool begun = last.begin(stay_samples::samples_most, no_numbers);
    if (begun) last.end();
    return begun;
  };
  while (long_loop()) {
    ASSERT_LE(stay_samples::all_bytes(), stay_samples::all_bytes_most);
  }
  EXPECT_FALSE(long_loop());
  EXPECT_FALSE(samples_->begin(1, no_numbers) && samples_->bytes() > 8);
  all.clear();
  samples_ = std::make_unique<stay_samples>();
  EXPECT_TRUE(samples_->begin(stay_samples::samples_most, no_numbers));
}

}  // namespace
}  // namespace doall::observe
