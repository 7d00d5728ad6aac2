// doall::loop_options: stopping, costs; doall::thread_scope.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "support/every_schedule.hpp"

namespace {

// Each thread's iterations of a loop, in the order in which it runs them.
std::vector<std::vector<int>> runs_of(int n, const doall::schedule& how) {
  std::mutex lock;
  std::map<std::thread::id, std::vector<int>> all;
  doall::parallel_for(
      0, n,
      [&](int i) {
        const std::lock_guard held(lock);
        all[std::this_thread::get_id()].push_back(i);
      },
      how);
  std::vector<std::vector<int>> runs;
  for (const auto& [thread, run] : all) runs.push_back(run);
  return runs;
}

// The chunks are dealt by stealing: a thread begins with the second worker's part, or goes there
// from elsewhere by thefts, which begin further behind.
TEST(Dynamic, IsDealtInAnyOrder) {
  const doall::thread_scope team(2);
  bool begins_in_the_middle = false;
  bool falls = false;
  for (const std::vector<int>& run : runs_of(1000, doall::schedule::dynamic(1))) {
    begins_in_the_middle |= run.front() == 500;
    falls |= !std::ranges::is_sorted(run);
  }
  EXPECT_TRUE(begins_in_the_middle || falls);
}

// A loop that has been dealt one way may be dealt another once it is known, and again once its
// iterations have met loops.
TEST(Schedules, RunALoopAgainAndAgainWithLoopsInsideAndWithout) {
  const doall::thread_scope team(3);
  for (const std::string& text : doall::tests::every_schedule_text()) {
    const doall::schedule how(text);
    std::atomic<int> runs[100] = {};
    for (int run = 0; run < 8; ++run) {
      doall::parallel_for(
          0, 100,
          [&](int i) {
            if (run % 4 == 3) doall::parallel_for(0, 5, [&](int) { runs[i] += 1; });
            runs[i] += 1;
          },
          how);
    }
    for (const auto& count : runs) EXPECT_EQ(count, 18) << text;
  }
}

TEST(Dynamic, IsMonotonicIfToldOrOfFewChunks) {
  const doall::thread_scope team(2);
  for (const std::vector<int>& run : runs_of(1000, doall::schedule("dynamic,1,monotonic"))) {
    EXPECT_TRUE(std::ranges::is_sorted(run));
  }
  for (const std::vector<int>& run : runs_of(63, doall::schedule::dynamic(1))) {
    EXPECT_TRUE(std::ranges::is_sorted(run));
  }
}

using doall::loop_end;
using doall::tests::every_schedule;

constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();

// The message of the std::invalid_argument that call() throws.
template <class Call>
std::string complaint(Call call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Stop, EndsAnEndlessLoopOfAnySchedule) {
  const doall::thread_scope three(3);
  for (const doall::schedule& how : every_schedule()) {
    // A worker's partition, or chunk, is as good as endless: it stops inside of it.
    std::stop_source source;
    const loop_end end = doall::parallel_for(std::uint64_t{0}, endless,
                                             [&](std::uint64_t i) {
                                               if (i % 1000 == 0) source.request_stop();
                                             },
                                             {.how = how, .stop = source.get_token()});
    EXPECT_EQ(end, loop_end::stopped);
  }
}

TEST(Stop, EndsALoopOfRangesAfterTheRange) {
  std::stop_source source;
  std::atomic<int> ranges{0};
  const loop_end end =
      doall::parallel_for(std::uint64_t{0}, endless,
                          [&](doall::range<std::uint64_t>) {
                            if (++ranges == 10) source.request_stop();
                          },
                          {.how = doall::schedule::dynamic(4), .stop = source.get_token()});
  // On one worker the loop is one range, which nothing can stop.
  EXPECT_EQ(end, doall_threads() > 1 ? loop_end::stopped : loop_end::completed);
}

TEST(Stop, ReachesEveryDoor) {
  std::stop_source source;
  source.request_stop();
  const doall::loop_options stopped{.stop = source.get_token()};
  std::atomic<int> calls{0};
  const auto body = [&](int) { return ++calls; };
  EXPECT_EQ(doall::parallel_for(0, 10, body, stopped), loop_end::stopped);
  EXPECT_EQ(doall::parallel_for(0, 10, 2, body, stopped), loop_end::stopped);
  EXPECT_EQ(doall::parallel_for_each(std::vector<int>(10), body, stopped), loop_end::stopped);
  EXPECT_THROW(doall::parallel_reduce(0, 10, 0, body, std::plus<>{}, stopped), doall::stopped);
  EXPECT_EQ(calls, 0);
  // All of an empty loop has run.
  EXPECT_EQ(doall::parallel_for(0, 0, body, stopped), loop_end::completed);
  EXPECT_EQ(doall::parallel_reduce(0, 0, 7, body, std::plus<>{}, stopped), 7);
}

TEST(Stop, AfterTheLastIterationLeavesTheLoopCompleted) {
  std::stop_source source;
  const auto request = [&](int) { return source.request_stop() ? 1 : 0; };
  EXPECT_EQ(doall::parallel_for(0, 1, request, {.stop = source.get_token()}), loop_end::completed);
  source = std::stop_source();
  EXPECT_EQ(doall::parallel_reduce(0, 1, 0, request, std::plus<>{}, {.stop = source.get_token()}),
            1);
}

TEST(Stop, ThatNobodyRequestsChangesNothing) {
  std::stop_source source;
  for (const doall::schedule& how : every_schedule()) {
    std::vector<std::atomic<int>> seen(1000);
    EXPECT_EQ(doall::parallel_for(0, 1000, [&](int i) { seen[i]++; },
                                  {.how = how, .stop = source.get_token()}),
              loop_end::completed);
    for (auto& count : seen) ASSERT_EQ(count, 1);
  }
}

TEST(Stop, GivesWayToAnException) {
  std::stop_source source;
  EXPECT_THROW(doall::parallel_for(0, 1000,
                                   [&](int i) {
                                     source.request_stop();
                                     throw std::out_of_range(std::to_string(i));
                                   },
                                   {.stop = source.get_token()}),
               std::out_of_range);
}

TEST(Costs, OfTheWrongNumberNameBothSizes) {
  bool called = false;
  const auto body = [&](int) { return called = true; };
  for (const std::size_t size : {1, 10, 12}) {
    const std::vector<std::uint64_t> sums(size);
    const doall::loop_options wrong{.costs = sums};
    for (const std::string& message :
         {complaint([&] { doall::parallel_for(0, 11 - 1, body, wrong); }),
          complaint([&] { doall::parallel_for(0, 20, 2, body, wrong); }),
          complaint([&] { doall::parallel_for_each(std::vector<int>(10), body, wrong); }),
          complaint([&] { doall::parallel_reduce(0, 10, false, body, std::plus<>{}, wrong); })}) {
      EXPECT_NE(message.find("costs has " + std::to_string(size) + " entries"), std::string::npos)
          << message;
      EXPECT_NE(message.find("the loop's 10 iterations"), std::string::npos) << message;
    }
  }
  EXPECT_FALSE(called);
}

// The largest cost that one of two threads has run, when each of the first ten of
// 1010 iterations costs a thousand times what another does.
template <class Loop>
std::uint64_t dearest_share(Loop loop) {
  const doall::thread_scope two(2);
  std::vector<std::uint64_t> sums(1011);
  for (std::size_t i = 0; i < 1010; ++i) sums[i + 1] = sums[i] + (i < 10 ? 1000 : 1);
  std::mutex lock;
  std::map<std::thread::id, std::uint64_t> partitions;
  // Of a worker that comes late the caller runs the partition too: that says nothing.
  while (partitions.size() < 2) {
    partitions.clear();
    loop(
        [&](int i) {
          const std::lock_guard hold(lock);
          partitions[std::this_thread::get_id()] += sums[i + 1] - sums[i];
          return 0;
        },
        doall::loop_options{.how = doall::schedule::best_static(), .costs = sums});
  }
  std::uint64_t dearest = 0;
  for (const auto& [thread, size] : partitions) dearest = std::max(dearest, size);
  return dearest;
}

TEST(Costs, ReachTheSchedule) {
  constexpr std::uint64_t half = (10 * 1000 + 1000) / 2;
  // Without costs the first half would cost 10'495.
  EXPECT_LE(dearest_share([](auto body, const auto& options) {
              doall::parallel_for(0, 1010, body, options);
            }),
            half + 1000);
  EXPECT_LE(dearest_share([](auto body, const auto& options) {
              doall::parallel_for(0, 2020, 2, [&](int i) { body(i / 2); }, options);
            }),
            half + 1000);
  // By blocks of four.
  EXPECT_LE(dearest_share([](auto body, const auto& options) {
              doall::parallel_reduce(0, 1010, 0, body, std::plus<>{}, options);
            }),
            half + 4 * 1000);
  EXPECT_LE(dearest_share([](auto body, const auto& options) {
              std::list<int> indices(1010);
              std::iota(indices.begin(), indices.end(), 0);
              doall::parallel_for_each(indices, body, options);
            }),
            half + 4 * 1000);
}

TEST(ThreadScope, SetsWhatLoopsOfItsThreadHave) {
  const std::uint32_t outside = doall_threads();
  {
    const doall::thread_scope three(3);
    EXPECT_EQ(doall_threads(), 3U);
    {
      const doall::thread_scope one(1);
      EXPECT_EQ(doall_threads(), 1U);
      const auto here = std::this_thread::get_id();
      doall::parallel_for(0, 100, [&](int) { EXPECT_EQ(std::this_thread::get_id(), here); });
    }
    EXPECT_EQ(doall_threads(), 3U);
    std::thread([&] { EXPECT_EQ(doall_threads(), outside); }).join();

    // With static each worker of the team runs a partition of its own.
    std::atomic<std::uint32_t> ran{0};
    doall_loop loop{};
    loop.size = sizeof loop;
    loop.iterations = 3000;
    loop.context = &ran;
    loop.body = [](void* context, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t w) {
      *static_cast<std::atomic<std::uint32_t>*>(context) |= 1U << w;
      return 0;
    };
    const auto blocks = doall::schedule::static_();
    loop.schedule = blocks.raw();
    EXPECT_EQ(doall_run(&loop), 0);
    EXPECT_EQ(ran, 0b111U);
  }
  EXPECT_EQ(doall_threads(), outside);
}

// Each worker of a loop that has two hears of two, and so do the loops inside it.
TEST(ThreadScope, HoldsOnEachOfItsWorkers) {
  const std::uint32_t outside = doall_threads();
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::microseconds(100)); };
  for (const std::string& text : doall::tests::every_schedule_text()) {
    const doall::schedule how(text);
    const doall::thread_scope two(2);
    std::atomic<int> others{0};
    doall::parallel_for(
        0, 100,
        [&](int) {
          others += doall_threads() != 2;
          wait();
          doall::parallel_for(0, 4, [&](int) { others += doall_threads() != 2; }, how);
        },
        how);
    EXPECT_EQ(others, 0) << text;
  }
  EXPECT_EQ(doall_threads(), outside);
}

TEST(ThreadScope, RefusesLessThanOneAndTakesAnythingMore) {
  for (const int bad : {0, -1}) {
    const std::string message = complaint([&] { const doall::thread_scope scope(bad); });
    EXPECT_NE(message.find("bad thread count " + std::to_string(bad)), std::string::npos)
        << message;
  }
  const std::uint32_t outside = doall_threads();
  {
    const doall::thread_scope many(std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(doall_threads(), 1024U);
  }
  EXPECT_EQ(doall_threads(), outside);
}

struct wide {
  std::uint64_t value = 0;
  std::byte rest[8192]{};
};

TEST(ParallelReduce, HasRoomForAnyValue) {
  // 256 of them are more than what a thread keeps.
  const auto add = [](wide a, const wide& b) {
    a.value += b.value;
    return a;
  };
  const wide sum = doall::parallel_reduce(
      0, 1000, wide{},
      [](int i) {
        wide w;
        w.value = static_cast<std::uint64_t>(i);
        return w;
      },
      add);
  EXPECT_EQ(sum.value, 499500U);

  // A reduction inside of one, which has lent out what the thread keeps.
  const int nested = doall::parallel_reduce(
      0, 50, 0,
      [](int) { return doall::parallel_reduce(0, 20, 0, [](int) { return 1; }, std::plus<>{}); },
      std::plus<>{});
  EXPECT_EQ(nested, 1000);
}

TEST(Scratch, IsAlignedAndLentOnce) {
  std::vector<void*> lent;
  for (const std::size_t bytes : {0, 1, 100, 1 << 20, (1 << 20) + 1}) {
    for (const std::size_t alignment : {1, 8, 64, 256, 4096}) {
      void* const memory = doall_scratch_take(bytes, alignment);
      ASSERT_NE(memory, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0U);
      std::memset(memory, 1, bytes);
      EXPECT_EQ(std::ranges::count(lent, memory), 0);
      lent.push_back(memory);
    }
  }
  for (void* memory : lent) doall_scratch_give(memory);
  doall_scratch_give(nullptr);
  EXPECT_EQ(doall_scratch_take(std::numeric_limits<std::size_t>::max(), 64), nullptr);
  void* const nothing = doall_scratch_take(0, 64);
  EXPECT_NE(nothing, nullptr) << "null is for no memory";
  doall_scratch_give(nothing);
}

struct counted {
  static inline std::atomic<int> alive{0};
  static inline std::atomic<int> copies_left{0};
  int value = 0;

  counted() { ++alive; }
  counted(const counted& other) : value(other.value) {
    if (copies_left-- == 0) throw std::length_error("one copy too many");
    ++alive;
  }
  counted& operator=(const counted&) = default;
  ~counted() { --alive; }
};

TEST(ParallelReduce, DestroysEveryValueAlsoWhenACopyThrows) {
  const auto add = [](counted a, const counted& b) {
    a.value += b.value;
    return a;
  };
  for (const int copies : {std::numeric_limits<int>::max(), 0, 1, 100, 300, 700}) {
    counted::copies_left = copies;
    try {
      const counted sum = doall::parallel_reduce(
          0, 1000, counted(),
          [](int) {
            counted one;
            one.value = 1;
            return one;
          },
          add);
      EXPECT_EQ(sum.value, 1000);
    } catch (const std::length_error&) {
      EXPECT_NE(copies, std::numeric_limits<int>::max());
    }
    EXPECT_EQ(counted::alive, 0) << copies;
  }
}

}  // namespace
