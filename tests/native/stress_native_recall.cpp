// Loops that turn out long after they have begun alone (src/decide/README.md): the rest is shared,
// and each iteration runs once. Bodies sleep. To how many of a site's loops others come in time is
// a matter of the clock (RecallTimed); what is decided is tested in virtual time
// (tests/decide/property_regret.cpp).
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "settings/settings.hpp"
#include "support/seeds.hpp"

namespace {

using namespace std::chrono_literals;

// A loop of n iterations, of which those from `cheap` on sleep for a while. How many of these ran
// on other threads than this one; each of all ran once.
class loops {
 public:
  // An application's own: all its loops are one site.
  [[gnu::noinline]] static void run_any(int n, const std::function<void(int)>& body) {
    doall::parallel_for(0, n, [&](int i) { body(i); });
  }
  int others_of(int n, int cheap, std::chrono::microseconds each) {
    others_ = 0;
    ran_ = 0;
    const auto self = std::this_thread::get_id();
    run_any(n, [&, self](int i) {
      ran_.fetch_add(1, std::memory_order_relaxed);
      if (i < cheap) return;
      std::this_thread::sleep_for(each);
      if (std::this_thread::get_id() != self) others_.fetch_add(1);
    });
    EXPECT_EQ(ran_, n);
    return others_;
  }

 private:
  std::atomic<int> others_{0};
  std::atomic<int> ran_{0};
};

#define SKIP_ON_ONE_WORKER()                                                           \
  if (!doall::team::environment().small_loops_alone) GTEST_SKIP() << "all are shared"; \
  const doall::thread_scope two(2);                                                    \
  if (doall::team::environment().cpus < 2) GTEST_SKIP() << "one worker shares nothing"

// To how many of 40 loops others come that had been short before.
int shared_after_short_ones() {
  loops site;
  for (int i = 0; i < 2'000; ++i) site.others_of(64, 64, 0us);
  int shared = 0;
  // Some may be plain loops in the program, about which nobody is asked.
  for (int i = 0; i < 40; ++i) shared += site.others_of(64, 0, 300us) > 0 ? 1 : 0;
  return shared;
}

// Of 80 loops of one site, so many % of them long: the long ones after the first 30, and to how
// many of these others come.
struct long_loops {
  int all = 0;
  int shared = 0;
};
long_loops shared_of_a_wrapper(int percent) {
  doall::base::rng random(1);
  loops site;
  long_loops found;
  for (int i = 0; i < 80; ++i) {
    if (static_cast<int>(random.below(100)) >= percent) {
      site.others_of(32, 32, 0us);
      continue;
    }
    const bool is_shared = site.others_of(32, 0, 500us) > 0;
    if (i < 30) continue;
    ++found.all;
    found.shared += is_shared ? 1 : 0;
  }
  return found;
}

TEST(Recall, RunsEachIterationOfALoopThatWasShortOnce) {
  SKIP_ON_ONE_WORKER();
  shared_after_short_ones();
}

TEST(Recall, RunsEachIterationOfAWrappersLoopsOnce) {
  SKIP_ON_ONE_WORKER();
  for (const int percent : {20, 50, 80}) shared_of_a_wrapper(percent);
}

TEST(RecallTimed, IsOfALoopThatWasShortUntilNow) {
  SKIP_ON_ONE_WORKER();
  EXPECT_GE(shared_after_short_ones(), 5);
}

TEST(RecallTimed, IsOfAWrappersLongLoops) {
  SKIP_ON_ONE_WORKER();
  for (const int percent : {20, 50, 80}) {
    const auto [all, shared] = shared_of_a_wrapper(percent);
    EXPECT_GE(shared, all / 2) << percent << " % of them long";
  }
}

// Two sites, so both calls are first ones.
TEST(Recall, IsOfAFirstCallWhoseFirstIterationsAreCheap) {
  SKIP_ON_ONE_WORKER();
  std::atomic<int> others{0};
  const auto self = std::this_thread::get_id();
  const auto count = [&, self] {
    std::this_thread::sleep_for(2ms);
    if (std::this_thread::get_id() != self) others.fetch_add(1);
  };
  doall::parallel_for(0, 200, [&](int i) {
    if (i >= 80) count();
  });
  EXPECT_GT(others, 0);
  others = 0;
  std::atomic<int> cheap{0};
  doall::parallel_for(0, 5'100, [&](int i) {
    if (i < 5'000) return void(cheap.fetch_add(1, std::memory_order_relaxed));
    count();
  });
  EXPECT_EQ(cheap, 5'000);
  EXPECT_GT(others, 0);
}

}  // namespace
