// Two threads that start loops for a while: no caller waits for the other's loops, both
// get on, and no thread is added after the first loop.
//
// What the runtime owes is that a loop never waits for another caller's: where one
// runs loops of 200 ms and the other loops of microseconds, those must not see anything
// near to 200 ms. What the system takes by its time slices, with two callers and a
// worker on two cores, is its own; so where the long loops keep the cores busy, that
// is all that is asked, and 10 ms where they sleep.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <numeric>
#include <thread>
#include <vector>

#include "support/repeat.hpp"

namespace {

using namespace std::chrono_literals;
using doall::tests::repeat_while_disturbed;
using clock = std::chrono::steady_clock;

constexpr auto long_loop = 200ms;

auto threads_alive() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// DOALL_TEST_SECONDS: 10 for a long look.
std::chrono::seconds duration() {
  const char* given = std::getenv("DOALL_TEST_SECONDS");
  return std::chrono::seconds(given != nullptr ? std::atoi(given) : 2);
}

// A loop of microseconds that names its schedule, so that it asks for workers.
bool sum_is_right() {
  const doall::thread_scope two(2);
  std::atomic<int> sum{0};
  doall::parallel_for(0, 64, [&](int i) { sum += i; }, doall::schedule::dynamic(8));
  return sum == 2016;
}

// Both of two workers are in its body for that long.
void run_long_loop(const std::function<void()>& pass_the_time) {
  const doall::thread_scope two(2);
  doall::parallel_for(0, 2, [&](int) { pass_the_time(); }, doall::schedule::static_());
}

void sleep() { std::this_thread::sleep_for(long_loop); }

void be_busy() {
  const auto end = clock::now() + long_loop;
  while (clock::now() < end) continue;
}

// How long each call of `loop` took, as long as the test lasts.
std::vector<double> times_ms(const std::function<void()>& loop) {
  std::vector<double> all;
  const auto end = clock::now() + duration();
  for (auto last = clock::now(); last < end;) {
    loop();
    const auto now = clock::now();
    all.push_back(std::chrono::duration<double, std::milli>(now - last).count());
    last = now;
  }
  std::ranges::sort(all);
  return all;
}

// The one below which that part of them lies.
double quantile(const std::vector<double>& sorted, double part) {
  return sorted.at(static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1)));
}

class Callers : public testing::Test {
 protected:
  void SetUp() override {
    run_long_loop([] {});
    ASSERT_TRUE(sum_is_right());
    threads_before_ = threads_alive();
  }

  // The calls of both while they run side by side.
  void run(const std::function<void()>& first_loop, const std::function<void()>& second_loop) {
    {
      std::jthread first([&] { first_ms_ = times_ms(first_loop); });
      std::jthread second([&] { second_ms_ = times_ms(second_loop); });
      EXPECT_EQ(threads_alive(), threads_before_ + 2);
      std::this_thread::sleep_for(duration() / 2);
      EXPECT_EQ(threads_alive(), threads_before_ + 2);
    }
    EXPECT_EQ(threads_alive(), threads_before_);
    EXPECT_FALSE(wrong_);
  }

  void short_loop() {
    if (!sum_is_right()) wrong_ = true;
  }

  std::vector<double> first_ms_;   // sorted
  std::vector<double> second_ms_;  // sorted

 private:
  std::atomic<bool> wrong_{false};
  std::ptrdiff_t threads_before_ = 0;
};

constexpr double half_a_long_loop_ms =
    std::chrono::duration<double, std::milli>(long_loop).count() / 2;

TEST_F(Callers, OfShortLoopsDoNotWaitForLongLoopsThatSleep) {
  repeat_while_disturbed([&] {
    run([] { run_long_loop(sleep); }, [&] { short_loop(); });
    EXPECT_GT(second_ms_.size(), 1000U);
    EXPECT_LE(second_ms_.back(), half_a_long_loop_ms);
    EXPECT_LE(quantile(second_ms_, 0.999), 10);
    // In parallel, or alone in twice the time when the other has the workers.
    EXPECT_LE(quantile(first_ms_, 0.5), 5 * half_a_long_loop_ms);
  });
}

TEST_F(Callers, OfShortLoopsDoNotWaitForLongLoopsThatAreBusy) {
  repeat_while_disturbed([&] {
    run([] { run_long_loop(be_busy); }, [&] { short_loop(); });
    EXPECT_GT(second_ms_.size(), 100U);
    EXPECT_LE(second_ms_.back(), half_a_long_loop_ms);
  });
}

TEST_F(Callers, OfShortLoopsBothGetOn) {
  repeat_while_disturbed([&] {
    run([&] { short_loop(); }, [&] { short_loop(); });
    for (const auto& mine : {first_ms_, second_ms_}) {
      ASSERT_GT(mine.size(), 100U);
      EXPECT_LE(quantile(mine, 0.999), 10) << mine.size() << " loops";
      const auto slow = std::ranges::upper_bound(mine, 10);
      EXPECT_LE(std::accumulate(slow, mine.end(), 0.0),
                std::accumulate(mine.begin(), mine.end(), 0.0) / 2)
          << "the longest took " << mine.back() << " ms";
    }
  });
}

}  // namespace
