// src/team/small_loops: loops that would not gain run on their caller, and those
// that would are shared.
#include "team/small_loops.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <doall/doall.hpp>
#include <set>
#include <thread>

#include "team/settings.hpp"

namespace doall::team {
namespace {

const void* code(int n) {
  static const char loops[5000] = {};
  return &loops[n];
}

TEST(LoopCost, IsTimedTheFirstTimeAndThenNowAndThen) {
  loop_cost cost;
  EXPECT_FALSE(cost.known());
  EXPECT_TRUE(cost.timing_due());
  int timings = 0;
  for (int run = 0; run < 160; ++run) timings += cost.timing_due() ? 1 : 0;
  EXPECT_EQ(timings, 10);
}

TEST(LoopCost, IsTheFirstTimingThenAMean) {
  loop_cost cost;
  cost.learn(100, 1000);
  EXPECT_TRUE(cost.known());
  EXPECT_DOUBLE_EQ(cost.serial_ns(50), 500);
  cost.learn(100, 3000);
  EXPECT_DOUBLE_EQ(cost.serial_ns(1), 20);
  cost.learn(0, 12345);
  EXPECT_DOUBLE_EQ(cost.serial_ns(1), 20) << "no iteration was timed";
}

TEST(LoopCost, DoubtsATimingOutOfAllProportionOnce) {
  loop_cost cost;
  cost.learn(1, 100);
  static_cast<void>(cost.timing_due());
  cost.learn(1, 4'000'000);
  EXPECT_DOUBLE_EQ(cost.serial_ns(1), 100) << "perhaps the thread was preempted";
  EXPECT_TRUE(cost.timing_due()) << "that is found out at once";
  cost.learn(1, 120);
  EXPECT_DOUBLE_EQ(cost.serial_ns(1), 110);
  cost.learn(1, 4'000'000);
  cost.learn(1, 4'000'000);
  EXPECT_DOUBLE_EQ(cost.serial_ns(1), 4'000'000) << "twice: the loop has changed";
}

TEST(LoopCost, BelongsToItsLoop) {
  loop_cost& cost = cost_of(code(0));
  cost.learn(1, 100);
  EXPECT_EQ(&cost_of(code(0)), &cost);
  EXPECT_TRUE(cost_of(code(0)).known());
  // Many more loops than places: whoever meets another begins anew.
  for (int n = 1; n < 5000; ++n) {
    EXPECT_FALSE(cost_of(code(n)).known());
    cost_of(code(n)).learn(1, 100);
  }
  EXPECT_FALSE(cost_of(code(0)).known());
}

// Two workers, and sharing takes 2 us: loops gain from 4 us on.
TEST(BestSharing, ComparesWhatIsSavedWithTheBurden) {
  const auto two_us = [](std::uint32_t) { return 2000.0; };
  EXPECT_EQ(best_sharing(1e9, 2, two_us), sharing::balanced) << "pays for waking at once";
  // Right after a loop that was shared the workers are awake, unless this thread was
  // preempted between the two: then once more.
  const auto awake = [&](double serial_ns) {
    sharing best = sharing::none;
    for (int tries = 0; tries < 100 && best == sharing::none; ++tries) {
      best_sharing(1e9, 2, two_us);
      best = best_sharing(serial_ns, 2, two_us);
    }
    return best;
  };
  EXPECT_EQ(awake(3900), sharing::none);
  EXPECT_EQ(awake(4100), sharing::in_blocks);
  EXPECT_EQ(awake(79'000), sharing::in_blocks);
  EXPECT_EQ(awake(81'000), sharing::balanced);
}

// 9,333 ns saved by each of the loops that could have been shared: the sixth pays.
TEST(BestSharing, WakesSleepersWhenThatHasPaid) {
  const auto nothing = [](std::uint32_t) { return 0.0; };
  ASSERT_NE(best_sharing(1e9, 3, nothing), sharing::none);
  std::this_thread::sleep_for(std::chrono::nanoseconds(2 * environment().idle_spin_ns));
  int alone = 0;
  while (best_sharing(14000, 3, nothing) == sharing::none) ++alone;
  EXPECT_EQ(alone, 5);
}

TEST(BestSharing, MeasuresNothingForTheTiniestLoops) {
  const auto never = [](std::uint32_t) {
    ADD_FAILURE() << "measured";
    return 0.0;
  };
  EXPECT_EQ(best_sharing(0, 5, never), sharing::none);
  EXPECT_EQ(best_sharing(100, 5, never), sharing::none);
}

// The threads that ran a loop whose iterations take so long each. Each `Site` is a loop
// of its own.
template <int Site>
std::size_t threads_of(int iterations, std::chrono::nanoseconds each, int runs) {
  std::array<std::thread::id, 1000> ran;
  for (int run = 0; run < runs; ++run) {
    doall::parallel_for(0, iterations, [&](int i) {
      if (each.count() != 0) {
        const auto end = std::chrono::steady_clock::now() + each;
        while (std::chrono::steady_clock::now() < end) {
        }
      }
      ran[i] = std::this_thread::get_id();
    });
  }
  return std::set(ran.begin(), ran.begin() + iterations).size();
}

TEST(SmallLoops, RunOnTheirCaller) {
  if (!environment().small_loops_alone) GTEST_SKIP() << "DOALL_SMALL_LOOPS is set";
  EXPECT_EQ(threads_of<1>(2, std::chrono::nanoseconds(0), 100), 1U);
}

TEST(SmallLoops, AreSharedWhenTheyAreNotSmall) {
  if (environment().threads < 2) GTEST_SKIP() << "one worker shares nothing";
  EXPECT_GT(threads_of<3>(100, std::chrono::milliseconds(1), 2), 1U);
  EXPECT_GT(threads_of<4>(2, std::chrono::milliseconds(20), 2), 1U) << "too few to probe";
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

TEST(SmallLoops, ThatNameAScheduleAreShared) {
  if (environment().threads < 2) GTEST_SKIP() << "one worker shares nothing";
  std::array<std::thread::id, 2> ran;
  // Of a worker that comes late the caller runs the part.
  for (int run = 0; run < 10'000 && ran[0] == ran[1]; ++run) {
    doall::parallel_for(
        0, 2, [&](int i) { ran[i] = std::this_thread::get_id(); }, doall::schedule::static_());
  }
  EXPECT_NE(ran[0], ran[1]);
}

TEST(SmallLoops, GiveUpAtAnExceptionInTheProbe) {
  std::atomic<int> ran = 0;
  EXPECT_THROW(doall::parallel_for(0, 100'000,
                                   [&](int i) {
                                     ++ran;
                                     if (i == 2) throw std::runtime_error("stop");
                                   }),
               std::runtime_error);
  EXPECT_LT(ran, 100'000);
}

}  // namespace
}  // namespace doall::team
