// src/park/spin.hpp, pause.hpp and gate.hpp: how a wait ends, and when a spin is over.
#include "park/gate.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>
#include <string>
#include <thread>

#include "support/repeat.hpp"

namespace doall::park {
namespace {

using tests::repeat_while_disturbed;

constexpr std::uint64_t long_ns = 10'000'000'000;

// In the first round that the clock is read before and after: no preemption that the machine makes
// ends a spin before it.
constexpr int early_timed_look = looks_a_round + looks_a_round / 2;

void busy_for(std::uint64_t ns) {
  const std::uint64_t until_ns = base::now_ns() + ns;
  while (base::now_ns() < until_ns) {
  }
}

// No waiter spins for a while after one was preempted, here or in an earlier test.
void until_waiters_spin() {
  while (others_want_cpus() || mates_here.are_strangers(base::now_ns)) sync::yield();
}

TEST(Spin, WhoFindsItReadyDoesNotSpin) {
  int looks = 0;
  const spun s = spin([&] { return ++looks > 0; }, long_ns);
  EXPECT_TRUE(s.ready);
  EXPECT_EQ(s.ns, 0);
  EXPECT_EQ(looks, 1);
}

TEST(Spin, ZeroIsOneLook) {
  int looks = 0;
  EXPECT_FALSE(spin([&] { return ++looks > 1; }, 0));
  EXPECT_EQ(looks, 1);
}

TEST(SpinTimed, EndsWithItsTime) {
  repeat_while_disturbed([] {
    until_waiters_spin();
    const std::uint64_t began_ns = base::now_ns();
    const spun s = spin([] { return false; }, 500'000);
    EXPECT_FALSE(s.ready);
    EXPECT_FALSE(s.preempted);
    EXPECT_GE(s.ns, 500'000);
    EXPECT_GE(base::now_ns() - began_ns, s.ns);
  });
}

TEST(SpinTimed, ASlowLookLooksLikeAPreemptionAndEndsIt) {
  until_waiters_spin();
  int looks = 0;
  const spun s = spin(
      [&] {
        if (++looks == early_timed_look) busy_for(2 * preempted_ns);
        return false;
      },
      long_ns);
  EXPECT_TRUE(s.preempted);
  EXPECT_FALSE(s.ready);
  EXPECT_LT(s.ns, long_ns / 10);
}

TEST(Spin, WorkInsideWorkCountsOnce) {
  take_worked_ns();
  const std::uint64_t began_ns = base::now_ns();
  work_in_look([] {
    work_in_look([] { busy_for(1000); });
    work_in_look([] { busy_for(1000); });
    take_worked_ns();
  });
  EXPECT_LE(worked_ns, base::now_ns() - began_ns);
  EXPECT_GE(take_worked_ns(), 2000U);
}

TEST(SpinTimed, WorkInALookIsNoPreemption) {
  repeat_while_disturbed([] {
    until_waiters_spin();
    int looks = 0;
    const auto worked = [&] {
      if (++looks == early_timed_look) work_in_look([] { busy_for(2 * preempted_ns); });
      return looks == 2 * early_timed_look;
    };
    const spun s = spin(worked, long_ns);
    EXPECT_TRUE(s.ready);
    EXPECT_FALSE(s.preempted);
  });
}

TEST(SpinTimed, SaysThatItWasPreemptedAlsoWhenItIsReadyThen) {
  until_waiters_spin();
  int looks = 0;
  const spun s = spin(
      [&] {
        if (++looks != early_timed_look) return false;
        busy_for(2 * preempted_ns);
        return true;
      },
      long_ns);
  EXPECT_TRUE(s.ready);
  EXPECT_TRUE(s.preempted);
  EXPECT_GE(s.ns, 2 * preempted_ns);
}

// It was preempted, so for a while it looks once, and so do all waiters of the process.
TEST(SpinTimed, AfterAPreemptionNobodySpins) {
  repeat_while_disturbed([] {
    until_waiters_spin();
    int looks = 0;
    const auto slow_once = [&] {
      if (++looks == early_timed_look) busy_for(2 * preempted_ns);
      return false;
    };
    EXPECT_TRUE(spin(slow_once, long_ns).preempted);
    EXPECT_TRUE(others_want_cpus());
    looks = 0;
    std::thread([&] { spin([&] { return ++looks > 1; }, long_ns); }).join();
    EXPECT_EQ(looks, 1);
  });
}

TEST(SpinBound, KeepsItsMannerWhenItIsShortened) {
  const spin_bound alone = 1000;
  EXPECT_EQ(alone.ns(), 1000);
  EXPECT_FALSE(alone.takes_turns());
  EXPECT_TRUE(alone.in_turns().takes_turns());
  EXPECT_EQ(alone.in_turns().ns(), 1000);
  EXPECT_EQ(alone.at_most(10), spin_bound(10));
  EXPECT_EQ(alone.at_most(2000), alone);
  EXPECT_EQ(alone.in_turns().at_most(10), spin_bound(10).in_turns());
  EXPECT_EQ(alone.in_turns().in_turns(), alone.in_turns());
  EXPECT_TRUE(alone.giving_way().gives_way());
  EXPECT_FALSE(alone.gives_way() || alone.giving_way().takes_turns());
  EXPECT_EQ(alone.giving_way().ns(), 1000);
  EXPECT_EQ(alone.giving_way().at_most(10), spin_bound(10).giving_way());
  EXPECT_EQ(alone.in_turns().giving_way(), alone.in_turns());
  EXPECT_EQ(alone.giving_way().in_turns(), alone.in_turns());
}

TEST(SpinBound, NoTimeIsNoTurn) {
  EXPECT_EQ(spin_bound(0).in_turns(), spin_bound(0));
  EXPECT_EQ(spin_bound(1000).in_turns().at_most(0), spin_bound(0));
  EXPECT_EQ(spin_bound(1000).giving_way().at_most(0), spin_bound(0));
  int looks = 0;
  EXPECT_FALSE(spin([&] { return ++looks > 1; }, spin_bound(0).in_turns()));
  EXPECT_EQ(looks, 1);
}

TEST(TurnsTimed, EndWithTheirTime) {
  const std::uint64_t began_ns = base::now_ns();
  const spun s = spin([] { return false; }, spin_bound(500'000).in_turns());
  EXPECT_FALSE(s.ready);
  EXPECT_FALSE(s.preempted);
  EXPECT_GE(s.ns, 500'000);
  EXPECT_GE(base::now_ns() - began_ns, s.ns);
}

TEST(Turns, OfOthersAreNoPreemption) {
  int looks = 0;
  const spun s = spin(
      [&] {
        if (++looks == 3) busy_for(2 * preempted_ns);
        return looks == 6;
      },
      spin_bound(long_ns).in_turns());
  EXPECT_FALSE(s.preempted);
  EXPECT_EQ(s.ready, looks == 6);  // not, if another program has a CPU now: then turns end early
}

// Two threads on one CPU, each waiting for the other in turn. A thread that kept the CPU would look
// thousands of times in its time slice, before the other can answer.
// Beside another program that computes no thread takes turns, or gives way, for a while.
void let_the_thread_run_that_is_waited_for(spin_bound bound, int looks_most) {
  constexpr int rounds = 200;
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const int here = sched_getcpu();
  sync::atomic<int> ball{0};
  int looks[2] = {};
  const auto play = [&](int side) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(here, &only);
    sched_setaffinity(0, sizeof only, &only);
    for (int i = 0; i < rounds; ++i) {
      const auto mine = [&] {
        ++looks[side];
        return ball.load(sync::acquire) == 2 * i + side;
      };
      while (!spin(mine, bound)) {
      }
      ball.store(2 * i + side + 1, sync::release);
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  sched_setaffinity(0, sizeof allowed, &allowed);
  EXPECT_EQ(ball.load(), 2 * rounds);
  EXPECT_LT(looks[0], looks_most * rounds);
  EXPECT_LT(looks[1], looks_most * rounds);
}
TEST(TurnsTimed, LetTheThreadRunThatIsWaitedFor) {
  tests::repeat_while_disturbed(
      [] { let_the_thread_run_that_is_waited_for(spin_bound(long_ns).in_turns(), 50); });
}
TEST(GivingWayTimed, LetsTheThreadRunThatIsWaitedFor) {
  tests::repeat_while_disturbed(
      [] { let_the_thread_run_that_is_waited_for(spin_bound(long_ns).giving_way(), 200); });
}

TEST(GivingWay, LooksLikeASpinAtFirst) {
  until_waiters_spin();
  int looks = 0;
  const spun s = spin([&] { return ++looks == 20; }, spin_bound(long_ns).giving_way());
  EXPECT_TRUE(s.ready);
  EXPECT_EQ(looks, 20);
}

TEST(Gate, SaysHowTheWaitEnded) {
  gate g;
  const waited at_once = g.wait([] { return true; }, long_ns);
  EXPECT_EQ(at_once.end, wait_end::at_once);
  EXPECT_EQ(at_once.ns, 0);

  until_waiters_spin();
  int looks = 0;
  const waited soon = g.wait([&] { return ++looks == 20; }, long_ns);
  EXPECT_EQ(soon.end, wait_end::spinning);

  sync::atomic<int> holds{0};
  sync::atomic<int> late_looks{0};
  std::thread opener([&] {
    while (late_looks.load() < 2) sync::yield();
    holds.store(1, sync::release);
    g.open();
  });
  const waited late = g.wait(
      [&] {
        late_looks.fetch_add(1);
        return holds.load(sync::acquire) != 0 && late_looks.load() > 2;
      },
      0);
  opener.join();
  EXPECT_EQ(late.end, wait_end::asleep);
  EXPECT_GT(late.ns, 0);
}

TEST(GateTimed, APreemptedWaiterSleepsAtOnce) {
  // On a busy machine the opener may be through within the slow look.
  repeat_while_disturbed([] {
    until_waiters_spin();
    gate g;
    sync::atomic<int> holds{0};
    int looks = 0;
    std::thread opener([&] {
      busy_for(5'000'000);
      holds.store(1, sync::release);
      g.open();
    });
    const waited w = g.wait(
        [&] {
          if (++looks == early_timed_look) busy_for(2 * preempted_ns);
          return holds.load(sync::acquire) != 0;
        },
        long_ns);
    opener.join();
    EXPECT_EQ(w.end, wait_end::asleep);
    EXPECT_LT(looks, 1000);
  });
}

#if defined(__x86_64__)

TEST(Pause, FindsWaitpkgInItsBit) {
  EXPECT_TRUE(waitpkg_in(1U << 5));
  EXPECT_TRUE(waitpkg_in(~0U));
  EXPECT_FALSE(waitpkg_in(0));
  EXPECT_FALSE(waitpkg_in(~(1U << 5)));
}

TEST(Pause, AgreesWithTheKernelOnWaitpkg) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string word;
  bool has_flags = false;
  bool listed = false;
  while (cpuinfo >> word) {
    has_flags = has_flags || word == "flags";
    listed = listed || word == "waitpkg";
  }
  if (!has_flags) GTEST_SKIP() << "/proc/cpuinfo cannot be read";
  EXPECT_EQ(has_tpause, listed);
}

#endif

}  // namespace
}  // namespace doall::park
