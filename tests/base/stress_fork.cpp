// A thousand forks of a program of native loops, between loops and inside of them:
// each child's loops work, also when the thread that forks is in a loop's body, which
// it leaves in the child too; what the parent was in the middle of goes on.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/every_schedule.hpp"
#include "support/file_environment.hpp"

namespace {

// Before the library reads it: teams may be larger than the machine.
const doall::tests::file_environment oversubscribed(__FILE__, "DOALL_OVERSUBSCRIBE", "true");

constexpr int rounds = 250;  // of four forks

class Fork : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer lets no child of a threaded program start threads";
#endif
  }

  // A sum over a loop of three workers.
  bool loop_works(int round) const {
    const doall::schedule& how = schedules_[static_cast<std::size_t>(round) % schedules_.size()];
    return doall::parallel_reduce(0, 200, 0, [](int i) { return i; }, std::plus<>{}, how) == 19900;
  }

  pid_t fork_here() const {
    const pid_t child = fork();
    if (child == 0) alarm(30);  // a child that hangs is killed
    return child;
  }

  void end_child(bool works) const { _exit(works ? 0 : 1); }

  void expect_ended_well(pid_t child) const {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }

 private:
  const doall::thread_scope three_{3};
  const std::vector<doall::schedule> schedules_ = doall::tests::every_schedule();
};

TEST_F(Fork, BetweenLoops) {
  for (int round = 0; round < rounds; ++round) {
    ASSERT_TRUE(loop_works(round));
    const pid_t child = fork_here();
    if (child == 0) end_child(loop_works(round) && loop_works(round + 1));
    expect_ended_well(child);
  }
}

// The caller of the loop forks in its body, in its first iteration. The child leaves
// the loop alone: what other workers took is theirs, in the parent.
TEST_F(Fork, InALoopsBody) {
  for (int round = 0; round < rounds; ++round) {
    const auto caller = std::this_thread::get_id();
    std::atomic<int> ran{0};
    pid_t child = -1;
    doall::parallel_for(
        0, 30,
        [&](int) {
          ran += 1;
          if (std::this_thread::get_id() == caller && child == -1) child = fork_here();
        },
        doall::schedule::static_());
    if (child == 0) end_child(ran >= 1 && loop_works(round) && loop_works(round + 1));
    ASSERT_NE(child, -1);
    EXPECT_EQ(ran, 30);
    expect_ended_well(child);
  }
}

TEST_F(Fork, InABodyThatThrowsInTheChild) {
  for (int round = 0; round < rounds; ++round) {
    const auto caller = std::this_thread::get_id();
    pid_t child = -1;
    bool thrown = false;
    try {
      doall::parallel_for(
          0, 30,
          [&](int) {
            if (std::this_thread::get_id() != caller || child != -1) return;
            child = fork_here();
            if (child == 0) throw std::runtime_error("in the child");
          },
          doall::schedule::static_());
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    if (child == 0) end_child(thrown && loop_works(round));
    EXPECT_FALSE(thrown);
    expect_ended_well(child);
  }
}

// Two threads run loops, of which one has the workers at most times, while a third
// forks: whatever they were in the middle of does not exist in the child.
TEST_F(Fork, WhileOtherThreadsRunLoops) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer's own locks may be held in the child";
#endif
  std::atomic<bool> done{false};
  std::atomic<bool> wrong{false};
  {
    std::vector<std::jthread> others;
    for (int t = 0; t < 2; ++t) {
      others.emplace_back([&, t] {
        const doall::thread_scope three(3);
        for (int round = t; !done; ++round) {
          if (!loop_works(round)) wrong = true;
        }
      });
    }
    for (int round = 0; round < rounds; ++round) {
      const pid_t child = fork_here();
      if (child == 0) end_child(loop_works(round) && loop_works(round + 1));
      expect_ended_well(child);
    }
    done = true;
  }
  EXPECT_FALSE(wrong);
}

}  // namespace
