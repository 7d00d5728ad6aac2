// src/park/contention.hpp: when the process's waiters sleep at once, in virtual time.
#include "park/contention.hpp"

#include <gtest/gtest.h>

#include "support/milliseconds.hpp"

namespace doall::park {
namespace {

using tests::ms;

constexpr std::uint64_t slice_ns = 3 * ms;

// Waits that follow each other. A waiter that tries to stay awake is preempted for a slice if
// another program is there.
struct process {
  contention others;
  std::uint64_t now_ns = 12'345 * ms;
  std::uint64_t cpus = 2;

  // How many of the waits are tried awake.
  int pass(std::uint64_t span_ns, bool beside_another) {
    constexpr std::uint64_t between_waits_ns = 20'000;
    int awake = 0;
    for (const std::uint64_t end_ns = now_ns + span_ns; now_ns < end_ns;
         now_ns += between_waits_ns) {
      if (others.holds(now_ns)) continue;
      ++awake;
      if (!beside_another) continue;
      now_ns += slice_ns;
      others.learn(now_ns, slice_ns, cpus);
    }
    return awake;
  }
};

TEST(Contention, WaitsStayAwakeUntilOneIsPreempted) {
  process p;
  EXPECT_FALSE(p.others.holds(p.now_ns));
  EXPECT_EQ(p.pass(10 * ms, false), 500);
  EXPECT_TRUE(p.others.learn(p.now_ns, 0, p.cpus));
  EXPECT_TRUE(p.others.holds(p.now_ns));
}

TEST(Contention, PausesGrowWhileTriesFail) {
  process p;
  for (const std::uint64_t length : {1, 4, 16, 64, 256, 320, 320}) {
    EXPECT_TRUE(p.others.learn(p.now_ns, 0, p.cpus)) << length;
    p.now_ns += length * ms - 1;
    EXPECT_TRUE(p.others.holds(p.now_ns)) << length;
    p.now_ns += 1;
    EXPECT_FALSE(p.others.holds(p.now_ns)) << length;
  }
}

TEST(Contention, APauseIsLongAgainstWhatWasLost) {
  process p;
  EXPECT_TRUE(p.others.learn(p.now_ns, slice_ns, p.cpus));
  p.now_ns += stand_off::shortest_ns;
  EXPECT_FALSE(p.others.holds(p.now_ns)) << "once may be an interrupt";
  EXPECT_TRUE(p.others.learn(p.now_ns, slice_ns, p.cpus));
  p.now_ns += 16 * slice_ns - 1;
  EXPECT_TRUE(p.others.holds(p.now_ns));
  p.now_ns += 1;
  EXPECT_FALSE(p.others.holds(p.now_ns));
  EXPECT_TRUE(p.others.learn(p.now_ns, ~std::uint64_t{0}, p.cpus));
  p.now_ns += stand_off::longest_ns;
  EXPECT_FALSE(p.others.holds(p.now_ns));
}

// Threads that took turns have noticed it.
TEST(Contention, AStopOfTurnsIsNoPauseThatALongerOneFollows) {
  process p;
  p.others.hold_until(p.now_ns + 10 * ms);
  EXPECT_TRUE(p.others.holds(p.now_ns + 10 * ms - 1));
  p.now_ns += 10 * ms;
  EXPECT_FALSE(p.others.holds(p.now_ns));
  EXPECT_TRUE(p.others.learn(p.now_ns, slice_ns, p.cpus));
  EXPECT_FALSE(p.others.holds(p.now_ns + stand_off::shortest_ns));
}

// What several waiters notice at a time makes one pause.
TEST(Contention, NoticesWithinAPauseChangeNothing) {
  process p;
  EXPECT_TRUE(p.others.learn(p.now_ns, 0, p.cpus));
  EXPECT_FALSE(p.others.learn(p.now_ns, 0, p.cpus));
  p.now_ns += stand_off::shortest_ns;
  EXPECT_FALSE(p.others.holds(p.now_ns));
}

TEST(Contention, BesideAProgramThatStaysFewWaitsTry) {
  process p;
  EXPECT_LE(p.pass(100 * ms, true), 3);
  p.pass(1000 * ms, true);
  EXPECT_LE(p.pass(10'000 * ms, true), 10'000 / 320 + 1);
}

TEST(Contention, EndsWhenTheProgramHasGone) {
  process p;
  p.pass(10'000 * ms, true);
  p.pass(stand_off::longest_ns, false);
  EXPECT_EQ(p.pass(10 * ms, false), 500);
  p.now_ns += stand_off::longest_ns;
  EXPECT_TRUE(p.others.learn(p.now_ns, 0, p.cpus));
  p.now_ns += stand_off::shortest_ns;
  EXPECT_FALSE(p.others.holds(p.now_ns)) << "a later one begins anew";
}

TEST(Contention, OfManyCpusAQuarterMustBeMissed) {
  process p;
  p.cpus = 64;
  for (int i = 1; i < 16; ++i) EXPECT_FALSE(p.others.learn(p.now_ns += ms, 0, p.cpus)) << i;
  EXPECT_TRUE(p.others.learn(p.now_ns += ms, 0, p.cpus));
}

TEST(Contention, OfManyCpusOneThatIsMissedAgainAndAgainIsNotEnough) {
  process p;
  p.cpus = 64;
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(p.others.learn(p.now_ns += stand_off::longest_ns, 0, p.cpus)) << i;
  }
}

}  // namespace
}  // namespace doall::park
