// What a waiter learns of the threads on its CPU (src/park/mates.hpp), in virtual time.
#include "park/mates.hpp"

#include <gtest/gtest.h>

namespace doall::park {
namespace {

constexpr bool ready = true;
constexpr bool preempted = true;

struct waiter {
  std::uint64_t now_ns = 1;
  mates m;

  void yields(bool is_ready, bool was_preempted) {
    m.learn(is_ready, was_preempted, [&] { return now_ns; });
  }
  bool sleeps() {
    return m.are_strangers([&] { return now_ns; });
  }
};

TEST(Mates, AreThoseWhoEndTheWaitSoon) {
  waiter w;
  EXPECT_FALSE(w.m.are_here());
  w.yields(ready, !preempted);
  EXPECT_TRUE(w.m.are_here());
  EXPECT_FALSE(w.sleeps());
  w.yields(!ready, !preempted);
  EXPECT_FALSE(w.m.are_here());
  EXPECT_FALSE(w.sleeps());
}

TEST(Mates, AreNotThereWhereASpinIsPreempted) {
  waiter w;
  w.yields(ready, !preempted);
  w.m.expect_strangers([&] { return w.now_ns; });
  EXPECT_FALSE(w.m.are_here());
  EXPECT_TRUE(w.sleeps());
}

TEST(Mates, AreNotThoseWhoKeepTheCpu) {
  for (const bool was_ready : {true, false}) {
    waiter w;
    w.yields(ready, !preempted);
    w.yields(was_ready, preempted);
    EXPECT_FALSE(w.m.are_here());
    EXPECT_TRUE(w.sleeps());
    w.now_ns += stand_off::shortest_ns;
    EXPECT_FALSE(w.sleeps());
  }
}

// Beside a program that stays, yielding again is tried more and more rarely.
TEST(Mates, StrangersThatStayAreGivenLessAndLess) {
  waiter w;
  int given = 0;
  const std::uint64_t slice_ns = 4'000'000;
  for (const std::uint64_t end_ns = 4'000'000'000; w.now_ns < end_ns; w.now_ns += 10'000) {
    if (w.sleeps()) continue;
    w.now_ns += slice_ns;
    w.yields(ready, preempted);
    ++given;
  }
  EXPECT_LT(given, 25);
}

}  // namespace
}  // namespace doall::park
