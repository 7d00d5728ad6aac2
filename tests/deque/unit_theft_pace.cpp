// How often a thread steals tasks, by how long those kept it that it has stolen
// (src/deque/theft_pace.hpp), in virtual time.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "deque/theft_pace.hpp"

namespace {

using doall::deque::theft_pace;

constexpr std::uint64_t theft_ns = 200;

// A thread that steals from a deque which always has tasks.
struct thief {
  // Steals one that takes so long, once it may.
  void steal_one(std::uint64_t ran_ns, bool leaves_tasks = false) {
    const std::uint64_t came_ns = now_ns;
    while (pace.rests([this] { return now_ns; })) ++now_ns;
    rested_ns += last_rest_ns = now_ns - came_ns;
    now_ns += theft_ns + ran_ns;
    worked_ns += theft_ns + ran_ns;
    pace.learn(ran_ns, leaves_tasks, now_ns, threads);
  }
  void steal(int tasks, std::uint64_t ran_ns) {
    for (int i = 0; i < tasks; ++i) steal_one(ran_ns);
  }

  std::uint32_t threads = 2;
  theft_pace pace{theft_ns};
  std::uint64_t now_ns = 1;
  std::uint64_t last_rest_ns = 0;
  std::uint64_t rested_ns = 0;
  std::uint64_t worked_ns = 0;
};

TEST(TheftPace, NeverRestsFromTasksAsLongAsATheft) {
  for (const std::uint64_t ran_ns : {theft_ns, 10 * theft_ns, 10'000 * theft_ns}) {
    thief t;
    t.steal(1000, ran_ns);
    EXPECT_EQ(t.rested_ns, 0) << ran_ns;
  }
}

TEST(TheftPace, RestsLongerTheShorterTasksAreAndTheMoreThreadsSteal) {
  const auto rest_of = [](std::uint64_t ran_ns, std::uint32_t threads) {
    thief t{threads};
    t.steal(1000, ran_ns);
    return t.last_rest_ns;
  };
  EXPECT_GT(rest_of(0, 2), 20 * theft_ns);
  EXPECT_GT(rest_of(0, 2), rest_of(theft_ns / 2, 2));
  EXPECT_GT(rest_of(theft_ns / 2, 2), 0);
  EXPECT_GE(rest_of(theft_ns / 2, 9), 8 * rest_of(theft_ns / 2, 2));
  EXPECT_EQ(rest_of(0, 1), 0);
}

TEST(TheftPace, LearnsWithinMicroseconds) {
  thief t;
  while (t.rested_ns == 0) t.steal_one(10);
  EXPECT_LT(t.now_ns, 100 * theft_ns);
}

// Of tasks that are worth their thefts together, few are long.
TEST(TheftPace, HardlyRestsWhereOneTaskInTenIsLong) {
  thief t;
  doall::base::rng dice(20261130);
  for (int i = 0; i < 100'000; ++i)
    t.steal_one(dice.below(10) == 0 ? 25 * theft_ns : theft_ns / 20);
  EXPECT_LT(t.rested_ns, t.worked_ns / 50);
}

TEST(TheftPace, NoticesThatTasksHaveBecomeLong) {
  for (const std::uint64_t ran_ns : {5 * theft_ns, 100 * theft_ns}) {
    thief t;
    t.steal(10'000, 10);
    const std::uint64_t rested_ns = t.rested_ns;
    t.steal(1000, ran_ns);
    EXPECT_LT(t.rested_ns - rested_ns, 300 * theft_ns) << ran_ns;
    EXPECT_EQ(t.last_rest_ns, 0) << ran_ns;
  }
}

// It may have been preempted.
TEST(TheftPace, OneLongTaskIsSoonForgotten) {
  thief t;
  t.steal(1000, 10);
  t.steal_one(3'000'000);
  t.steal(150, 10);
  EXPECT_GT(t.last_rest_ns, 0);
}

// Of a tree of tasks each is short, and its thief has enough to do for long.
TEST(TheftPace, ATaskThatLeavesTasksIsWorthItsTheft) {
  thief t;
  for (int i = 0; i < 1000; ++i) t.steal_one(10, true);
  EXPECT_EQ(t.rested_ns, 0);
}

}  // namespace
