// src/sites/small_loops: loops that would not gain run on their caller, and those
// that would are shared.
#include "sites/small_loops.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <doall/doall.hpp>
#include <set>
#include <thread>

#include "native/sharing.hpp"
#include "settings/settings.hpp"
#include "sites/site.hpp"
#include "support/repeat.hpp"
#include "threads/pool.hpp"

namespace doall::team {
namespace {

using by = decide::empty_run::by;
using tests::repeat_while_disturbed;

TEST(LoopCost, IsTimedTheFirstTimeAndThenNowAndThen) {
  loop_cost cost;
  EXPECT_FALSE(cost.known());
  EXPECT_TRUE(cost.timing_due());
  int timings = 0;
  for (int run = 0; run < 160; ++run) timings += cost.timing_due() ? 1 : 0;
  EXPECT_EQ(timings, 10);
}

TEST(LoopCost, IsTheMedianOfTheLastThreeTimings) {
  loop_cost cost;
  cost.learn(100, 1000);
  EXPECT_TRUE(cost.known());
  EXPECT_DOUBLE_EQ(cost.serial_ns(50), 500);
  cost.learn(100, 3000);
  EXPECT_DOUBLE_EQ(cost.serial_ns(1), 10) << "of two the lesser";
  cost.learn(100, 2000);
  EXPECT_DOUBLE_EQ(cost.serial_ns(1), 20);
  cost.learn(100, 2500);
  EXPECT_DOUBLE_EQ(cost.serial_ns(1), 25);
  cost.learn(0, 12345);
  EXPECT_DOUBLE_EQ(cost.serial_ns(1), 25) << "no iteration was timed";
}

// How many runs it takes until a site whose iterations take 100 ns, but whose first timing said
// `first`, is known to cost that.
int runs_until_right(std::uint64_t first) {
  loop_cost cost;
  int runs = 0;
  for (; cost.serial_ns(1) != 100; ++runs) {
    if (cost.timing_due()) cost.learn(1, runs == 0 ? first : 100);
  }
  return runs;
}

TEST(LoopCost, ForgetsAFirstTimingThatWasWrong) {
  EXPECT_EQ(runs_until_right(4'000'000), 2);
  EXPECT_EQ(runs_until_right(1), 3);
}

TEST(LoopCost, IsNotMisledByOneTiming) {
  loop_cost cost;
  while (!cost.settled()) cost.learn(1, 100);
  for (const std::uint64_t wrong : {4'000'000, 1}) {
    while (!cost.timing_due()) {
    }
    cost.learn(1, wrong);
    EXPECT_DOUBLE_EQ(cost.serial_ns(1), 100) << wrong;
    EXPECT_TRUE(cost.timing_due()) << "that is found out at once";
    cost.learn(1, 100);
    EXPECT_DOUBLE_EQ(cost.serial_ns(1), 100);
    EXPECT_FALSE(cost.timing_due());
    cost.learn(1, 100);
  }
}

TEST(LoopCost, FollowsALoopThatHasChanged) {
  loop_cost cost;
  while (!cost.settled()) cost.learn(1, 100);
  cost.learn(1, 4'000'000);
  cost.learn(1, 4'000'000);
  EXPECT_DOUBLE_EQ(cost.serial_ns(1), 4'000'000);
  cost.learn(1, 100);
  cost.learn(1, 100);
  EXPECT_DOUBLE_EQ(cost.serial_ns(1), 100);
}

TEST(LoopCost, IsNotTimedAllTheTimeWhereLoopsDiffer) {
  loop_cost cost;
  for (int run = 0; run < 1600; ++run) {
    if (cost.timing_due()) cost.learn(1, cost.timings() % 2 == 0 ? 10 : 1000);
  }
  EXPECT_LE(cost.timings(), 2U + 1600 / 8);
}

TEST(EmptyBlocks, AreNotTakenForATeamsWhereThereIsNone) {
  const pool::lease team(2);
  if (team.size() < 2) GTEST_SKIP() << "there is no pool";
  EXPECT_EQ(native::run_empty_blocks(2).ran, by::another_team) << "the pool is leased";
}

TEST(EmptyBlocksTimed, AreATeamsWhenItsWorkersCome) {
  if (pool::lease(2).size() < 2) GTEST_SKIP() << "there is no pool";
  // Not the first time, perhaps: they may sleep.
  bool came = false;
  for (int tries = 0; tries < 100'000 && !came; ++tries) {
    came = native::run_empty_blocks(2).ran == by::all_workers;
  }
  EXPECT_TRUE(came);
}

// The threads that ran a loop whose iterations take so long each. Each `Site` is a loop
// of its own.
template <int Site>
std::size_t threads_of(int iterations, std::chrono::nanoseconds each, int runs,
                       const doall::loop_options& how = {}) {
  std::array<std::thread::id, 1000> ran;
  const auto body = [&](int i) {
    if (each.count() != 0) {
      const auto end = std::chrono::steady_clock::now() + each;
      while (std::chrono::steady_clock::now() < end) {
      }
    }
    ran[i] = std::this_thread::get_id();
  };
  for (int run = 0; run < runs; ++run) doall::parallel_for(0, iterations, body, how);
  return std::set(ran.begin(), ran.begin() + iterations).size();
}

TEST(SmallLoopsTimed, RunOnTheirCaller) {
  if (!environment().small_loops_alone) GTEST_SKIP() << "DOALL_SMALL_LOOPS is set";
  repeat_while_disturbed([] { EXPECT_EQ(threads_of<1>(2, std::chrono::nanoseconds(0), 100), 1U); });
}

// `auto` is the choice among all ways to run a loop, also to run it alone.
TEST(SmallLoopsTimed, ThatNameAutoRunOnTheirCaller) {
  if (!environment().small_loops_alone) GTEST_SKIP() << "DOALL_SMALL_LOOPS is set";
  const doall::loop_options by_auto{.how = doall::schedule::auto_()};
  repeat_while_disturbed(
      [&] { EXPECT_EQ(threads_of<2>(2, std::chrono::nanoseconds(0), 100, by_auto), 1U); });
}

TEST(SmallLoopsTimed, AreSharedWhenTheyAreNotSmall) {
  if (environment().threads < 2) GTEST_SKIP() << "one worker shares nothing";
  repeat_while_disturbed([] {
    EXPECT_GT(threads_of<3>(100, std::chrono::milliseconds(1), 2), 1U);
    EXPECT_GT(threads_of<4>(2, std::chrono::milliseconds(20), 2), 1U) << "too few to probe";
  });
}

// Whoever meets another in an iteration takes five times as long.
TEST(SmallLoopsTimed, RunAloneWhereTheirWorkersSlowEachOtherDown) {
  if (!environment().small_loops_alone) GTEST_SKIP() << "DOALL_SMALL_LOOPS is set";
  if (environment().threads < 2) GTEST_SKIP() << "one worker shares nothing";
  const thread_scope two(2);
  std::atomic<int> inside = 0;
  std::atomic<std::uint32_t> workers_seen = 0;
  const auto spin_us = [](int us) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  repeat_while_disturbed([&] {
    int shared = 0;
    for (int run = 0; run < 100; ++run) {
      workers_seen = 0;
      doall::parallel_for(0, 100, [&](int) {
        const bool meets = inside.fetch_add(1) > 0;
        workers_seen.fetch_or(1U << doall::worker_index());
        spin_us(meets ? 10 : 2);
        if (!meets && inside > 1) spin_us(8);
        inside.fetch_sub(1);
      });
      if (run >= 20 && (workers_seen & (workers_seen - 1)) != 0) ++shared;
    }
    EXPECT_LE(shared, 10);
  });
}

// The sum shows an iteration that was left out or run twice by the probe.
TEST(SmallLoops, RunEachIterationOnceWhateverIsKnown) {
  for (const int iterations : {1, 2, 63, 64, 65, 1000, 100'000}) {
    for (int run = 0; run < 40; ++run) {
      const auto sum = doall::parallel_reduce(
          0, iterations, 0LL, [](int i) { return static_cast<long long>(i); }, std::plus<>{});
      ASSERT_EQ(sum, static_cast<long long>(iterations) * (iterations - 1) / 2);
      std::atomic<long long> other = 0;
      doall::parallel_for(0, iterations, [&](int i) { other += i; });
      ASSERT_EQ(other, sum);
    }
  }
}

TEST(SmallLoopsTimed, ThatNameAScheduleAreShared) {
  if (environment().threads < 2) GTEST_SKIP() << "one worker shares nothing";
  std::array<std::thread::id, 2> ran;
  // Of a worker that comes late the caller runs the part.
  for (int run = 0; run < 10'000 && ran[0] == ran[1]; ++run) {
    doall::parallel_for(
        0, 2, [&](int i) { ran[i] = std::this_thread::get_id(); }, doall::schedule::static_());
  }
  EXPECT_NE(ran[0], ran[1]);
}

// What the site of such a loop says of its iterations, after its first run while another caller
// has the pool.
bool seems_to_nest(doall_body body, std::uint32_t line) {
  const pool::lease of_another(2);
  doall_loop loop{};
  loop.size = sizeof loop;
  loop.iterations = 2;
  loop.body = body;
  loop.file = "unit_small_loops";
  loop.line = line;
  EXPECT_EQ(doall_run(&loop), 0);
  return site_of(loop).cost.nests();
}

TEST(SmallLoops, MeetNoOthersWhileThePoolIsLeased) {
  if (environment().threads < 2) GTEST_SKIP() << "one worker shares nothing";
  const doall_body flat = [](void*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t) {
    return 0;
  };
  const doall_body nest = [](void*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t) {
    doall::parallel_for(0, 3, [](int) {});
    return 0;
  };
  EXPECT_FALSE(seems_to_nest(flat, 1));
  EXPECT_TRUE(seems_to_nest(nest, 2));
}

// An exception is known when it is caught. Until then others may have run all the rest: not always.
TEST(SmallLoops, GiveUpAtAnExceptionInTheProbe) {
  constexpr int iterations = 100'000;
  int ended_early = 0;
  for (int run = 0; run < 12; ++run) {
    std::atomic<int> ran = 0;
    EXPECT_THROW(doall::parallel_for(0, iterations,
                                     [&](int i) {
                                       ++ran;
                                       if (i == 2) throw std::runtime_error("stop");
                                     }),
                 std::runtime_error);
    EXPECT_LE(ran, iterations);
    ended_early += ran < iterations ? 1 : 0;
  }
  EXPECT_GT(ended_early, 0);
}

}  // namespace
}  // namespace doall::team
