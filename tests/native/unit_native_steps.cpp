// doall::parallel_for with a step.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "support/every_schedule.hpp"
#include "support/seeds.hpp"

namespace {

// What a loop's body was called with, sorted.
template <class First, class Last, class Step>
auto indices(First first, Last last, Step step, const doall::loop_options& options = {}) {
  std::vector<std::common_type_t<First, Last>> seen;
  std::mutex lock;
  const auto end = doall::parallel_for(
      first, last, step,
      [&](std::common_type_t<First, Last> i) {
        const std::lock_guard hold(lock);
        seen.push_back(i);
      },
      options);
  EXPECT_EQ(end, doall::loop_end::completed);
  std::ranges::sort(seen);
  return seen;
}

TEST(Steps, GoUpAndDown) {
  using list = std::vector<int>;
  EXPECT_EQ(indices(0, 10, 3), (list{0, 3, 6, 9}));
  EXPECT_EQ(indices(0, 9, 3), (list{0, 3, 6}));
  EXPECT_EQ(indices(9, -1, -3), (list{0, 3, 6, 9}));
  EXPECT_EQ(indices(9, 0, -3), (list{3, 6, 9}));
  EXPECT_EQ(indices(-5, 6, 5), (list{-5, 0, 5}));
  EXPECT_EQ(indices(7, 8, 100), (list{7}));
  EXPECT_EQ(indices(8, 7, -100), (list{8}));
}

TEST(Steps, AwayFromTheEndAreEmptyLoops) {
  EXPECT_TRUE(indices(0, 10, -1).empty());
  EXPECT_TRUE(indices(10, 0, 1).empty());
  EXPECT_TRUE(indices(4, 4, 1).empty());
  EXPECT_TRUE(indices(4, 4, -1).empty());
}

TEST(Steps, DownThroughUnsignedIndices) {
  EXPECT_EQ(indices(5U, 0U, -2), (std::vector<unsigned>{1, 3, 5}));
  EXPECT_EQ(indices(std::uint64_t{3}, std::uint64_t{0}, std::int8_t{-1}),
            (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(Steps, ReachTheEndsOfTheirTypes) {
  using s64 = std::numeric_limits<std::int64_t>;
  using u64 = std::numeric_limits<std::uint64_t>;
  // The step beyond the last index fits in no type.
  EXPECT_EQ(indices(s64::max() - 5, s64::max(), 4),
            (std::vector<std::int64_t>{s64::max() - 5, s64::max() - 1}));
  EXPECT_EQ(indices(s64::min() + 5, s64::min(), -4),
            (std::vector<std::int64_t>{s64::min() + 1, s64::min() + 5}));
  EXPECT_EQ(indices(s64::min(), s64::max(), s64::max()),
            (std::vector<std::int64_t>{s64::min(), -1, s64::max() - 1}));
  EXPECT_EQ(indices(s64::max(), s64::min(), s64::min()),
            (std::vector<std::int64_t>{-1, s64::max()}));
  EXPECT_EQ(indices(std::uint64_t{0}, u64::max(), u64::max() - 1),
            (std::vector<std::uint64_t>{0, u64::max() - 1}));
  EXPECT_EQ(indices(std::int8_t{-128}, std::int8_t{127}, std::int8_t{127}),
            (std::vector<std::int8_t>{-128, -1, 126}));
}

TEST(Steps, OfZeroAreRefused) {
  bool called = false;
  const auto body = [&](int) { called = true; };
  try {
    doall::parallel_for(0, 10, 0, body);
    FAIL() << "nothing was thrown";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("the step is 0"), std::string::npos) << e.what();
  }
  EXPECT_THROW(doall::parallel_for(0, 0, 0U, body), std::invalid_argument);
  EXPECT_FALSE(called);
}

TEST(Steps, AgreeWithASerialLoopUnderEverySchedule) {
  const auto all = doall::tests::every_schedule();
  doall::tests::for_each_case(200, [&](doall::base::rng& random) {
    const auto first = static_cast<int>(random.below(2001)) - 1000;
    const auto last = static_cast<int>(random.below(2001)) - 1000;
    int step = static_cast<int>(random.below(81)) - 40;
    if (step == 0) step = 1;
    std::vector<int> wanted;
    for (int i = first; step > 0 ? i < last : i > last; i += step) wanted.push_back(i);
    std::ranges::sort(wanted);
    ASSERT_EQ(indices(first, last, step, all[random.below(all.size())]), wanted)
        << first << " to " << last << " by " << step;
  });
}

}  // namespace
