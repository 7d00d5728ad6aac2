// A thread that begins late: its slot has moved to a pool that was made after it was started.
// Under ThreadSanitizer it must see that pool whole, before it has a task of it.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstdlib>

#include "support/file_environment.hpp"
#include "threads/pool.hpp"

namespace {

// Relaxed, as all uses of it: it is to order nothing.
std::atomic<bool> may_begin{false};

// Before settings are read: teams on so few CPUs have a tree, too.
const doall::tests::file_environment trees(__FILE__, "DOALL_BARRIER", "tree");

}  // namespace

// In place of the C library's: the first thing that a worker does.
extern "C" int pthread_setname_np(pthread_t, const char*) noexcept {
  while (!may_begin.load(std::memory_order_relaxed)) sched_yield();
  return 0;
}

namespace doall::team {
namespace {

TEST(InnerTeams, AThreadThatBeginsLateWorksInAPoolThatIsMadeAfterIt) {
  const pool::lease outer(2);
  const pool::lease::inside team{outer.size()};
  {
    const pool::lease starts_two_threads(3, team);
  }
  pool::lease keeps_one(2, team);
  pool::lease made_for_the_other(2, team);
  ASSERT_EQ(keeps_one.size(), 2U);
  ASSERT_EQ(made_for_the_other.size(), 2U);
  ASSERT_NE(keeps_one.pool_number(), made_for_the_other.pool_number());

  may_begin.store(true, std::memory_order_relaxed);
  for (pool::lease* inner : {&keeps_one, &made_for_the_other}) {
    std::array<std::atomic<int>, 2> ran{};
    inner->run(
        {.run = [](const barrier::task& work,
                   std::uint32_t w) { static_cast<std::atomic<int>*>(work.context)[w] += 1; },
         .context = ran.data()});
    EXPECT_EQ(ran[0], 1);
    EXPECT_EQ(ran[1], 1);
  }
}

// The form of an OpenMP region's barriers: also in teams inside of others.
TEST(InnerTeams, HaveATreeOfTheirOwnForBarriers) {
  const pool::lease inner(3, pool::lease::inside{2});
  ASSERT_EQ(inner.size(), 3U);
  EXPECT_FALSE(inner.meeting().is_flat());
}

}  // namespace
}  // namespace doall::team
