// Loops that are so short that the program runs them without the runtime (detail/short_loops.hpp):
// what the runtime says of them, when it takes that back, and that they do what others do.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

namespace {

// Before the library reads it: teams may be larger than the machine.
[[maybe_unused]] const int oversubscribed = setenv("DOALL_OVERSUBSCRIBE", "true", 1);

// Runs act() as an iteration of a loop that can be nested in. The other worker, if there is one,
// has something to do meanwhile: it steals nothing of act()'s loops.
template <class Act>
void inside(int threads, Act act) {
  const doall::thread_scope team(threads);
  std::atomic<bool> done{false};
  doall::parallel_for(
      0, 2,
      [&](int i) {
        if (i == 0) {
          act();
          done = true;
        }
        while (!done) std::this_thread::yield();
      },
      doall::schedule::lbs(1));
}

// A loop as the header describes one, but each is given to the runtime.
class told_loop {
 public:
  void run(std::uint64_t iterations, std::chrono::microseconds each = {},
           const doall::schedule& how = {}) {
    loop_.iterations = iterations;
    loop_.schedule = how.raw();
    each_ = each;
    ASSERT_EQ(doall_run(&loop_), 0);
  }
  // Preempted ones look long: not at the first attempt, perhaps.
  void run_until_told(std::uint64_t iterations, const doall::schedule& how = {}) {
    constexpr int most = 10'000;
    const std::uint64_t indices = std::max(loop_.indices, iterations);
    for (int i = 0; i < most && site_.alone < indices; ++i) run(iterations, {}, how);
  }
  void stand_for(std::uint64_t indices) { loop_.indices = indices; }
  std::uint64_t alone() const { return site_.alone; }
  std::uint64_t schedule() const { return site_.schedule; }

 private:
  static int body(void* self, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t) {
    const auto each = static_cast<told_loop*>(self)->each_;
    if (each.count() != 0) std::this_thread::sleep_for(each);
    return 0;
  }

  std::chrono::microseconds each_{};
  doall_site site_{};
  doall_loop loop_{.size = sizeof(doall_loop),
                   .line = 0,
                   .iterations = 0,
                   .body = body,
                   .context = this,
                   .schedule = nullptr,
                   .file = nullptr,
                   .function = nullptr,
                   .cost_sums = nullptr,
                   .combine = nullptr,
                   .costs = nullptr,
                   .indices = 0,
                   .site = &site_};
};

// A team of one times each of its loops whole. What that teaches of their body serves larger teams,
// and no test inherits what another has taught. (Of a first loop that can be stolen from, the deque
// is timed as well: under a sanitizer that takes longer than any loop that runs without the
// runtime.)
void teach_that_they_are_short() {
  inside(1, [] {
    told_loop loop;
    loop.run_until_told(4);
    ASSERT_GE(loop.alone(), 4U);
  });
}

TEST(Site, IsToldHowLongALoopMayBe) {
  for (const int threads : {1, 2}) {
    teach_that_they_are_short();
    inside(threads, [] {
      told_loop loop;
      loop.run_until_told(4);
      EXPECT_GE(loop.alone(), 4U);
      EXPECT_EQ(loop.schedule(), 0U);
    });
  }
}

TEST(Site, CountsTheProgramsIndices) {
  teach_that_they_are_short();
  inside(2, [] {
    told_loop loop;
    loop.stand_for(4'000'000);
    loop.run_until_told(4);
    EXPECT_GE(loop.alone(), 4'000'000U);
  });
}

TEST(Site, IsToldAnewWhenLoopsGetLong) {
  teach_that_they_are_short();
  inside(2, [] {
    told_loop loop;
    loop.run_until_told(4);
    const std::uint64_t before = loop.alone();
    ASSERT_GE(before, 4U);
    for (int i = 0; i < 1000 && loop.alone() >= 4; ++i) {
      loop.run(4, std::chrono::microseconds(200));
    }
    EXPECT_LT(loop.alone(), 4U) << "was told " << before;
  });
}

TEST(Site, KnowsTheScheduleForNestedLoopsByName) {
  teach_that_they_are_short();
  inside(2, [] {
    told_loop loop;
    loop.run_until_told(4, doall::schedule::lbs());
    EXPECT_GE(loop.alone(), 4U);
    EXPECT_EQ(loop.schedule(), doall::schedule::lbs().raw()->opaque[0]);
  });
}

TEST(Site, IsToldThatOtherSchedulesTakeCalls) {
  for (const char* how : {"lbs,1", "static-steal", "hybrid", "serial-inner", "ebs-simple"}) {
    teach_that_they_are_short();
    inside(2, [&] {
      told_loop loop;
      loop.run_until_told(4);
      ASSERT_GE(loop.alone(), 4U) << how;
      loop.run(4, {}, doall::schedule(how));
      EXPECT_EQ(loop.alone(), 0U) << how;
    });
  }
}

TEST(Site, OfAnOutermostLoopIsNotTold) {
  const doall::thread_scope team(2);
  told_loop loop;
  for (int i = 0; i < 1000; ++i) loop.run(4);
  EXPECT_EQ(loop.alone(), 0U);
}

TEST(NobodyIdle, WhereAPartLiesInFrontOrNobodyElseIs) {
  {
    const doall::thread_scope alone(1);
    EXPECT_NE(doall_nobody_idle(), 0);
  }
  const doall::thread_scope team(2);
  EXPECT_EQ(doall_nobody_idle(), 0);
}

TEST(ShortLoops, RunEachIterationOnce) {
  constexpr int rows = 20'000;
  for (const doall::schedule& how : {doall::schedule(), doall::schedule::lbs()}) {
    std::atomic<long> sum{0};
    inside(2, [&] {
      for (int r = 0; r < rows; ++r) {
        long mine = 0;
        doall::parallel_for(0, 1 + r % 7, [&](int i) { std::atomic_ref(mine) += i + 1; }, how);
        sum += mine;
      }
    });
    long expected = 0;
    for (int r = 0; r < rows; ++r) expected += (1 + r % 7) * (2 + r % 7) / 2;
    EXPECT_EQ(sum, expected);
  }
}

TEST(ShortLoops, LetExceptionsThrough) {
  int caught = 0;
  inside(2, [&] {
    for (int r = 0; r < 1000; ++r) {
      try {
        doall::parallel_for(0, 4, [&](int i) {
          if (i == r % 4) throw std::out_of_range("short");
        });
      } catch (const std::out_of_range&) {
        ++caught;
      }
    }
  });
  EXPECT_EQ(caught, 1000);
}

TEST(ShortLoops, AskAStopTokenOfTheirOwn) {
  inside(2, [&] {
    std::stop_source stop;
    for (int r = 0; r < 1000; ++r) {
      const bool stopping = r == 999;
      if (stopping) stop.request_stop();
      std::atomic<int> ran{0};
      // One lambda, so one site, with and without a token.
      const auto end = doall::parallel_for(
          0, 4, [&](int) { ++ran; }, {.stop = r % 2 == 0 ? std::stop_token() : stop.get_token()});
      EXPECT_EQ(end, stopping ? doall::loop_end::stopped : doall::loop_end::completed);
      EXPECT_EQ(ran, stopping ? 0 : 4);
    }
  });
}

// Of whatever length, and wherever it is run.
TEST(ShortLoops, ReduceInTheFixedOrder) {
  const auto sum = [](int n) {
    return doall::parallel_reduce(
        0, n, 0.0, [](int i) { return (i % 3 == 0 ? -1.0 : 1.0) / (1.0 + i); }, std::plus<>());
  };
  for (int n = 1; n < 700; n += 1 + n / 16) {
    double outermost = 0;
    {
      const doall::thread_scope team(3);
      outermost = sum(n);
    }
    inside(2, [&] {
      for (int r = 0; r < 200; ++r) ASSERT_EQ(sum(n), outermost) << n;
    });
  }
}

TEST(ShortLoops, ReduceFromLeftToRightInAnyOrder) {
  inside(2, [&] {
    std::string expected;
    for (int n = 1; n <= 20; ++n) {
      expected += static_cast<char>('a' + n - 1);
      for (int r = 0; r < 200; ++r) {
        const std::string all = doall::parallel_reduce(
            0, n, std::string(), [](int i) { return std::string(1, static_cast<char>('a' + i)); },
            std::plus<>(), {.order = doall::reduce_order::any});
        ASSERT_EQ(all, expected);
        const long sum = doall::parallel_reduce(
            0, n, 0L, [](doall::range<int> part) { return static_cast<long>(part.size()); },
            std::plus<>(), {.order = doall::reduce_order::any});
        ASSERT_EQ(sum, n);
      }
    }
  });
}

}  // namespace
