// How a thief finds somebody who has work (src/steal/roster.hpp), and whom a push wakes
// (src/steal/wake_up.hpp), counted with many workers of which none runs.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "park/gate.hpp"
#include "steal/stint.hpp"
#include "steal/wake_up.hpp"

namespace doall::steal {
namespace {

using one = sleeper<park::gate>;

// Loops that have begun and have no iterations.
class Workers : public testing::Test {
 protected:
  one& add(std::uint32_t domain = 0) {
    auto& made = *all_.emplace_back(
        std::make_unique<one>(static_cast<std::uint32_t>(all_.size()), domain, all_.size() + 1));
    roster_->add(made);
    return made;
  }
  void add_many(int n) {
    while (n-- > 0) add();
  }
  one& operator[](std::size_t i) { return *all_[i]; }

  // A loop that the worker begins in the one that it is in.
  static frame& begin(worker_thread& by, std::uint32_t workers = ~0U) {
    frame* const loop = steal::begin(by, {.workers = workers});
    by.set_current(loop);
    return *loop;
  }
  static void push(worker_thread& by, frame& of) { ASSERT_TRUE(by.own().push({&of, {0, 1}})); }

  void lie_down(one& s, const frame* within = nullptr) { sleepers_->lie_down(s, within, gate_); }
  bool is_called(const one& s, const frame* within = nullptr) const {
    return sleepers_->is_called(s, within);
  }

  std::unique_ptr<roster> roster_ = std::make_unique<roster>();
  std::unique_ptr<wake_up<park::gate>> sleepers_ = std::make_unique<wake_up<park::gate>>(*roster_);
  std::vector<std::unique_ptr<one>> all_;
  park::gate gate_;
};

TEST_F(Workers, AThousandIdleOnesCostAThiefNothing) {
  one& thief = add();
  add_many(1'000);
  one& victim = add();
  frame& loop = begin(victim);
  for (u64 theft = 1; theft <= 100; ++theft) {
    push(victim, loop);
    ASSERT_EQ(roster_->advertisers(thief), 1U);
    ASSERT_EQ(roster_->draw_victim(thief), &victim);
    descriptor taken;
    ASSERT_TRUE(roster_->steal(thief, nullptr, taken));
    ASSERT_EQ(thief.done.tried, theft);  // it has looked into no other deque
  }
  victim.withdraw();
  EXPECT_EQ(roster_->draw_victim(thief), nullptr);
}

TEST_F(Workers, WhoHasSomethingDoesNotWithdraw) {
  one& thief = add();
  one& victim = add();
  push(victim, begin(victim));
  victim.withdraw();
  EXPECT_TRUE(roster_->has_work(thief, nullptr));
  EXPECT_TRUE(roster_->glance(thief, nullptr));
  EXPECT_FALSE(roster_->glance(victim, nullptr));
}

TEST_F(Workers, AThiefThatFindsNothingWithdraws) {
  one& thief = add();
  one& other = add();
  frame& loop = begin(thief);
  push(thief, loop);
  descriptor mine;
  ASSERT_TRUE(thief.own().pop(mine));
  EXPECT_EQ(roster_->advertisers(other), 1U);
  descriptor taken;
  EXPECT_FALSE(roster_->steal(thief, nullptr, taken));
  EXPECT_EQ(roster_->advertisers(other), 0U);
}

TEST_F(Workers, AllThatAdvertiseAreDrawnEquallyOften) {
  one& thief = add();
  add_many(300);
  const std::set<std::size_t> has{1, 2, 63, 64, 200, 299};
  for (const std::size_t i : has) push((*this)[i], begin((*this)[i]));
  std::vector<int> drawn(all_.size());
  constexpr int draws = 6'000;
  for (int i = 0; i < draws; ++i) ++drawn[roster_->draw_victim(thief)->number];
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (has.contains(i)) {
      EXPECT_NEAR(drawn[i], draws / 6, draws / 30) << i;
    } else {
      EXPECT_EQ(drawn[i], 0) << i;
    }
  }
}

TEST_F(Workers, TheNearAreDrawnMoreOften) {
  one& thief = add(0);
  one& near = add(0);
  one& far = add(1);
  push(near, begin(near));
  push(far, begin(far));
  int far_ones = 0;
  for (int i = 0; i < 8'000; ++i) far_ones += roster_->draw_victim(thief) == &far ? 1 : 0;
  EXPECT_NEAR(far_ones, 8'000 * 5 / 16, 300);
}

TEST_F(Workers, AFullRosterTurnsAwayAndLosesNoPlace) {
  roster_ = std::make_unique<roster>(3);
  sleepers_ = std::make_unique<wake_up<park::gate>>(*roster_);
  add_many(3);
  one late(3, 0, 4);
  for (int times = 0; times < 10; ++times) EXPECT_FALSE(roster_->add(late));
  EXPECT_EQ(roster_->size(), 3U);
  EXPECT_FALSE(late.is_listed());

  // It pushes and takes back, and nobody sees it.
  push(late, begin(late));
  EXPECT_FALSE(roster_->has_work((*this)[0], nullptr));
  descriptor mine;
  EXPECT_TRUE(late.own().pop(mine));

  // It steals.
  push((*this)[1], begin((*this)[1]));
  descriptor taken;
  EXPECT_TRUE(roster_->steal(late, nullptr, taken));

  // It sleeps, and nobody calls it.
  lie_down(late);
  EXPECT_FALSE(sleepers_->call_one(begin((*this)[0])));
  EXPECT_FALSE(is_called(late));
  sleepers_->get_up(late, nullptr);
}

TEST_F(Workers, WhoIsLeftByAForkAdvertisesWhatItHas) {
  add_many(5);
  one& mine = add();
  push((*this)[2], begin((*this)[2]));
  push(mine, begin(mine));
  roster_->forget_but(&mine, true);
  EXPECT_EQ(roster_->size(), 1U);
  one& later = add();
  EXPECT_EQ(roster_->draw_victim(later), &mine);
}

TEST_F(Workers, WhoIsNotToBeListedAfterAForkIsNoVictim) {
  add_many(5);
  one& mine = add();
  push(mine, begin(mine));
  roster_->forget_but(&mine, false);
  EXPECT_EQ(roster_->size(), 0U);
  EXPECT_FALSE(mine.is_listed());
  push(mine, begin(mine));
  one& later = add();
  EXPECT_EQ(roster_->draw_victim(later), nullptr);
}

TEST_F(Workers, APushWakesOneIdleSleeper) {
  one& pusher = add();
  add_many(200);
  for (std::size_t i = 1; i <= 200; ++i) lie_down((*this)[i]);
  frame& loop = begin(pusher);
  int called = 0;
  for (int pushes = 1; pushes <= 5; ++pushes) {
    EXPECT_TRUE(sleepers_->call_one(loop));
    called = 0;
    for (std::size_t i = 1; i <= 200; ++i) called += is_called((*this)[i]) ? 1 : 0;
    EXPECT_EQ(called, pushes);
  }
}

TEST_F(Workers, APushWakesNobodyWhoMayNotTakeIt) {
  one& pusher = add();
  add_many(200);
  std::vector<frame*> waited_for(1);
  for (std::size_t i = 1; i <= 200; ++i) {
    waited_for.push_back(&begin((*this)[i]));
    lie_down((*this)[i], waited_for[i]);
  }
  frame& loop = begin(pusher);
  push(pusher, loop);
  EXPECT_FALSE(sleepers_->call_one(loop));
  for (std::size_t i = 1; i <= 200; ++i) EXPECT_FALSE(is_called((*this)[i], waited_for[i]));

  // Nor an idle one whose number is too large.
  one& idle = add();
  lie_down(idle);
  EXPECT_FALSE(sleepers_->call_one(begin(pusher, idle.number)));
  EXPECT_TRUE(sleepers_->call_one(begin(pusher, idle.number + 1)));
}

TEST_F(Workers, OfThoseThatJoinTheInnermostIsWokenAndIdleOnesComeFirst) {
  one& pusher = add();
  one& outside = add();
  one& inside = add();
  one& idle = add();
  frame& outer = begin(pusher);
  frame& inner = begin(pusher);
  frame& loop = begin(pusher);
  lie_down(outside, &outer);
  lie_down(inside, &inner);
  lie_down(idle);
  EXPECT_TRUE(sleepers_->call_one(loop));
  EXPECT_TRUE(is_called(idle));
  EXPECT_FALSE(is_called(inside, &inner) || is_called(outside, &outer));
  EXPECT_TRUE(sleepers_->call_one(loop));
  EXPECT_TRUE(is_called(inside, &inner));
  EXPECT_FALSE(is_called(outside, &outer));
  EXPECT_TRUE(sleepers_->call_one(loop));
  EXPECT_TRUE(is_called(outside, &outer));
  EXPECT_FALSE(sleepers_->call_one(loop));
}

TEST_F(Workers, WhoHasRisenIsNotCalled) {
  one& pusher = add();
  one& s = add();
  lie_down(s);
  sleepers_->get_up(s, nullptr);
  EXPECT_FALSE(sleepers_->call_one(begin(pusher)));
}

}  // namespace
}  // namespace doall::steal
