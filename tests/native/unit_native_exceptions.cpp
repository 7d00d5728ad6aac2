// Exceptions at every position: whichever iteration throws, of a loop of whichever
// length, under every schedule and on teams of several sizes, the exception reaches
// the caller, no iteration runs twice and the next loop is whole.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <list>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/every_schedule.hpp"

namespace {

using doall::tests::every_schedule;

constexpr std::array short_lengths = {1, 2, 3, 5, 8, 13};
constexpr std::array team_sizes = {1, 2, 3, 5};

struct thrown_by : std::runtime_error {
  explicit thrown_by(int position)
      : std::runtime_error("iteration " + std::to_string(position)), at(position) {}
  int at;
};

// How often each of n iterations has run.
class runs {
 public:
  explicit runs(int n) : counts_(static_cast<std::size_t>(n)) {}
  void count(int i) { ++counts_[static_cast<std::size_t>(i)]; }
  int of(int i) const { return counts_[static_cast<std::size_t>(i)]; }
  bool all_at_most_once() const {
    return std::ranges::all_of(counts_, [](const auto& c) { return c <= 1; });
  }
  bool all_once() const {
    return std::ranges::all_of(counts_, [](const auto& c) { return c == 1; });
  }

 private:
  std::vector<std::atomic<int>> counts_;
};

// What `loop` throws; a position below 0 when it throws nothing.
template <class Loop>
int position_thrown(Loop loop) {
  try {
    loop();
  } catch (const thrown_by& e) {
    return e.at;
  }
  return -1;
}

// One loop that throws at `bad` and one that does not, both over n iterations.
// run(n, body, how) is the loop.
template <class Run>
void expect_carried(int n, int bad, const doall::schedule& how, Run run) {
  runs seen(n);
  const int at = position_thrown([&] {
    run(
        n,
        [&](int i) {
          seen.count(i);
          if (i == bad) throw thrown_by(i);
        },
        how);
  });
  ASSERT_EQ(at, bad) << n << " iterations";
  ASSERT_EQ(seen.of(bad), 1);
  ASSERT_TRUE(seen.all_at_most_once());
  runs again(n);
  run(n, [&](int i) { again.count(i); }, how);
  ASSERT_TRUE(again.all_once()) << "the loop after iteration " << bad << " of " << n << " threw";
}

template <class Run>
void expect_carried_everywhere(Run run) {
  for (const int team : team_sizes) {
    const doall::thread_scope scope(team);
    for (const std::string& text : doall::tests::every_schedule_text()) {
      SCOPED_TRACE(text + " on " + std::to_string(team) + " workers");
      const doall::schedule how(text);
      for (const int n : short_lengths) {
        for (int bad = 0; bad < n; ++bad) {
          expect_carried(n, bad, how, run);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Exceptions, OfAParallelForReachTheCaller) {
  expect_carried_everywhere([](int n, const auto& body, const doall::schedule& how) {
    doall::parallel_for(0, n, body, how);
  });
}

TEST(Exceptions, OfALoopOverRangesReachTheCaller) {
  expect_carried_everywhere([](int n, const auto& body, const doall::schedule& how) {
    doall::parallel_for(
        0, n,
        [&](doall::range<int> r) {
          for (const int i : r) body(i);
        },
        how);
  });
}

TEST(Exceptions, OfALoopWithAStepReachTheCaller) {
  expect_carried_everywhere([](int n, const auto& body, const doall::schedule& how) {
    doall::parallel_for(n - 1, -1, -1, body, how);
  });
}

TEST(Exceptions, OfAParallelForEachReachTheCaller) {
  std::vector<int> numbers(short_lengths.back());
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::list<int> walked(numbers.begin(), numbers.end());
  expect_carried_everywhere([&](int n, const auto& body, const doall::schedule& how) {
    if (n % 2 == 0) {
      doall::parallel_for_each(std::views::take(numbers, n), body, how);
    } else {
      doall::parallel_for_each(std::views::take(walked, n), body, how);
    }
  });
}

TEST(Exceptions, OfAParallelReduceReachTheCaller) {
  expect_carried_everywhere([](int n, const auto& body, const doall::schedule& how) {
    const int sum = doall::parallel_reduce(
        0, n, 0,
        [&](int i) {
          body(i);
          return i;
        },
        std::plus<>{}, how);
    EXPECT_EQ(sum, n * (n - 1) / 2);
  });
}

// A sum that throws when it is copied, moved or combined for the k-th time, and counts
// those that live.
class fragile {
 public:
  explicit fragile(int value) : value_(value) { ++alive; }
  fragile(const fragile& other) : value_(other.value_) {
    step();
    ++alive;
  }
  fragile& operator=(const fragile& other) {
    step();
    value_ = other.value_;
    return *this;
  }
  ~fragile() { --alive; }

  static void throw_at(int step) { steps_left = step; }
  static bool has_thrown() { return steps_left < 0; }
  static int count_alive() { return alive; }

  int value() const { return value_; }
  friend fragile operator+(const fragile& a, const fragile& b) {
    step();
    return fragile(a.value_ + b.value_);
  }

 private:
  static void step() {
    if (steps_left-- == 0) throw thrown_by(0);
  }

  static inline std::atomic<int> steps_left{0};
  static inline std::atomic<int> alive{0};
  int value_;
};

TEST(Exceptions, OfAReductionsValuesReachTheCallerAndNoneIsLost) {
  for (const int team : team_sizes) {
    const doall::thread_scope scope(team);
    for (const doall::schedule& how :
         {doall::schedule::static_(), doall::schedule::dynamic(), doall::schedule::affinity()}) {
      int step = 0;
      for (bool thrown = true; thrown; ++step) {
        fragile::throw_at(step);
        thrown = position_thrown([&] {
                   const fragile sum = doall::parallel_reduce(
                       0, 9, fragile(0), [](int i) { return fragile(i); }, std::plus<>{}, how);
                   EXPECT_EQ(sum.value(), 36);
                 }) == 0;
        ASSERT_EQ(thrown, fragile::has_thrown());
        ASSERT_EQ(fragile::count_alive(), 0) << "after a throw at step " << step;
      }
      EXPECT_GT(step, 20);  // views, bodies and combinations all threw once
    }
  }
}

TEST(Exceptions, OfSeveralIterationsGiveOneOfThem) {
  for (const int team : team_sizes) {
    const doall::thread_scope scope(team);
    for (const doall::schedule& how : every_schedule()) {
      for (int first = 0; first < 12; ++first) {
        for (int second = first + 1; second < 12; second += 3) {
          runs seen(12);
          const int at = position_thrown([&] {
            doall::parallel_for(
                0, 12,
                [&](int i) {
                  seen.count(i);
                  if (i == first || i == second) throw thrown_by(i);
                },
                how);
          });
          ASSERT_TRUE(at == first || at == second) << at;
          ASSERT_EQ(seen.of(at), 1);
          ASSERT_TRUE(seen.all_at_most_once());
        }
      }
    }
  }
}

// Waits a while: a loop does not wait for a worker that is late, so both of two may
// never be in their iteration at the same time.
void meet(std::atomic<int>& inside) {
  ++inside;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  while (inside < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

TEST(Exceptions, OfTwoWorkersAtOnceGiveOneOfThem) {
  const doall::thread_scope two(2);
  int met = 0;
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> inside{0};
    const int at = position_thrown([&] {
      doall::parallel_for(
          0, 2,
          [&](int i) {
            meet(inside);
            throw thrown_by(i);
          },
          doall::schedule::static_());
    });
    met += inside == 2 ? 1 : 0;
    ASSERT_TRUE(at == 0 || at == 1);
  }
  EXPECT_GT(met, 0);
}

// A type that only the worker's body has named, thrown off the caller's thread.
TEST(Exceptions, OfAWorkerKeepTheirTypeAndValue) {
  const doall::thread_scope two(2);
  const auto caller = std::this_thread::get_id();
  int carried = 0;
  for (int round = 0; round < 200; ++round) {
    struct local {
      int round;
      std::thread::id thrower;
    };
    std::atomic<int> inside{0};
    try {
      doall::parallel_for(
          0, 2,
          [&](int) {
            meet(inside);
            const auto here = std::this_thread::get_id();
            if (here != caller) throw local{round, here};
          },
          doall::schedule::static_());
    } catch (const local& e) {
      ASSERT_EQ(e.round, round);
      ASSERT_NE(e.thrower, caller);
      ++carried;
    }
  }
  EXPECT_GT(carried, 0);
}

TEST(Exceptions, OfAnInnerLoopPassThroughTheOuter) {
  for (const doall::schedule& how : every_schedule()) {
    const int at = position_thrown([&] {
      doall::parallel_for(
          0, 6,
          [&](int i) {
            doall::parallel_for(
                0, 6,
                [&](int j) {
                  if (6 * i + j == 20) throw thrown_by(20);
                },
                how);
          },
          how);
    });
    ASSERT_EQ(at, 20);
  }
}

}  // namespace
