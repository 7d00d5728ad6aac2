// Native loops compute as their caller does: base/fp_state.hpp, carried by the pool.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cfenv>
#include <cstdlib>

#include "base/fp_state.hpp"
#include "threads/pool.hpp"

namespace {

using doall::base::fp_state;

class FpState : public testing::Test {
 protected:
  ~FpState() override { std::fesetround(FE_TONEAREST); }
};

TEST_F(FpState, IsWhatWasLoaded) {
  const fp_state before = fp_state::of_this_thread();
  std::fesetround(FE_UPWARD);
  const fp_state upward = fp_state::of_this_thread();
  EXPECT_NE(upward, before);
  before.load();
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(fp_state::of_this_thread(), before);
  upward.load();
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
}

// Otherwise each worker that has once divided would load at every loop.
TEST_F(FpState, IsNotChangedByExceptionsThatHappened) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const fp_state before = fp_state::of_this_thread();
  std::feraiseexcept(FE_INEXACT | FE_UNDERFLOW);
  EXPECT_EQ(fp_state::of_this_thread(), before);
}

TEST_F(FpState, OfTheCallerReachesEveryWorkerAndNoneStays) {
  for (int round = 0; round < 100; ++round) {
    const int mode = round % 2 == 0 ? FE_DOWNWARD : FE_UPWARD;
    std::fesetround(mode);
    doall::team::pool::lease team(4);
    ASSERT_EQ(team.size(), 4U);
    struct found {
      std::atomic<int> right{0};
      int mode;
    } seen{.right = 0, .mode = mode};
    team.run({[](const doall::barrier::task& work, std::uint32_t w) {
                auto& s = *static_cast<found*>(work.context);
                s.right += std::fegetround() == s.mode;
                if (w != 0) std::fesetround(FE_TOWARDZERO);
              },
              &seen, nullptr, nullptr});
    ASSERT_EQ(seen.right, 4);
  }
}

}  // namespace
