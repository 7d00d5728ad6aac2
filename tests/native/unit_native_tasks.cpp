// parallel_invoke and task_group: every task is run once, whoever runs it, and failures reach
// who waits.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace {

long fib_serial(int n) { return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2); }

long fib_invoked(int n) {
  if (n < 8) return fib_serial(n);
  long a = 0;
  long b = 0;
  doall::parallel_invoke([&] { a = fib_invoked(n - 1); }, [&] { b = fib_invoked(n - 2); });
  return a + b;
}

long fib_in_groups(int n) {
  if (n < 8) return fib_serial(n);
  long a = 0;
  long b = 0;
  doall::task_group tasks;
  tasks.run([&] { a = fib_in_groups(n - 1); });
  tasks.run([&] { b = fib_in_groups(n - 2); });
  tasks.wait();
  return a + b;
}

TEST(ParallelInvoke, Recursion) {
  for (const int threads : {1, 2, 4}) {
    const doall::thread_scope team(threads);
    EXPECT_EQ(fib_invoked(22), fib_serial(22));
  }
}

TEST(ParallelInvoke, OneToManyTasks) {
  const doall::thread_scope team(4);
  std::vector<int> seen(5);
  doall::parallel_invoke([&] { seen[0] = 1; });
  EXPECT_EQ(seen[0], 1);
  doall::parallel_invoke([&] { ++seen[0]; }, [&] { ++seen[1]; }, [&] { ++seen[2]; },
                         [&] { ++seen[3]; }, [&] { ++seen[4]; });
  EXPECT_EQ(seen, (std::vector<int>{2, 1, 1, 1, 1}));
}

TEST(ParallelInvoke, AnExceptionIsRethrown) {
  const doall::thread_scope team(4);
  EXPECT_THROW(doall::parallel_invoke([] { throw std::runtime_error("a"); }, [] {}),
               std::runtime_error);
}

// However many tasks wait, others get some of them while more are given.
TEST(TaskGroup, OthersHelpWhileManyAreGiven) {
  const doall::thread_scope team(2);
  const std::thread::id giver = std::this_thread::get_id();
  std::atomic<int> elsewhere{0};
  doall::task_group tasks;
  int given = 0;
  for (; given < 1'000'000 && elsewhere < 2000; ++given) {
    tasks.run([&] {
      if (std::this_thread::get_id() != giver)
        ++elsewhere;
      else
        std::this_thread::yield();
    });
  }
  EXPECT_GE(elsewhere, 2000) << "of " << given;
  tasks.wait();
}

// The giving thread may never look again, as it waits for something else than the group.
TEST(TaskGroup, WorkersRunAllThatIsGivenInNoLoop) {
  const doall::thread_scope team(2);
  if (doall::threads() < 2) GTEST_SKIP() << "there is no worker";
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> ran{0};
    doall::task_group tasks;
    for (int i = 0; i < 8; ++i) tasks.run([&] { ++ran; });
    while (ran != 8) std::this_thread::yield();
    tasks.wait();
    EXPECT_EQ(ran, 8);
  }
}

// A thief of short tasks rests; each of these waits for another thread that runs the next one.
TEST(TaskGroup, TasksAreStolenAfterShortOnes) {
  const doall::thread_scope team(2);
  if (doall::threads() < 2) GTEST_SKIP() << "there is no worker";
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> ran{0};
    doall::task_group tasks;
    for (int i = 0; i < 5000; ++i) tasks.run([&] { ++ran; });
    tasks.wait();
    EXPECT_EQ(ran, 5000);
    for (int pair = 0; pair < 20; ++pair) {
      std::atomic<int> begun{0};
      const auto meet = [&] {
        ++begun;
        while (begun < 2) std::this_thread::yield();
      };
      tasks.run(meet);
      tasks.run(meet);
      tasks.wait();
    }
  }
}

// Two groups whose tasks are given in turn: each is waited for on its own, whoever comes.
TEST(TaskGroup, GroupsGivenInTurn) {
  for (const int threads : {1, 2}) {
    const doall::thread_scope team(threads);
    for (int round = 0; round < 200; ++round) {
      int a = 0;
      int b = 0;
      doall::task_group first;
      doall::task_group second;
      std::mutex lock;
      for (int i = 0; i < 20; ++i) {
        first.run([&] {
          const std::lock_guard locked(lock);
          ++a;
        });
        second.run([&] {
          const std::lock_guard locked(lock);
          ++b;
        });
      }
      first.wait();
      EXPECT_EQ(a, 20);
      second.wait();
      EXPECT_EQ(b, 20);
    }
  }
}

// A caller of run() may hold what the task needs.
TEST(TaskGroup, RunExecutesNothing) {
  const doall::thread_scope team(2);
  static thread_local bool is_giving = false;
  std::atomic<int> wrong{0};
  std::atomic<int> ran{0};
  const auto give_many = [&] {
    doall::task_group tasks;
    is_giving = true;
    for (int i = 0; i < 2000; ++i) {
      tasks.run([&] {
        if (is_giving) ++wrong;
        ++ran;
      });
    }
    is_giving = false;
    tasks.wait();
  };
  give_many();
  doall::parallel_for(0, 8, [&](int) { give_many(); });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(ran, 9 * 2000);
}

TEST(TaskGroup, Recursion) {
  for (const int threads : {1, 2, 4}) {
    const doall::thread_scope team(threads);
    EXPECT_EQ(fib_in_groups(20), fib_serial(20));
  }
}

TEST(TaskGroup, ManyTasksMoreThanADequeHolds) {
  const doall::thread_scope team(4);
  std::vector<std::atomic<int>> times(5'000);
  doall::task_group tasks;
  for (auto& t : times) tasks.run([&t] { ++t; });
  tasks.wait();
  for (const auto& t : times) ASSERT_EQ(t.load(), 1);
  tasks.run([&] { times[0] = 7; });  // it may be used again
  tasks.wait();
  EXPECT_EQ(times[0].load(), 7);
}

// A tree that tasks walk, each giving the same group its children.
void visit(doall::task_group& tasks, std::atomic<int>& seen, int depth) {
  ++seen;
  if (depth == 0) return;
  for (int child = 0; child < 3; ++child) {
    tasks.run([&tasks, &seen, depth] { visit(tasks, seen, depth - 1); });
  }
}

// The one task of the list may have been offered when the group is waited for; what it gives lies
// in the list again.
TEST(TaskGroup, TheLastTaskGivesMore) {
  for (const int threads : {1, 2, 4}) {
    const doall::thread_scope team(threads);
    for (int round = 0; round < 2'000; ++round) {
      std::atomic<int> ran{0};
      doall::task_group tasks;
      tasks.run([&] {
        for (int i = 0; i < 2; ++i) tasks.run([&] { ++ran; });
      });
      tasks.wait();
      ASSERT_EQ(ran, 2) << threads << ", " << round;
    }
  }
}

// Outside of loops each has its memory back when it ends.
TEST(TaskGroup, SideBySideOutsideOfLoops) {
  const doall::thread_scope team(2);
  doall::task_group outer;
  std::atomic<int> ran{0};
  for (int round = 0; round < 1'000; ++round) {
    doall::task_group inner;
    inner.run([&] { ++ran; });
    outer.run([&] { ++ran; });
    inner.wait();
  }
  outer.wait();
  EXPECT_EQ(ran, 2'000);
}

TEST(TaskGroup, TasksGiveTasks) {
  const doall::thread_scope team(4);
  for (int run = 0; run < 50; ++run) {
    std::atomic<int> seen{0};
    doall::task_group tasks;
    visit(tasks, seen, 6);
    tasks.wait();
    ASSERT_EQ(seen.load(), (2187 - 1) / 2);
  }
}

TEST(TaskGroup, InsideOfLoopsAndLoopsInside) {
  const doall::thread_scope team(4);
  for (int run = 0; run < 50; ++run) {
    std::atomic<int> sum{0};
    doall::parallel_for(0, 10, [&](int) {
      doall::task_group tasks;
      for (int t = 0; t < 5; ++t) {
        tasks.run([&] {
          doall::parallel_for(0, 20, [&](int) {
            ++sum;
            tasks.run([&] { ++sum; });  // not where a stay would find it: at once
          });
        });
      }
    });  // destructors wait
    ASSERT_EQ(sum.load(), 2000);
  }
}

TEST(TaskGroup, GroupsEndInAnyOrder) {
  const doall::thread_scope team(4);
  std::atomic<int> sum{0};
  auto first = std::make_unique<doall::task_group>();
  auto second = std::make_unique<doall::task_group>();
  first->run([&] { sum += 1; });
  second->run([&] { sum += 10; });
  second->wait();
  first->run([&] { sum += 100; });
  second.reset();
  first->wait();
  first.reset();
  EXPECT_EQ(sum.load(), 111);
}

TEST(TaskGroup, TheFirstFailureIsRethrownOnce) {
  const doall::thread_scope team(4);
  doall::task_group tasks;
  for (int t = 0; t < 10; ++t) tasks.run([] { throw std::runtime_error("task"); });
  EXPECT_THROW(tasks.wait(), std::runtime_error);
  tasks.wait();
  std::atomic<bool> ran{false};
  tasks.run([&] { ran = true; });
  tasks.wait();
  EXPECT_TRUE(ran.load());
}

TEST(ParallelInvoke, TakesOptions) {
  const doall::thread_scope team(4);
  std::atomic<int> sum{0};
  EXPECT_EQ(doall::parallel_invoke(
                doall::schedule::dynamic(), [&] { sum += 1; }, [&] { sum += 10; }),
            doall::loop_end::completed);
  EXPECT_EQ(sum.load(), 11);
  std::stop_source source;
  const doall::loop_options stoppable{.stop = source.get_token()};
  EXPECT_EQ(doall::parallel_invoke(stoppable, [&] { sum += 100; }), doall::loop_end::completed);
  source.request_stop();
  EXPECT_EQ(doall::parallel_invoke(
                stoppable, [&] { sum += 1000; }, [&] { sum += 1000; }),
            doall::loop_end::stopped);
  EXPECT_EQ(sum.load(), 111);
}

TEST(TaskGroup, BeginsNoTaskAfterAStop) {
  for (const int threads : {1, 4}) {
    const doall::thread_scope team(threads);
    std::stop_source source;
    std::atomic<bool> requested{false};
    std::atomic<int> late{0};
    std::atomic<int> ran{0};
    doall::task_group tasks(source.get_token());
    EXPECT_EQ(tasks.wait(), doall::loop_end::completed);
    for (int t = 0; t < 1000; ++t) {
      tasks.run([&] {
        if (requested) ++late;
        if (ran++ != 100) return;
        source.request_stop();
        requested = true;
      });
    }
    EXPECT_EQ(tasks.wait(), doall::loop_end::stopped);
    // Each other thread may have been about to begin one.
    EXPECT_LE(late.load(), threads);
    EXPECT_LT(ran.load(), 1000);
    EXPECT_EQ(tasks.wait(), doall::loop_end::completed);  // of nothing
    tasks.run([&] { ran = 2000; });
    EXPECT_EQ(tasks.wait(), doall::loop_end::stopped);
    EXPECT_LT(ran.load(), 1000);
  }
}

// Only the thread that made the group may wait: not a thief that runs one of its tasks, either.
TEST(TaskGroup, AnotherThreadMayNotWait) {
  doall::task_group tasks;
  int ran = 0;
  tasks.run([&] { ran = 1; });
  std::string said;
  std::thread([&] {
    try {
      tasks.wait();
    } catch (const std::logic_error& e) {
      said = e.what();
    }
  }).join();
  EXPECT_NE(said.find("another thread"), std::string::npos) << said;
  tasks.wait();
  EXPECT_EQ(ran, 1);
}

// The next thread gets what the runtime keeps for a thread, but not its loops and groups.
TEST(TaskGroup, OfAThreadThatHasEndedIsForgotten) {
  const doall::thread_scope team(4);
  alignas(doall::task_group) unsigned char room[sizeof(doall::task_group)];
  std::thread([&] { new (room) doall::task_group; }).join();
  std::memset(room, 0x5a, sizeof room);
  std::thread([] {
    std::atomic<long> sum{0};
    doall::parallel_for(0, 1000, [&](int i) { sum += i; });
    EXPECT_EQ(fib_in_groups(12), fib_serial(12));
    EXPECT_EQ(sum.load(), 499500);
  }).join();
  for (const unsigned char byte : room) ASSERT_EQ(byte, 0x5a);
}

TEST(TaskGroupDeathTest, AnotherThreadMayNotDestroyIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        auto tasks = std::make_unique<doall::task_group>();
        std::thread([&] { tasks.reset(); }).join();
      },
      "destroyed by another thread");
}

}  // namespace
