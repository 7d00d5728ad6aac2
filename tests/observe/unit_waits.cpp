// What an iteration has waited is left out of its time once, on its thread alone.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "base/clock.hpp"
#include "observe/waits.hpp"

namespace doall::observe {
namespace {

std::uint64_t wait_once() {
  const std::uint64_t begun = base::ticks();
  waits::begin();
  // Long beside the clock's steps; how much longer it takes does not matter.
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  waits::end();
  return base::ticks() - begun;
}

TEST(Waits, AreLeftOutOnce) {
  const std::uint64_t both = wait_once() + wait_once();
  const std::uint64_t whole = 2 * both;
  const std::uint64_t rest = waits::leave_out(whole);
  EXPECT_GE(rest, both);
  EXPECT_LT(rest, whole);
  EXPECT_EQ(waits::leave_out(whole), whole);
}

TEST(Waits, LeaveNothingOfAShorterTime) {
  wait_once();
  EXPECT_EQ(waits::leave_out(1), 0U);
  EXPECT_EQ(waits::leave_out(1), 1U);
}

TEST(Waits, AreOfTheirThread) {
  std::thread(wait_once).join();
  EXPECT_EQ(waits::leave_out(5), 5U);
}

}  // namespace
}  // namespace doall::observe
