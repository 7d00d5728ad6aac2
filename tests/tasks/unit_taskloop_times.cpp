// What a taskloop's tasks are taken to cost (src/tasks/taskloop_times.hpp).
#include <gtest/gtest.h>

#include "tasks/taskloop_times.hpp"

namespace {

using doall::tasks::taskloop_times;
using doall::tasks::theft_ns;

const int code_of_one = 1;
const int code_of_other = 2;

TEST(TaskloopTimes, KnowNothingAtFirst) {
  EXPECT_FALSE(taskloop_times().are_short(&code_of_one, 1));
}

TEST(TaskloopTimes, ComparesWhatTasksTakeWithATheft) {
  taskloop_times t;
  t.add(&code_of_one, 100, 500);  // 5 ns each
  EXPECT_TRUE(t.are_short(&code_of_one, 256));
  EXPECT_FALSE(t.are_short(&code_of_one, theft_ns / 5));
  EXPECT_FALSE(t.are_short(&code_of_other, 1));
}

// A thread that was preempted within a range.
TEST(TaskloopTimes, OneLongRangeIsNotBelieved) {
  taskloop_times t;
  t.add(&code_of_one, 256, 1280);
  t.add(&code_of_one, 256, 4'000'000);
  EXPECT_TRUE(t.are_short(&code_of_one, 256));
  t.add(&code_of_one, 256, 4'000'000);
  EXPECT_FALSE(t.are_short(&code_of_one, 256));
  t.add(&code_of_one, 256, 1280);
  EXPECT_TRUE(t.are_short(&code_of_one, 256));
}

// What the end of a taskloop looks like that thieves have taken apart.
TEST(TaskloopTimes, ShortRangesSayNothing) {
  taskloop_times t;
  t.add(&code_of_one, 256, 1280);
  for (int i = 0; i < 8; ++i) t.add(&code_of_one, 1, 150);
  EXPECT_TRUE(t.are_short(&code_of_one, 256));
}

TEST(TaskloopTimes, FewLongTasksAreKnown) {
  taskloop_times t;
  t.add(&code_of_one, 2, 200'000);
  EXPECT_FALSE(t.are_short(&code_of_one, 1));
}

TEST(TaskloopTimes, AnotherTaskloopIsLearntFromItsFirstRange) {
  taskloop_times t;
  t.add(&code_of_one, 256, 1280);
  t.add(&code_of_other, 16, 160'000);
  EXPECT_FALSE(t.are_short(&code_of_other, 1));
  EXPECT_FALSE(t.are_short(&code_of_one, 1));
}

}  // namespace
