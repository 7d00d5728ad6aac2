// The native door: doall::parallel_for, parallel_reduce and schedule.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "support/every_schedule.hpp"

namespace {

using doall::tests::every_schedule;

TEST(ParallelFor, RunsEachIndexOnceUnderEverySchedule) {
  for (const doall::schedule& how : every_schedule()) {
    for (const int n : {0, 1, 2, 3, 17, 1000}) {
      std::vector<std::atomic<int>> seen(n);
      doall::parallel_for(0, n, [&](int i) { seen[i]++; }, how);
      for (int i = 0; i < n; ++i) ASSERT_EQ(seen[i], 1) << "index " << i << " of " << n;
    }
  }
}

TEST(ParallelFor, TakesRangesThatTileTheLoop) {
  for (const doall::schedule& how : every_schedule()) {
    std::vector<std::atomic<int>> seen(1000);
    doall::parallel_for(
        -300, 700,
        [&](doall::range<int> r) {
          ASSERT_LT(r.first(), r.last());
          ASSERT_EQ(r.size(), static_cast<std::uint64_t>(r.last() - r.first()));
          for (int i : r) seen[i + 300]++;
        },
        how);
    for (auto& count : seen) ASSERT_EQ(count, 1);
  }
}

TEST(ParallelFor, TakesEveryIntegralTypeUpToItsEnds) {
  std::atomic<int> calls{0};
  doall::parallel_for(std::int8_t{-128}, std::int8_t{127}, [&](std::int8_t) { calls++; });
  EXPECT_EQ(calls, 255);
  calls = 0;
  using limits = std::numeric_limits<std::int64_t>;
  doall::parallel_for(limits::max() - 5, limits::max(), [&](std::int64_t i) {
    EXPECT_GE(i, limits::max() - 5);
    calls++;
  });
  doall::parallel_for(limits::min(), limits::min() + 5, [&](std::int64_t i) {
    EXPECT_LT(i, limits::min() + 5);
    calls++;
  });
  EXPECT_EQ(calls, 10);
  // A body may change what it is given, a temporary.
  std::atomic<int> sum{0};
  doall::parallel_for(std::uint8_t{250}, std::uint8_t{255}, [&](std::uint8_t&& i) { sum += i++; });
  EXPECT_EQ(sum, 250 + 251 + 252 + 253 + 254);
  doall::parallel_for(false, true, [&](bool i) { sum = i ? 1 : 2; });
  EXPECT_EQ(sum, 2);
  doall::parallel_for(0, 7, [&](doall::range<int>&& r) { sum += static_cast<int>(r.size()); });
  EXPECT_EQ(sum, 2 + 7);
  doall::parallel_for(5, -5, [&](int) { calls++; });
  EXPECT_EQ(calls, 10) << "a loop whose end is before its beginning is empty";
}

TEST(ParallelFor, CountsInTheCommonTypeOfItsBounds) {
  std::atomic<std::uint64_t> covered{0};
  doall::parallel_for(0, 3000000000U, [&](doall::range<unsigned> r) { covered += r.size(); });
  EXPECT_EQ(covered, 3000000000U);
  const std::vector<int> v(1000, 1);
  const int sum =
      doall::parallel_reduce(0, v.size(), 0, [&](auto i) { return v[i]; }, std::plus<>{});
  EXPECT_EQ(sum, 1000);
}

TEST(ParallelFor, CoversTheLargestLoop) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  for (const char* how :
       {"static", "guided", "trapezoid", "affinity", "dynamic,1000000000000000000"}) {
    std::atomic<std::uint64_t> covered{0};
    doall::parallel_for(
        std::uint64_t{0}, most, [&](doall::range<std::uint64_t> r) { covered += r.size(); },
        doall::schedule(how));
    EXPECT_EQ(covered, most) << how;
  }
}

TEST(ParallelFor, RethrowsTheFirstExceptionAndStaysUsable) {
  for (const doall::schedule& how : every_schedule()) {
    for (int bad : {0, 1, 499, 999}) {
      try {
        doall::parallel_for(
            0, 1000,
            [&](int i) {
              if (i == bad) throw std::out_of_range("index " + std::to_string(i));
            },
            how);
        FAIL() << "nothing was thrown";
      } catch (const std::out_of_range& e) {
        EXPECT_EQ(e.what(), "index " + std::to_string(bad));
      }
    }
    std::atomic<int> calls{0};
    doall::parallel_for(0, 100, [&](int) { calls++; }, how);
    EXPECT_EQ(calls, 100);
  }
}

TEST(ParallelFor, StopsSoonAfterAnException) {
  std::atomic<std::uint64_t> calls{0};
  constexpr std::uint64_t n = 1'000'000;
  EXPECT_THROW(doall::parallel_for(
                   std::uint64_t{0}, n,
                   [&](std::uint64_t) {
                     if (calls++ == 100) throw std::runtime_error("stop");
                   },
                   doall::schedule::dynamic(1)),
               std::runtime_error);
  EXPECT_LT(calls, n);
}

// How many workers the loops inside of two iterations have, as they are told.
template <class Body>
std::uint32_t workers_inside(const std::string& schedule, const Body& inner) {
  std::atomic<std::uint32_t> least{~0U};
  doall::parallel_for(
      0, 2,
      [&](int) {
        const std::uint32_t told = doall_threads();
        std::uint32_t before = least;
        while (told < before && !least.compare_exchange_weak(before, told)) continue;
        inner();
      },
      doall::schedule(schedule));
  return least;
}

TEST(ParallelFor, OfFewIterationsLeavesLoopsInsideAllWorkers) {
  constexpr std::uint32_t all = 4;
  const doall::thread_scope four(all);
  const auto loop = [] { doall::parallel_for(0, 1000, [](int) {}); };
  workers_inside("static", loop);  // it meets them
  for (const std::string& text : doall::tests::every_schedule_text())
    EXPECT_EQ(workers_inside(text, loop), all) << text;
  // Of a loop that others steal from, the first run, too.
  EXPECT_EQ(workers_inside("lbs", [] { doall::parallel_for(0, 1000, [](int) {}); }), all);
}

TEST(ParallelFor, NestsAndServesSeveralCallers) {
  std::atomic<int> calls{0};
  doall::parallel_for(0, 20, [&](int) { doall::parallel_for(0, 30, [&](int) { calls++; }); });
  EXPECT_EQ(calls, 600);

  calls = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) doall::parallel_for(0, 50, [&](int) { calls++; });
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(calls, 4 * 200 * 50);
}

TEST(ParallelReduce, GivesTheSameBitsUnderEverySchedule) {
  constexpr int n = 12345;
  const auto term = [](int i) { return 1.0 / (1.0 + i) * (i % 2 == 0 ? 1 : -1); };
  const double first = doall::parallel_reduce(0, n, 0.0, term, std::plus<>{});
  for (const doall::schedule& how : every_schedule()) {
    for (int round = 0; round < 5; ++round) {
      EXPECT_EQ(doall::parallel_reduce(0, n, 0.0, term, std::plus<>{}, how), first);
    }
  }
  // And the same as on one thread: a loop inside a loop is serial.
  doall::parallel_for(
      0, 1, [&](int) { EXPECT_EQ(doall::parallel_reduce(0, n, 0.0, term, std::plus<>{}), first); });
}

TEST(ParallelReduce, KeepsTheOrderOfOperands) {
  for (const int n : {0, 1, 2, 255, 256, 257, 700}) {
    std::string wanted;
    for (int i = 0; i < n; ++i) wanted += static_cast<char>('a' + i % 26);
    const auto got = doall::parallel_reduce(
        0, n, std::string{}, [](int i) { return std::string(1, static_cast<char>('a' + i % 26)); },
        std::plus<>{}, doall::schedule::dynamic(1));
    EXPECT_EQ(got, wanted);
  }
}

TEST(ParallelReduce, TakesRanges) {
  const long sum = doall::parallel_reduce(
      10, 2000, 0L, [](doall::range<int> r) { return std::accumulate(r.begin(), r.end(), 0L); },
      std::plus<>{});
  EXPECT_EQ(sum, 1999L * 2000 / 2 - 45);
  const std::uint64_t count = doall::parallel_reduce(
      std::uint8_t{5}, std::uint8_t{255}, std::uint64_t{0},
      [](doall::range<std::uint8_t>&& r) { return r.size(); }, std::plus<>{});
  EXPECT_EQ(count, 250U);
}

TEST(Schedule, NamesWhatIsWrong) {
  const auto message = [](auto make) -> std::string {
    try {
      make();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  EXPECT_NE(message([] { doall::schedule("giuded,4"); }).find("\"guided\""), std::string::npos);
  EXPECT_NE(message([] { doall::schedule::dynamic(0); }).find("\"0\""), std::string::npos);
  EXPECT_NE(message([] { doall::schedule("dynamic,-3"); }).find("\"-3\""), std::string::npos);
}

TEST(SetSchedule, WarnsAndKeepsTheOldOneWhenItIsNotValid) {
  EXPECT_EQ(doall_set_schedule("no such"), -1);
  EXPECT_EQ(doall_set_schedule(nullptr), -1);
  EXPECT_EQ(doall_set_schedule("guided,2"), 0);
}

TEST(SetSchedule, TheOneInForceCanBeAskedForAndRestored) {
  const auto in_force = [] {
    char text[64];
    doall_get_schedule(text, sizeof text);
    return std::string(text);
  };
  EXPECT_EQ(doall_set_schedule("guided,2"), 0);
  EXPECT_EQ(in_force(), "guided,2");
  EXPECT_EQ(doall_set_schedule(""), 0);
  EXPECT_EQ(in_force(), "");
  char cut[4];
  EXPECT_EQ(doall_set_schedule("guided,2"), 0);
  doall_get_schedule(cut, sizeof cut);
  EXPECT_STREQ(cut, "gui");
  EXPECT_EQ(doall_set_schedule(""), 0);
}

TEST(Report, IsRefusedWhereLoopsHaveRunUncounted) {
  doall::parallel_for(0, 10, [](int) {});
  EXPECT_EQ(doall_report_begin(), -1);
  errno = 0;
  EXPECT_EQ(doall_report_write("/nonexistent/report"), -1);
  EXPECT_EQ(errno, EINVAL);
}

}  // namespace
