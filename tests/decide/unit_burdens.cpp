// src/decide/burdens: what sharing costs is measured now and then, and believed only of a whole
// team.
#include "decide/burdens.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "decide/constants.hpp"

namespace doall::decide {
namespace {

using by = empty_run::by;

constexpr std::uint64_t idle_spin_ns = 1'000'000;
std::uint64_t spins() { return idle_spin_ns; }

TEST(Burdens, AreKnownOnceTheyAreMeasured) {
  static constinit burdens price{[](std::uint32_t) { return empty_run{by::all_workers, 3000}; },
                                 spins};
  EXPECT_DOUBLE_EQ(price.known_ns(4), unmeasured_burden_ns);
  EXPECT_DOUBLE_EQ(price.measured_ns(4), 3000);
  EXPECT_DOUBLE_EQ(price.known_ns(4), 3000);
  EXPECT_DOUBLE_EQ(price.known_ns(3), unmeasured_burden_ns) << "of another team";
}

// 9,000 ns saved by each of the loops that could have been shared: the sixth pays.
TEST(BurdensTimed, WakeSleepersWhenThatHasPaid) {
  static constinit burdens price{[](std::uint32_t) { return empty_run{by::all_workers, 0}; },
                                 spins};
  ASSERT_TRUE(price.wakes(1e9));
  std::this_thread::sleep_for(std::chrono::nanoseconds(2 * idle_spin_ns));
  int alone = 0;
  while (!price.wakes(9'000)) ++alone;
  EXPECT_EQ(alone, 5);
  EXPECT_TRUE(price.wakes(1)) << "they are awake";
}

// How often what was run, of so many workers.
std::array<int, 8> empty_runs{};
empty_run next_run{};
empty_run counted_run(std::uint32_t workers) {
  ++empty_runs[workers];
  return next_run;
}

TEST(BurdensTimed, DoNotBelieveATeamThatWasNotThere) {
  static constinit burdens price{counted_run, spins};
  empty_runs = {};
  next_run = {by::another_team, 1};
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) EXPECT_GT(price.measured_ns(2), 1'000);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  // At once, 0.2 ms later, 0.4 ms after that, and so on.
  constexpr double first_retry_ms = 0.2;
  EXPECT_LE(empty_runs[2], 1 + std::log2(1 + took.count() / first_retry_ms)) << took.count();
}

TEST(BurdensTimed, KeepWhatTheyKnewWhileTheTeamIsAway) {
  static constinit burdens price{counted_run, spins};
  next_run = {by::all_workers, 50'000};
  price.measured_ns(2);
  next_run = {by::another_team, 1};
  std::this_thread::sleep_for(std::chrono::milliseconds(120));  // until it is old
  for (int i = 0; i < 100; ++i) EXPECT_DOUBLE_EQ(price.measured_ns(2), 50'000);
}

TEST(BurdensTimed, AreKnownForEachTeamSize) {
  static constinit burdens price{counted_run, spins};
  empty_runs = {};
  next_run = {by::all_workers, 2'000};
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    for (const std::uint32_t workers : {2, 3, 7}) price.measured_ns(workers);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const int times = 1 + static_cast<int>(took.count() / 0.1);
  for (const std::uint32_t workers : {2, 3, 7}) EXPECT_LE(empty_runs[workers], 5 * times);
}

// A team whose workers wait for a CPU of other programs.
std::atomic<int> late_teams{0};
empty_run late_team(std::uint32_t) {
  ++late_teams;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return {by::all_workers, 2'000'000};
}

TEST(Burdens, CostLittleWhereTeamsComeLate) {
  static constinit burdens price{late_team, spins};
  const auto start = std::chrono::steady_clock::now();
  std::chrono::duration<double, std::milli> took{};
  while (took.count() < 300) {
    price.measured_ns(2);
    took = std::chrono::steady_clock::now() - start;
  }
  // Two runs each time, and the next after at least 200 times as long.
  EXPECT_LE(late_teams, 2 * (1 + static_cast<int>(took.count() / 800)));
}

TEST(Burdens, BelieveFewLongRunsStepByStep) {
  static constinit burdens price{late_team, spins};
  EXPECT_DOUBLE_EQ(price.measured_ns(2), unsure_times * unmeasured_burden_ns);
}

TEST(Burdens, WaitForWorkersThatComeLate) {
  static constinit burdens price{[](std::uint32_t) {
                                   static int runs = 0;
                                   return ++runs <= 3 ? empty_run{by::late_workers, 1}
                                                      : empty_run{by::all_workers, 2'000};
                                 },
                                 spins};
  EXPECT_DOUBLE_EQ(price.measured_ns(2), 2'000);
}

}  // namespace
}  // namespace doall::decide
