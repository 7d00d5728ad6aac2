// src/park/turns.hpp: when waiters stop taking turns, in virtual time.
#include "park/turns.hpp"

#include <gtest/gtest.h>

#include "support/milliseconds.hpp"

namespace doall::park {
namespace {

using tests::ms;

constexpr std::uint64_t cpus = 4;

// Long turns of others at equal distances, in a process that uses so many tenths of a CPU.
class TurnWatch : public testing::Test {
 protected:
  // Whether turns were allowed all the time.
  bool pass(std::uint64_t span_ns, std::uint64_t tenths_used) {
    constexpr std::uint64_t turn_ns = 3 * ms;
    bool always = true;
    for (const std::uint64_t end_ns = now_ns_ + span_ns; now_ns_ < end_ns;) {
      now_ns_ += turn_ns;
      used_ns_ += turn_ns * tenths_used / 10;
      if (!watch_.allows(now_ns_)) {
        always = false;
        paused_ns_ += turn_ns;
      } else {
        always = watch_.goes_on(now_ns_, used_ns_, cpus) && always;
      }
    }
    return always;
  }

  turn_watch watch_;
  std::uint64_t now_ns_ = 12'345 * ms;
  std::uint64_t used_ns_ = 678 * ms;
  std::uint64_t paused_ns_ = 0;
};

TEST_F(TurnWatch, GoOnWhileTheProcessHasItsCpus) {
  EXPECT_TRUE(pass(1000 * ms, 10 * cpus));
  EXPECT_TRUE(pass(1000 * ms, 10 * cpus - 4));
}

TEST_F(TurnWatch, EndBesideAnotherProgram) {
  EXPECT_FALSE(pass(30 * ms, 10 * (cpus - 1)));
  EXPECT_GT(paused_ns_, 0);
}

TEST_F(TurnWatch, AreTriedLessAndLessBesideAProgramThatStays) {
  pass(1000 * ms, 10 * (cpus - 1));
  paused_ns_ = 0;
  pass(10'000 * ms, 10 * (cpus - 1));
  EXPECT_GT(paused_ns_, 9'000 * ms);
}

TEST_F(TurnWatch, ComeBackWhenTheProgramHasGone) {
  pass(2000 * ms, 10 * (cpus - 1));
  pass(turn_watch::longest_pause_ns, 10 * cpus);
  EXPECT_TRUE(pass(1000 * ms, 10 * cpus));
}

TEST_F(TurnWatch, AreNotJudgedByWhatWasLongAgo) {
  EXPECT_TRUE(pass(30 * ms, 10 * cpus));
  now_ns_ += 2 * turn_watch::longest_view_ns;  // the program computed on one thread
  used_ns_ += 2 * turn_watch::longest_view_ns;
  EXPECT_TRUE(pass(30 * ms, 10 * cpus));
}

TEST_F(TurnWatch, GoOnInTheChildOfAFork) {
  EXPECT_TRUE(pass(30 * ms, 10 * cpus));
  used_ns_ = 0;
  EXPECT_TRUE(pass(30 * ms, 10 * cpus));
}

}  // namespace
}  // namespace doall::park
