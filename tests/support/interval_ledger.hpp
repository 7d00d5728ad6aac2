// Checks the chunks of a loop with too many iterations to count one by one: they
// are compared as intervals.
//
// A strided chunk is an interval too, among the iterations with its remainder:
// chunks of step s hold positions begin / s and up of remainder begin mod s. All
// chunks of a loop with more than one iteration must so have the same step.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "schedule/schedule.hpp"

namespace doall::tests {

class interval_ledger {
 public:
  explicit interval_ledger(base::u64 iterations) : iterations_(iterations) {}

  void record(const schedules::chunk& c) {
    ASSERT_LE(c.end, iterations_);
    ASSERT_GE(c.step, 1U);
    if (c.size() > 1) {
      ASSERT_TRUE(step_ == 0 || step_ == c.step) << "chunks of steps " << step_ << ", " << c.step;
      step_ = c.step;
    }
    dealt_.push_back(c);
  }

  void expect_at_most_once() {
    const base::u64 step = std::max<base::u64>(step_, 1);
    const auto place = [&](const schedules::chunk& c) {
      return std::tuple(c.begin % step, c.begin / step);
    };
    std::ranges::sort(dealt_, {}, place);
    for (std::size_t i = 1; i < dealt_.size(); ++i) {
      const auto [remainder, position] = place(dealt_[i]);
      const auto [last_remainder, last_position] = place(dealt_[i - 1]);
      if (remainder != last_remainder) continue;
      ASSERT_GE(position - last_position, dealt_[i - 1].size())
          << testing::PrintToString(dealt_[i - 1]) << " overlaps "
          << testing::PrintToString(dealt_[i]);
    }
  }

  // None twice and none beyond the end: then it is their number that tells.
  void expect_exactly_once() {
    expect_at_most_once();
    base::u64 dealt = 0;
    for (const schedules::chunk& c : dealt_) dealt += c.size();
    EXPECT_EQ(dealt, iterations_) << "iterations are missing";
  }

 private:
  base::u64 iterations_;
  base::u64 step_ = 0;  // of the chunks with more than one iteration; 0: none yet
  std::vector<schedules::chunk> dealt_;
};

}  // namespace doall::tests
