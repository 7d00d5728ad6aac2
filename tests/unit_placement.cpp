// Moving a worker's thread (src/team/placement.hpp) and leaving it as it was.
#include "team/placement.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace doall::team {
namespace {

// A thread that is busy until it is asked to end.
class busy_thread {
 public:
  busy_thread()
      : thread_([this] {
          place.of_this_thread();
          id = gettid();
          while (!ends_) turns++;
        }) {
    while (turns == 0) std::this_thread::yield();
  }
  ~busy_thread() {
    ends_ = true;
    thread_.join();
  }

  placement place;
  std::atomic<pid_t> id{0};
  std::atomic<long> turns{0};

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

bool several_cpus() { return cpu_mask::of_thread(0).has_several(); }

TEST(CpuMask, IsThatOfTheThread) {
  const cpu_mask mine = cpu_mask::of_thread(0);
  EXPECT_TRUE(mine.has(sched_getcpu()));
  for (const int none : {-1, cpu_mask::most_cpus, 1 << 20}) {
    EXPECT_FALSE(mine.has(none));
    EXPECT_EQ(mine.without(none), mine);
    EXPECT_EQ(cpu_mask::only(none), cpu_mask());
  }
  EXPECT_FALSE(cpu_mask::only(sched_getcpu()).has_several());
  EXPECT_TRUE(cpu_mask::only(sched_getcpu()).has(sched_getcpu()));
  EXPECT_FALSE(mine.without(sched_getcpu()).has(sched_getcpu()));
}

TEST(Placement, TellsWhetherAThreadRuns) {
  busy_thread busy;
  const auto before_ns = busy.place.used_ns();
  EXPECT_GT(before_ns, 0U);
  const long turns = busy.turns;
  while (busy.turns < turns + 1'000'000) std::this_thread::yield();
  EXPECT_GT(busy.place.used_ns(), before_ns);
}

TEST(Placement, PullsAThreadHereAndLetsItLeaveAgain) {
  if (!several_cpus()) GTEST_SKIP() << "one CPU";
  busy_thread busy;
  const cpu_mask home = cpu_mask::of_thread(busy.id);
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(busy.place.pull());
    EXPECT_EQ(cpu_mask::of_thread(busy.id), home);
  }
}

TEST(Placement, LeavesAThreadAloneThatSomebodyElseHasMoved) {
  if (!several_cpus()) GTEST_SKIP() << "one CPU";
  busy_thread busy;
  const cpu_mask moved = cpu_mask::of_thread(busy.id).without(sched_getcpu());
  ASSERT_TRUE(moved.apply_to(busy.id));
  EXPECT_FALSE(busy.place.pull());
  EXPECT_EQ(cpu_mask::of_thread(busy.id), moved);
}

TEST(Placement, EvadesACpuAndMayComeBack) {
  if (!several_cpus()) GTEST_SKIP() << "one CPU";
  placement mine;
  mine.of_this_thread();
  const cpu_mask home = cpu_mask::of_thread(0);
  int away = 0;
  for (int i = 0; i < 100; ++i) {
    const int cpu = sched_getcpu();
    mine.evade(cpu);
    away += sched_getcpu() != cpu ? 1 : 0;
    ASSERT_EQ(cpu_mask::of_thread(0), home);
  }
  EXPECT_GT(away, 50);
  mine.evade(1 << 20);  // of which the thread has never heard
  EXPECT_EQ(cpu_mask::of_thread(0), home);
}

}  // namespace
}  // namespace doall::team
