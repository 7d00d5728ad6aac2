// doall::parallel_scan and doall::parallel_exclusive_scan: against the serial algorithms, the same
// bits for any number of threads, exceptions and stops.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t scanned_lengths[] = {0, 1, 3, 4, 63, 64, 65, 1000, 16385, 100003};
constexpr int teams[] = {1, 2, 5};

template <class T>
std::vector<T> some(std::size_t n) {
  std::mt19937 draw(static_cast<unsigned>(n));
  std::vector<T> made(n);
  for (T& x : made) x = static_cast<T>(draw() % 1000) / 7;
  return made;
}

TEST(ParallelScan, IsTheSerialOneOfIntegers) {
  for (const std::size_t n : scanned_lengths) {
    for (const int threads : teams) {
      const doall::thread_scope scope(threads);
      const auto x = some<unsigned>(n);
      std::vector<unsigned> expected(n), out(n), in_place = x;
      std::inclusive_scan(x.begin(), x.end(), expected.begin());
      const unsigned whole = std::accumulate(x.begin(), x.end(), 0U);
      EXPECT_EQ(doall::parallel_scan(x, out.begin(), 0U, std::plus<>()), whole);
      EXPECT_EQ(out, expected) << n;
      EXPECT_EQ(doall::parallel_scan(in_place, 0U, std::plus<>()), whole);
      EXPECT_EQ(in_place, expected) << n;

      std::exclusive_scan(x.begin(), x.end(), expected.begin(), 0U);
      in_place = x;
      EXPECT_EQ(doall::parallel_exclusive_scan(x, out.begin(), 0U, std::plus<>()), whole);
      EXPECT_EQ(out, expected) << n;
      EXPECT_EQ(doall::parallel_exclusive_scan(in_place, 0U, std::plus<>()), whole);
      EXPECT_EQ(in_place, expected) << n;
    }
  }
}

TEST(ParallelScan, HasTheSameBitsForAnyTeam) {
  for (const std::size_t n : scanned_lengths) {
    const auto x = some<double>(n);
    std::vector<double> first;
    for (const int threads : teams) {
      for (int round = 0; round < 5; ++round) {
        const doall::thread_scope scope(threads);
        std::vector<double> out(n);
        const double whole = doall::parallel_scan(x, out.begin(), 0.0, std::plus<>());
        if (first.empty()) first = out;
        EXPECT_EQ(out, first);
        EXPECT_EQ(whole, n == 0 ? 0.0 : first.back());
      }
    }
    std::vector<double> expected(n);
    std::inclusive_scan(x.begin(), x.end(), expected.begin());
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(first[i], expected[i], 1e-9 * expected[i]);
  }
}

TEST(ParallelScan, KeepsTheOrderOfOperands) {
  const auto joined = [](const std::string& a, const std::string& b) {
    return (a + b).substr(0, 9);
  };
  for (const auto order : {doall::reduce_order::fixed, doall::reduce_order::any}) {
    for (const int threads : teams) {
      const doall::thread_scope scope(threads);
      std::vector<std::string> x;
      for (int i = 0; i < 3000; ++i) x.push_back(std::to_string(i % 10));
      std::vector<std::string> out(x.size());
      doall::parallel_scan(x, out.begin(), std::string(), joined, {.order = order});
      EXPECT_EQ(out[0], "0");
      EXPECT_EQ(out[2], "012");
      EXPECT_EQ(out[2999], "012345678");
    }
  }
}

TEST(ParallelScan, ThrowsWhatTheOperationThrows) {
  for (const int threads : teams) {
    const doall::thread_scope scope(threads);
    for (const int at : {0, 1, 5000, 19999}) {
      std::vector<int> x(20000);
      std::iota(x.begin(), x.end(), 0);
      const auto add = [&](int a, int b) {
        if (b == at) throw std::runtime_error("no sum");
        return a + b;
      };
      std::vector<int> out(x.size());
      EXPECT_THROW(doall::parallel_scan(x, out.begin(), -1, add), std::runtime_error);
    }
  }
}

TEST(ParallelScan, StopsAndSaysSo) {
  for (const int threads : teams) {
    const doall::thread_scope scope(threads);
    std::stop_source source;
    std::atomic<int> calls{0};
    std::vector<int> x(100000, 1);
    const auto add = [&](int a, int b) {
      if (++calls == 20000) source.request_stop();
      return a + b;
    };
    EXPECT_THROW(doall::parallel_scan(x, 0, add, {.stop = source.get_token()}), doall::stopped);
    EXPECT_LT(calls, 2 * 100000);
  }
}

TEST(ParallelScan, RunsInLoopsAndRunsLoops) {
  const doall::thread_scope scope(4);
  doall::parallel_for(0, 20, [&](int k) {
    std::vector<long> x(3000 + k, 1);
    const auto add = [](long a, long b) {
      if (a % 1000 != 0) return a + b;
      std::atomic<int> inner{0};
      doall::parallel_for(0, 50, [&](int) { inner++; });
      return a + b * (inner == 50 ? 1 : 0);
    };
    EXPECT_EQ(doall::parallel_scan(x, 0L, add), 3000 + k);
    EXPECT_EQ(x.back(), 3000 + k);
  });
}

// A worker that loses its CPU in the middle of a block does not keep the others from going on.
TEST(ParallelScan, GoesOnBesideAWorkerThatIsLate) {
  const doall::thread_scope scope(4);
  std::vector<int> x(20000, 1);
  std::atomic<int> calls{0};
  const auto add = [&](int a, int b) {
    if (++calls % 9000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return a + b;
  };
  EXPECT_EQ(doall::parallel_scan(x, 0, add), 20000);
  for (int i = 0; i < 20000; ++i) ASSERT_EQ(x[i], i + 1);
}

}  // namespace
