// Nested loops that the program's own code runs where it meets them (detail/open_loops.hpp): they
// do what others do, whoever comes to share them, at any depth.
#include <gtest/gtest.h>
#include <pthread.h>
#include <doall/doall.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "steal/stint.hpp"
#include "support/file_environment.hpp"
#include "support/inside_loop.hpp"

namespace {

using namespace std::chrono_literals;
using doall::tests::among_thieves;
using doall::tests::become_known;
using doall::tests::inside;

// Before the library reads it: any worker may come to run the deepest levels.
const doall::tests::file_environment deep_stacks(__FILE__, "OMP_STACKSIZE", "1G");

TEST(OpenLoops, RunEachIterationOnce) {
  constexpr int rows = 5'000;
  for (const int threads : {1, 2, 4}) {
    for (const doall::schedule& how : {doall::schedule(), doall::schedule::lbs()}) {
      std::atomic<long> sum{0};
      among_thieves(threads, [&] {
        doall::parallel_for(0, rows, [&](int r) {
          std::atomic<long> mine{0};
          doall::parallel_for(0, 1 + r % 7, [&](int i) { mine += i + 1; }, how);
          sum += mine;
        });
      });
      long expected = 0;
      for (int r = 0; r < rows; ++r) expected += (1 + r % 7) * (2 + r % 7) / 2;
      EXPECT_EQ(sum, expected) << threads;
    }
  }
}

TEST(OpenLoops, WithoutIterationsCallNothing) {
  inside(2, [] {
    become_known();
    int calls = 0;
    for (int i = 0; i < 200; ++i) {
      const int length = i == 0 || i % 10 == 0 ? 4 : 0;
      doall::parallel_for(0, length, [&](doall::range<int> part) { calls += part.size() == 0; });
    }
    EXPECT_EQ(calls, 0);
  });
}

// Of a recursion in which one thread in some has an exception, that of the owner or of a thief.
void fail_at(int depth, int at, std::atomic<int>& begun) {
  doall::parallel_for(0, 3, [&](int i) {
    if (depth > 0) return fail_at(depth - 1, at, begun);
    if (begun++ == at) throw std::out_of_range(std::to_string(i));
  });
}

TEST(OpenLoops, LetExceptionsThrough) {
  for (const int threads : {1, 2, 4}) {
    int caught = 0;
    for (int at = 0; at < 243; ++at) {
      const doall::thread_scope team(threads);
      std::atomic<int> begun{0};
      try {
        fail_at(4, at, begun);
      } catch (const std::out_of_range&) {
        ++caught;
      }
    }
    EXPECT_EQ(caught, 243) << threads;
  }
}

// How many threads have run iterations of a recursion, of which there is one for each number.
struct met {
  int number;
  std::atomic<int> threads{0};
  static inline thread_local int last_seen = 0;

  void note() {
    if (std::exchange(last_seen, number) != number) ++threads;
  }
};

// The others of a recursion's threads come to its root: all but one iteration of each level are
// leaves, and the innermost waits until two threads have been seen.
void descend(int depth, met& who) {
  doall::parallel_for(0, 2, [&](int i) {
    who.note();
    if (i != 0) return;
    if (depth != 0) return descend(depth - 1, who);
    while (who.threads < 2) doall::parallel_for(0, 2, [](int) { std::this_thread::yield(); });
  });
}

TEST(OpenLoops, ARecursionIsSharedFromItsRoot) {
  const doall::thread_scope team(2);
  for (const int depth : {1, 10, 100}) {
    met who{depth};
    descend(depth, who);
    EXPECT_EQ(who.threads, 2) << depth;
  }
}

// A worker that has gone to sleep comes to a nested loop of two long iterations, of which the first
// has not ended. Once in many rounds is enough: it may come late where other programs want the
// CPUs.
TEST(NestedLoops, WakeASleeper) {
  const doall::thread_scope team(2);
  for (const char* how : {"", "lbs,1", "hybrid"}) {
    bool met = false;
    for (int round = 0; round < 100 && !met; ++round) {
      doall::parallel_for(0, 2, [&](int outer) {
        if (outer != 0) return;
        std::this_thread::sleep_for(20ms);  // the other worker falls asleep
        std::atomic<int> inside{0};
        std::atomic<int> met_other{0};
        doall::parallel_for(
            0, 2,
            [&](int) {
              ++inside;
              for (int i = 0; i < 100 && inside != 2; ++i) std::this_thread::sleep_for(1ms);
              if (inside == 2) ++met_other;
            },
            *how == '\0' ? doall::schedule() : doall::schedule(how));
        met = met_other == 2;
      });
    }
    EXPECT_TRUE(met) << how;
  }
}

TEST(OpenLoops, ExceptionsOfThievesReachTheOwner) {
  const doall::thread_scope team(2);
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> thrown{false};
    const std::thread::id owner = std::this_thread::get_id();
    EXPECT_THROW(doall::parallel_for(
                     0, 2,
                     [&](int) {
                       doall::parallel_for(0, 8, [&](int) {
                         if (std::this_thread::get_id() != owner) {
                           thrown = true;
                           throw std::out_of_range("a thief's");
                         }
                         while (!thrown) {
                           doall::parallel_for(0, 2, [](int) { std::this_thread::yield(); });
                         }
                       });
                     },
                     doall::schedule::lbs(1)),
                 std::out_of_range);
  }
}

TEST(OpenLoops, AskAStopTokenOfTheirOwn) {
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

// Iterations [first, last), if none is missing and all are in order.
struct stretch {
  int first;
  int last;
  bool in_order = true;
};

stretch joined_stretches(const stretch& left, const stretch& right) {
  return {left.first, right.last, left.in_order && right.in_order && left.last == right.first};
}

stretch whole_stretch(doall::range<int> part) { return {part.first(), part.last()}; }

// A thief has a part of each, and ends the wait.
TEST(OpenLoops, ReductionsThatAreSharedLoseNothing) {
  constexpr int n = 300;
  for (const auto order : {doall::reduce_order::fixed, doall::reduce_order::any}) {
    among_thieves(3, [&] {
      for (int round = 0; round < 50; ++round) {
        met who{1'000 + round};
        const auto [first, last, in_order] = doall::parallel_reduce(
            0, n, stretch{0, 0},
            [&](doall::range<int> part) {
              who.note();
              while (part.first() < n / 2 && who.threads < 2) {
                doall::parallel_for(0, 2, [](int) { std::this_thread::yield(); });
              }
              return whole_stretch(part);
            },
            joined_stretches, {.order = order});
        ASSERT_EQ(first, 0);
        ASSERT_EQ(last, n);
        ASSERT_TRUE(in_order);
      }
    });
  }
}

TEST(OpenLoops, ReductionsOfShortIterationsLoseNothingWhenTheyAreShared) {
  for (const auto order : {doall::reduce_order::fixed, doall::reduce_order::any}) {
    among_thieves(3, [&] {
      for (int round = 0; round < 500; ++round) {
        const int n = 1'000 + 37 * (round % 50);
        std::atomic<int> work{0};
        const auto [first, last, in_order] =
            doall::parallel_reduce(0, n, stretch{0, 0},
                                   [&](doall::range<int> part) {
                                     for (int i = 0; i < 10 * static_cast<int>(part.size()); ++i) {
                                       work.store(i, std::memory_order_relaxed);
                                     }
                                     return whole_stretch(part);
                                   },
                                   joined_stretches, {.order = order});
        ASSERT_EQ(first, 0);
        ASSERT_EQ(last, n);
        ASSERT_TRUE(in_order);
      }
    });
  }
}

TEST(OpenLoops, ReductionsLetAThiefsExceptionThrough) {
  const doall::thread_scope team(2);
  const std::thread::id owner = std::this_thread::get_id();
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> thrown{false};
    const auto act = [&](int) {
      return doall::parallel_reduce(
          0, 100, 0,
          [&](int i) {
            if (std::this_thread::get_id() != owner) {
              thrown = true;
              throw std::out_of_range("a thief's");
            }
            while (!thrown) doall::parallel_for(0, 2, [](int) { std::this_thread::yield(); });
            return i;
          },
          std::plus<>());
    };
    EXPECT_THROW(doall::parallel_for(0, 2, act, doall::schedule::lbs(1)), std::out_of_range);
  }
}

// A block's worker is combined once: no thief may have a part of such a loop, whatever is inside.
TEST(OpenLoops, InsideOfAReductionInAnyOrderLoseNothing) {
  for (const int threads : {1, 2, 4}) {
    const doall::thread_scope team(threads);
    for (int r = 0; r < 200; ++r) {
      const long sum = doall::parallel_reduce(0, 300, 0L,
                                              [](int) {
                                                std::atomic<long> inner{0};
                                                doall::parallel_for(0, 3, [&](int) { ++inner; });
                                                return inner.load();
                                              },
                                              std::plus<>(), {.order = doall::reduce_order::any});
      ASSERT_EQ(sum, 900) << threads << ", " << r;
    }
  }
}

// Depth.

void on_big_stack(std::size_t bytes, void* (*act)(void*)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, act, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

std::atomic<long> levels_run{0};

void go_deep(long levels) {
  ++levels_run;
  if (levels == 0) return;
  doall::parallel_invoke([&] { go_deep(levels - 1); }, [] {});
}

TEST(OpenLoops, GoAHundredThousandLevelsDeep) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  constexpr long levels = 5'000;  // their own stacks are limited
#else
  constexpr long levels = 100'000;
#endif
  constexpr std::size_t stack_bytes = std::size_t{1} << 30;
  for (int i = 0; i < 3; ++i) {
    levels_run = 0;
    on_big_stack(stack_bytes, [](void*) -> void* {
      const doall::thread_scope team(2);
      go_deep(levels);
      return nullptr;
    });
    EXPECT_EQ(levels_run, levels + 1);
  }
}

// The engine's own steps: each stay is passed once, however often somebody asks.
struct counted_env {
  int pushes = 0;
  void pushed(doall::steal::worker_thread&, const doall::steal::frame&, const doall::steal::part&) {
    ++pushes;
  }
  static void completed(doall::steal::worker_thread&) {}
};

struct chain {
  doall_site site{doall::detail::site_word().with_nests().raw()};
  doall_open_kind kind{
      [](void*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t) { return 0; }, &site};
  std::vector<doall_open_loop> levels;

  // Each of two iterations, in the first of which the next level is.
  chain(doall::steal::worker_thread& me, std::size_t depth) : levels(depth) {
    for (doall_open_loop& l : levels) {
      l = {nullptr, nullptr, 1, 2, 2, nullptr, &kind};
      doall::steal::link(me, l);
    }
  }
  std::size_t level_of(const doall_open_loop* l) const {
    return static_cast<std::size_t>(l - levels.data());
  }
};

TEST(Chains, AreOfferedFromTheOutermostInward) {
  constexpr std::size_t depth = 1'000;
  auto me = std::make_unique<doall::steal::worker_thread>(0, 0, 1);
  chain all(*me, depth);
  counted_env env;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < depth; ++i) {
    const auto* const before = me->here.outermost_open;
    ASSERT_TRUE(doall::steal::stint::offer_outermost(*me, nullptr, env));
    ASSERT_EQ(me->here.outermost_open, &all.levels[i]);
    steps += i == 0 ? 1 : all.level_of(me->here.outermost_open) - all.level_of(before);
    ASSERT_FALSE(doall::steal::is_open(all.levels[i]));
    ASSERT_EQ(all.levels[i].end, 1U);
    doall::steal::descriptor taken;
    ASSERT_TRUE(me->own().pop(taken));  // as a thief would
  }
  EXPECT_EQ(steps, depth);
  EXPECT_EQ(env.pushes, static_cast<int>(depth));
  EXPECT_FALSE(doall::steal::stint::offer_outermost(*me, nullptr, env));
  // Who has nothing more inside is asked no more: an end goes one level outward.
  for (std::size_t i = depth; i-- > 0;) {
    ASSERT_EQ(me->here.outermost_open, &all.levels[i]);
    doall::steal::unlink(*me, all.levels[i]);
  }
  EXPECT_EQ(me->here.innermost, &me->here.outermost);
  EXPECT_EQ(me->here.outermost_open, &me->here.outermost);
}

}  // namespace
