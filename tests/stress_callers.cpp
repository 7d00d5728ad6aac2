// Two threads that start loops for a while: both get on, neither waits for the
// other's loops, and no thread is added after the first loop.
//
// "Gets on": 99.9 % of a caller's loops, each of microseconds, end within 10 ms, and
// half of its time lies in such loops. The rest is the system's: with two callers
// and a worker on two cores it keeps threads waiting for whole time slices.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <thread>
#include <vector>

namespace {

using clock = std::chrono::steady_clock;

auto threads_alive() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

// DOALL_TEST_SECONDS: 10 for a long look.
std::chrono::seconds duration() {
  const char* given = std::getenv("DOALL_TEST_SECONDS");
  return std::chrono::seconds(given != nullptr ? std::atoi(given) : 2);
}

void expect_to_get_on(std::vector<double> loops_ms) {
  ASSERT_GT(loops_ms.size(), 100U);
  const double all_ms = std::accumulate(loops_ms.begin(), loops_ms.end(), 0.0);
  double slow_ms = 0;
  for (const double ms : loops_ms) slow_ms += ms > 10 ? ms : 0;
  std::ranges::sort(loops_ms);
  EXPECT_LE(loops_ms[loops_ms.size() * 999 / 1000], 10) << loops_ms.size() << " loops";
  EXPECT_LE(slow_ms, all_ms / 2) << "the longest took " << loops_ms.back() << " ms";
}

TEST(Callers, BothGetOnAndNoThreadIsAdded) {
  const auto sum_to_2016 = [] {
    const doall::thread_scope team(2);
    std::atomic<int> sum{0};
    doall::parallel_for(0, 64, [&](int i) { sum += i; }, doall::schedule::dynamic(8));
    return sum == 2016;
  };
  ASSERT_TRUE(sum_to_2016());
  const auto threads_before = threads_alive();

  std::array<std::vector<double>, 2> loops_ms;
  std::atomic<bool> wrong{false};
  {
    std::vector<std::jthread> callers;
    const auto end = clock::now() + duration();
    for (auto& mine : loops_ms) {
      callers.emplace_back([&] {
        for (auto last = clock::now(); last < end;) {
          if (!sum_to_2016()) wrong = true;
          const auto now = clock::now();
          mine.push_back(std::chrono::duration<double, std::milli>(now - last).count());
          last = now;
        }
      });
    }
    // The callers themselves and what was there.
    EXPECT_EQ(threads_alive(), threads_before + 2);
  }
  EXPECT_FALSE(wrong);
  EXPECT_EQ(threads_alive(), threads_before);
  for (const auto& mine : loops_ms) expect_to_get_on(mine);
}

}  // namespace
