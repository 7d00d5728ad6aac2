// affinity: ceil(1/k) of the own queue, then ceil(1/P) of the fullest, or of the
// fuller of two.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "base/first_touch.hpp"
#include "schedule/affinity.hpp"
#include "support/hand_driver.hpp"
#include "support/ledger.hpp"

namespace doall::tests {
namespace {

using schedules::origin;
using schedules::partition_of;

TEST(Affinity, TakesOnePthOfItsOwnQueueByDefault) {
  hand_driver driver(4);
  driver.begin(spec_of("affinity"), {100, 4});
  u64 past = 50;
  for (u64 size : {7, 5, 4, 3, 2, 1, 1, 1, 1}) {
    const chunk c = driver.ask(2);
    EXPECT_EQ(c.begin, past);
    EXPECT_EQ(size_of(c), size);
    EXPECT_EQ(c.from, origin::own);
    past = c.end;
  }
  EXPECT_EQ(past, 75U);
}

TEST(Affinity, TakesOneKthOfItsOwnQueue) {
  hand_driver driver(2);
  driver.begin(spec_of("affinity,2"), {32, 2});
  for (u64 size : {8, 4, 2, 1, 1}) EXPECT_EQ(size_of(driver.ask(0)), size);
  EXPECT_EQ(driver.ask(0).from, origin::stolen);
}

TEST(Affinity, TakesItsQueueAtOnceWhenKIsOne) {
  hand_driver driver(4);
  driver.begin(spec_of("affinity,k=1"), {100, 4});
  const chunk c = driver.ask(3);
  EXPECT_EQ(c.begin, 75U);
  EXPECT_EQ(c.end, 100U);
}

// k says how to take one's own, P how to take another's.
TEST(Affinity, StealsAsMuchAsRobSays) {
  hand_driver driver(4);
  driver.begin(spec_of("affinity,1,rob=2"), {64, 4});
  driver.ask(0);  // all of queue 0; the others hold 16 each
  for (u64 size : {8, 8, 8, 4, 4, 4}) EXPECT_EQ(size_of(driver.ask(0)), size);
  EXPECT_EQ(size_of(driver.ask(1)), 4) << "what is left of its own";
}

TEST(Affinity, StealsOnePthOfTheFullestRoundedUp) {
  hand_driver driver(4);
  driver.begin(spec_of("affinity,1"), {100, 4});
  driver.ask(0);  // all of queue 0
  driver.ask(2);  // all of queue 2
  // Queues 1 and 3 hold 25, then 18 and 25, 18 and 18, 13 and 18; the first of equals is taken.
  const struct {
    std::uint32_t victim;
    u64 size;
  } steals[] = {{1, 7}, {3, 7}, {1, 5}, {3, 5}, {1, 4}, {3, 4}};
  u64 past[] = {0, 25, 0, 75};
  for (const auto& steal : steals) {
    const chunk c = driver.ask(0);
    EXPECT_EQ(c.from, origin::stolen);
    EXPECT_EQ(c.victim, steal.victim);
    EXPECT_EQ(size_of(c), steal.size);
    EXPECT_EQ(c.begin, past[steal.victim]);
    past[steal.victim] = c.end;
  }
  // The owner goes on behind the thief: 9 are left of queue 1.
  const chunk own = driver.ask(1);
  EXPECT_EQ(own.from, origin::own);
  EXPECT_EQ(own.begin, past[1]);
  EXPECT_EQ(own.end, 50U);
}

// A stolen chunk comes straight from its home and is run by the thief whole.
TEST(Affinity, MovesAnIterationAtMostOnce) {
  const loop_shape shape{1000, 5};
  hand_driver driver(shape.workers);
  ledger dealt(shape.iterations);
  driver.begin(spec_of("affinity"), shape);
  for (std::uint32_t w : {3, 0, 4, 1, 2}) {
    for (const chunk& c : all_of(driver, w)) {
      const std::uint32_t home = c.from == origin::stolen ? c.victim : w;
      EXPECT_GE(c.begin, partition_of(home, shape).begin);
      EXPECT_LE(c.end, partition_of(home, shape).end);
      dealt.record(c);
    }
  }
  dealt.expect_exactly_once();
}

TEST(Affinity, EmptiesTheQueuesOfWorkersWhoNeverCome) {
  const loop_shape shape{1000, 16};
  hand_driver driver(shape.workers);
  ledger dealt(shape.iterations);
  driver.begin(spec_of("affinity"), shape);
  for (const chunk& c : all_of(driver, 9)) dealt.record(c);
  dealt.expect_exactly_once();
}

TEST(Affinity, StealsWhenItsOwnShareIsEmpty) {
  hand_driver driver(4);
  driver.begin(spec_of("affinity"), {2, 4});  // partitions [0, 1), none, [1, 2), none
  const chunk c = driver.ask(1);
  EXPECT_EQ(c.from, origin::stolen);
  EXPECT_EQ(c.victim, 0U);
  EXPECT_EQ(driver.ask(0).victim, 2U);
  for (std::uint32_t w : {0, 1, 2, 3}) EXPECT_TRUE(driver.ask(w).empty());
}

TEST(Affinity, BeginsTheNextLoopWithFullQueues) {
  hand_driver driver(4);
  for (int loop = 0; loop < 3; ++loop) {
    driver.begin(spec_of("affinity,1"), {100, 4});
    const chunk c = driver.ask(1);
    EXPECT_EQ(c.begin, 25U);
    EXPECT_EQ(c.end, 50U);
  }
}

// Whom workers 0, 1, ... rob, in turns, when the first half has run dry and every queue of
// the other half holds so many.
std::vector<std::uint32_t> victims(std::string_view what, std::uint32_t workers, u64 each) {
  hand_driver driver(workers);
  driver.begin(spec_of(what), {workers * each, workers});
  std::vector<std::uint32_t> robbed;
  for (std::uint32_t w = 0; w < workers / 2; ++w) driver.ask(w);
  for (int turn = 0; turn < 4; ++turn) {
    for (std::uint32_t w = 0; w < workers / 2; ++w) {
      const chunk c = driver.ask(w);
      EXPECT_EQ(c.from, origin::stolen);
      EXPECT_GE(c.victim, workers / 2);
      robbed.push_back(c.victim);
    }
  }
  return robbed;
}

TEST(Affinity, ScansUpToSixtyFourWorkersUnlessToldOtherwise) {
  EXPECT_EQ(victims("affinity,1", 64, 1000), victims("affinity,1,victim=fullest", 64, 1000));
  EXPECT_EQ(victims("affinity,1", 65, 1000), victims("affinity,1,victim=random", 65, 1000));
  EXPECT_NE(victims("affinity,1", 64, 1000), victims("affinity,1,victim=random", 64, 1000));
  EXPECT_NE(victims("affinity,1", 65, 1000), victims("affinity,1,victim=fullest", 65, 1000));
}

// Virtual time relies on it.
TEST(Affinity, DrawsTheSameVictimsAgain) {
  EXPECT_EQ(victims("affinity,1,victim=random", 100, 1000),
            victims("affinity,1,victim=random", 100, 1000));
}

TEST(Affinity, DrawsVictimsAllOverThePlace) {
  const auto robbed = victims("affinity,1,victim=random", 200, 1000);
  const std::set<std::uint32_t> different(robbed.begin(), robbed.end());
  EXPECT_GT(different.size(), 80U);  // of 100
  // No crowd: the fuller of two is seldom one that has just been robbed.
  for (const std::uint32_t v : different) EXPECT_LE(std::ranges::count(robbed, v), 12) << v;
}

// Draws rarely meet the one queue that is left; a scan does.
TEST(Affinity, FindsTheLastQueueHoweverManyAreEmpty) {
  constexpr std::uint32_t workers = 1024;
  const loop_shape shape{workers * u64{100}, workers};
  hand_driver driver(workers);
  ledger dealt(shape.iterations);
  driver.begin(spec_of("affinity,1,victim=random"), shape);
  for (std::uint32_t w = 0; w < workers; ++w) {
    if (w != 777) dealt.record(driver.ask(w));
  }
  u64 stolen = 0;
  for (const chunk& c : all_of(driver, 3)) {
    EXPECT_EQ(c.victim, 777U);
    stolen += c.size();
    dealt.record(c);
  }
  EXPECT_EQ(stolen, 100U);
  dealt.expect_exactly_once();
}

// A thief has begun to initialise the owner's queue, and loses its CPU.
TEST(Affinity, AnOwnerWaitsForItsQueue) {
  constexpr std::uint32_t workers = 2;
  constexpr u64 epoch = 7;
  const auto lines = std::make_unique<schedules::worker_line[]>(workers);
  schedules::affinity loop({.shape = {8, workers}, .lines = lines.get(), .epoch = epoch});
  for (u64 turn = 0; lines[1].word[0].load() < 4; ++turn) loop.next({1, turn}, {});
  ASSERT_EQ(lines[0].touch.look(epoch), base::first_touch::state::stale);
  std::atomic<bool> asks = false;
  std::atomic<bool> has_asked = false;
  chunk found;
  std::thread owner;
  EXPECT_TRUE(lines[0].touch.ensure(epoch, [&] {
    owner = std::thread([&] {
      asks = true;
      found = loop.next({0, 0}, {});
      has_asked = true;
    });
    while (!asks) std::this_thread::yield();
    for (int i = 0; i < 1'000 && !has_asked; ++i) std::this_thread::yield();
    lines[0].word[0].store(0);
  }));
  owner.join();
  expect_chunk(found, 0, 2);
}

}  // namespace
}  // namespace doall::tests
