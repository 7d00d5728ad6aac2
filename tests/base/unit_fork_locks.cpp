// A fork takes the locks that it must wait for in an order that cannot meet itself: one whose
// holder waits for threads that take others comes first.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/fork.hpp"

namespace doall::base {
namespace {

constinit lone_mutex of_threads;
constinit lone_mutex of_who_joins;
[[maybe_unused]] const int forks_wait_for_threads = free_in_children<of_threads>();
[[maybe_unused]] const int forks_wait_for_who_joins =
    free_in_children<of_who_joins>(fork_order::first);

TEST(ForkLocks, AHolderOfTheFirstMayWaitForAThreadThatTakesAnother) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer forks by rules of its own";
#endif
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> holds{false};
    std::thread joins([&] {
      const std::lock_guard hold(of_who_joins);
      holds = true;
      // Meanwhile the fork takes what it can. If it takes less, the test proves less.
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(5)) {
        std::this_thread::yield();
      }
      std::thread([] { const std::lock_guard hold(of_threads); }).join();
    });
    while (!holds) std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) {
      of_who_joins.lock();
      of_who_joins.unlock();
      of_threads.lock();
      of_threads.unlock();
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    joins.join();
  }
}

}  // namespace
}  // namespace doall::base
