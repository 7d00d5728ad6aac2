// Two threads that start loops: no caller waits for the other's loops, both get on, and no thread
// is added after the first loop.
//
// Nothing is timed. A long loop's bodies end only when the other caller has run so many short loops
// (or the other way round), so a runtime in which one caller waits for the other hangs here, and
// the test's limit ends it.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

#include "support/seeds.hpp"

namespace {

auto threads_alive() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// The kernel lists a thread for a moment after it was joined, so the count may fall late. What
// stays above `expected` for ten seconds is a thread too many.
bool threads_come_to(std::ptrdiff_t expected) {
  for (int ms = 0; ms < 10'000 && threads_alive() > expected; ++ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return threads_alive() == expected;
}

// A loop of microseconds that names its schedule, so that it asks for workers.
bool sum_is_right() {
  const doall::thread_scope two(2);
  std::atomic<int> sum{0};
  doall::parallel_for(0, 64, [&](int i) { sum += i; }, doall::schedule::dynamic(8));
  return sum == 2016;
}

// Each of two iterations lasts until `is_over` holds.
template <class IsOver, class Pass>
void run_long_loop(IsOver is_over, Pass pass_the_time) {
  const doall::thread_scope two(2);
  doall::parallel_for(
      0, 2,
      [&](int) {
        while (!is_over()) pass_the_time();
      },
      doall::schedule::static_());
}

class Callers : public testing::Test {
 protected:
  void SetUp() override {
    run_long_loop([] { return true; }, [] {});
    ASSERT_TRUE(sum_is_right());
    threads_before_ = threads_alive();
  }

  void short_loops(int count) {
    for (int n = 0; n < count; ++n) {
      if (!sum_is_right()) wrong_ = true;
      short_loops_ += 1;
    }
  }

  // Long loops of one caller, each of which lasts for `a_loop` short ones of another.
  template <class Pass>
  void run_beside_long_loops(int a_loop, Pass pass_the_time) {
    const int rounds = 4 * static_cast<int>(doall::tests::times_longer());
    {
      std::jthread other([&] { short_loops(rounds * a_loop); });
      for (int round = 1; round <= rounds; ++round) {
        run_long_loop([&] { return short_loops_ >= round * a_loop; }, pass_the_time);
        EXPECT_LE(threads_alive(), threads_before_ + 1);
      }
    }
    EXPECT_TRUE(threads_come_to(threads_before_)) << threads_alive();
    EXPECT_FALSE(wrong_);
  }

  std::atomic<int> short_loops_{0};
  std::atomic<bool> wrong_{false};
  std::ptrdiff_t threads_before_ = 0;
};

TEST_F(Callers, OfShortLoopsDoNotWaitForLongLoopsThatSleep) {
  run_beside_long_loops(500, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
}

TEST_F(Callers, OfShortLoopsDoNotWaitForLongLoopsThatAreBusy) {
  run_beside_long_loops(50, [] {});
}

// Two sides in step: neither begins its next hundred loops before the other has run as many.
TEST_F(Callers, OfShortLoopsBothGetOn) {
  std::atomic<int> done[2] = {0, 0};
  const auto side = [&](int mine) {
    for (int batch = 1; batch <= 10; ++batch) {
      for (int n = 0; n < 100; ++n) {
        if (!sum_is_right()) wrong_ = true;
      }
      done[mine] = batch;
      while (done[1 - mine] < batch) std::this_thread::yield();
    }
  };
  {
    std::jthread first([&] { side(0); });
    std::jthread second([&] { side(1); });
  }
  EXPECT_TRUE(threads_come_to(threads_before_)) << threads_alive();
  EXPECT_FALSE(wrong_);
}

}  // namespace
