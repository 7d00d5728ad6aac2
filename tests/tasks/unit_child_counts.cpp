// The counts of a task's children (src/tasks/child_counts.hpp) over more children than they can
// count at a time: reports come in bulk here.
#include <gtest/gtest.h>

#include "tasks/child_counts.hpp"

namespace {

using doall::tasks::child_counts;

constexpr child_counts::count all_but_one = (child_counts::count{1} << 32) - 1;

TEST(ChildCounts, NoChildIsTheLastBeforeTheRunnerHasLeft) {
  child_counts counts;
  counts.reset();
  for (int i = 0; i < 3; ++i) {
    counts.add(all_but_one / 2 * child_counts::both);
    EXPECT_FALSE(counts.report_away(all_but_one / 2 * child_counts::both));
  }
  // Together with what has reported that is a multiple of 2^32.
  for (int i = 0; i < 1000; ++i) {
    counts.add();
    EXPECT_FALSE(counts.report_away(child_counts::both));
    EXPECT_TRUE(counts.all_complete());
    EXPECT_TRUE(counts.all_finished());
  }
  counts.add();
  EXPECT_FALSE(counts.leave());
  EXPECT_TRUE(counts.report_away(child_counts::both));
}

}  // namespace
