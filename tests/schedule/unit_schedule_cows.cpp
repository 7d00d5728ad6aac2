// wsr, wsri, and what wsrw shares with them: the paper's example, reservations, who is stolen from.
// (unit_schedule_wsrw.cpp: stealing by cost.)

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "schedule/wsr.hpp"
#include "schedule/wsri.hpp"
#include "support/costed_loop.hpp"
#include "support/hand_driver.hpp"

namespace doall::tests {
namespace {

using schedules::initial_lists;
using schedules::loop_context;
using schedules::origin;
using schedules::range;
using schedules::stealable_run;
using schedules::worker_line;

using sizes = std::vector<u64>;

// Figure 4, whose text counts threads from 1: its t_3 is t_2 here, and its t_1 is t_0. The thief
// reserves what it steals at once, so row 6 has it one entry further.
TEST(Cows, KeepsTheListsOfTheExample) {
  using list = std::tuple<u64, u64, u64>;  // <owner, x, y>
  const loop_shape shape{10, 3};
  const auto lines = std::make_unique<worker_line[]>(shape.workers);
  const loop_context context{.shape = shape,
                             .given = schedules::params::of(schedules::cows_options{1, 1}),
                             .lines = lines.get()};
  schedules::wsri loop(context);
  const auto read = [](const range& run) {
    const u64 longest = 4;
    const u64 owner = (run.end - 1) / longest;
    return list{owner, run.begin - owner * longest, run.size()};
  };
  const auto now = [&](std::uint32_t w) { return read(stealable_run(lines[w].word[0]).look()); };
  const auto run = [&](std::uint32_t w) { return iterations_of(loop.next({w, 0}, {})); };

  const initial_lists lists(context);
  EXPECT_EQ(read(lists.of(0)), list(0, 0, 4)) << "row 3";
  EXPECT_EQ(read(lists.of(1)), list(1, 0, 3));
  EXPECT_EQ(read(lists.of(2)), list(2, 0, 3));

  for (const std::uint32_t w : {0, 1, 2}) EXPECT_EQ(run(w), sizes{w}) << "row 4";
  EXPECT_EQ(now(0), list(0, 1, 3));
  EXPECT_EQ(now(1), list(1, 1, 2));
  EXPECT_EQ(now(2), list(2, 1, 2));

  EXPECT_EQ(run(2), sizes{5}) << "row 5";
  EXPECT_EQ(run(2), sizes{8});
  EXPECT_EQ(now(0), list(0, 1, 3));
  EXPECT_EQ(now(1), list(1, 1, 2));
  EXPECT_EQ(now(2), list(2, 3, 0));

  const chunk stolen = loop.next({2, 3}, {});
  EXPECT_EQ(iterations_of(stolen), sizes{9}) << "row 6";
  EXPECT_EQ(stolen.from, origin::stolen);
  EXPECT_EQ(stolen.victim, 0U);
  EXPECT_EQ(now(0), list(0, 1, 2));
  EXPECT_EQ(now(1), list(1, 1, 2));
  EXPECT_EQ(now(2), list(0, 4, 0));

  for (const u64 i : {3, 6}) EXPECT_EQ(run(0), sizes{i}) << "row 7";
  for (const u64 i : {4, 7}) EXPECT_EQ(run(1), sizes{i}) << "row 7";
  EXPECT_EQ(now(0), list(0, 3, 0));
  EXPECT_EQ(now(1), list(1, 3, 0));
  for (const std::uint32_t w : {0, 1, 2}) EXPECT_EQ(run(w), sizes{});
  EXPECT_EQ(loop.steals_tried(), 1U);
}

TEST(Cows, ReservesEveryPthIterationIfToldTo) {
  hand_driver driver(3);
  driver.begin(spec_of("wsri,4,assign=cyclic"), {30, 3});
  EXPECT_EQ(iterations_of(driver.ask(1)), (sizes{1, 4, 7, 10}));
  EXPECT_EQ(iterations_of(driver.ask(1)), (sizes{13, 16, 19, 22}));
  const chunk rest = driver.ask(1);
  EXPECT_EQ(iterations_of(rest), (sizes{25, 28}));
  EXPECT_EQ(rest.from, origin::own);
}

TEST(Cows, ReservesBlocksIfToldTo) {
  hand_driver driver(3);
  driver.begin(spec_of("wsri,4,assign=block"), {30, 3});
  EXPECT_EQ(iterations_of(driver.ask(1)), (sizes{10, 11, 12, 13}));
}

// Blocks of 1024, or fewer in a short loop: 128 for each worker. What is reserved ends with its
// block.
TEST(Cows, DealsBlocksRoundRobin) {
  hand_driver driver(2);
  driver.begin(spec_of("wsri,c=5"), {2 * 16 * 8 + 3, 2});
  sizes begins;
  for (int times = 0; times < 4; ++times) begins.push_back(driver.ask(1).begin);
  EXPECT_EQ(begins, (sizes{8, 13, 24, 29}));
  driver.begin(spec_of("wsri,1024"), {100'000, 2});
  EXPECT_EQ(iterations_of(driver.ask(0)).back(), 1023U);
  EXPECT_EQ(driver.ask(0).begin, 2048U);
  EXPECT_EQ(driver.ask(1).begin, 1024U);
  driver.begin(spec_of("wsri,1500"), {100'000, 2});
  EXPECT_EQ(driver.ask(1).begin, 2048U);
  EXPECT_EQ(driver.ask(1).size(), 548U);
  EXPECT_EQ(driver.ask(1).begin, 3 * 2048U);
  // The last round is shared evenly.
  driver.begin(spec_of("wsri,4"), {11, 2});
  EXPECT_EQ(iterations_of(driver.ask(0)), (sizes{0, 1, 2, 3}));
  EXPECT_EQ(iterations_of(driver.ask(0)), (sizes{8, 9}));
  EXPECT_EQ(iterations_of(driver.ask(1)), (sizes{4, 5, 6, 7}));
  EXPECT_EQ(iterations_of(driver.ask(1)), (sizes{10}));
}

// A door hands on a single iteration as it is.
TEST(Cows, GivesASingleIterationNoStride) {
  hand_driver driver(3);
  driver.begin(spec_of("wsri,1"), {30, 3});
  const chunk c = driver.ask(1);
  EXPECT_EQ(c.begin, 1U);
  EXPECT_EQ(c.end, 2U);
  EXPECT_EQ(c.step, 1U);
}

u64 first_reservation(const std::string& what, std::uint32_t workers, u64 iterations) {
  hand_driver driver(workers);
  driver.begin(spec_of(what), {iterations, workers});
  return driver.ask(0).size();
}

u64 first_reservation(const std::string& what, std::uint32_t workers, u64 iterations, u64 cost) {
  return costed_loop(what, workers, std::vector<u64>(iterations, cost)).driver.ask(0).size();
}

TEST(Cows, ReservesTheFourthRootOfTheWorkload) {
  for (const std::string name : {"wsr", "wsri", "wsrw"}) {
    SCOPED_TRACE(name);
    const std::string in_one = name + ",assign=block";
    EXPECT_EQ(first_reservation(in_one, 20, 9999), 9U);
    EXPECT_EQ(first_reservation(in_one, 20, 10'000), 10U);
    EXPECT_EQ(first_reservation(name, 2, 16), 2U);
    EXPECT_EQ(first_reservation(name, 2, 15), 1U);
    EXPECT_EQ(first_reservation(name, 2, 1), 1U);
    EXPECT_EQ(first_reservation(in_one, 20, 10'000, 16), 20U);
    EXPECT_EQ(first_reservation(in_one, 100, 10'000, 0), 1U);
    // Costs in nanoseconds or in hours: a 16th of a list at most, N's root at least.
    const u64 dear = u64{1} << 40;
    EXPECT_EQ(first_reservation(in_one, 2, 10'000, dear), 312U);
    EXPECT_EQ(first_reservation(in_one, 100, 10'000, dear), 10U);
    EXPECT_EQ(first_reservation(name + ",assign=block-cyclic", 2, 10'000, dear), 32U) << "a block";
  }
}

// Of short iterations a few are not worth a reservation: a 512th of a list, or 1024. Who knows
// costs, and does not reserve what is dear, takes a 128th.
TEST(Cows, ReservesSomeOfALongList) {
  for (const std::string name : {"wsr", "wsri", "wsrw"}) {
    SCOPED_TRACE(name);
    const std::string in_one = name + ",assign=block";
    EXPECT_EQ(first_reservation(name, 2, 20'000), 19U);
    EXPECT_EQ(first_reservation(name, 2, 100'000), 97U);
    EXPECT_EQ(first_reservation(name, 2, 100'000, 0), name == "wsr" ? 97U : 390U);
    EXPECT_EQ(first_reservation(in_one, 2, 10'000'000), 1024U);
    EXPECT_EQ(first_reservation(name + ",c=3", 2, 100'000), 3U);
  }
}

// Worker 1 never comes: 5 left, of which the thief gets 2, and 3 are too few.
TEST(Cows, LeavesAVictimAloneThatHasTooLittle) {
  for (const char* const name : {"wsr", "wsri", "wsrw"}) {
    SCOPED_TRACE(name);
    hand_driver driver(2);
    driver.begin(spec_of(name), {10, 2});
    EXPECT_EQ(iterations_of(all_of(driver, 0)), (sizes{0, 2, 4, 6, 8, 7, 9}));
    EXPECT_EQ(iterations_of(all_of(driver, 1)), (sizes{1, 3, 5}));
    driver.begin(spec_of(std::string(name) + ",min=6"), {10, 2});
    EXPECT_EQ(iterations_of(all_of(driver, 0)), (sizes{0, 2, 4, 6, 8}));
    // The only one that is left is its owner's, as in the paper.
    driver.begin(spec_of(std::string(name) + ",min=1"), {10, 2});
    EXPECT_EQ(iterations_of(all_of(driver, 0)), (sizes{0, 2, 4, 6, 8, 7, 9, 5, 3}));
    EXPECT_EQ(iterations_of(all_of(driver, 1)), (sizes{1}));
  }
}

TEST(Wsri, RobsWhoHasMostIterationsLeft) {
  hand_driver driver(4);
  driver.begin(spec_of("wsri,1"), {80, 4});
  ask_often(driver, 1, 5);   // 15 left
  ask_often(driver, 2, 2);   // 18
  ask_often(driver, 3, 10);  // 10
  ask_often(driver, 0, 20);
  const chunk taken = driver.ask(0);
  EXPECT_EQ(taken.from, origin::stolen);
  EXPECT_EQ(taken.victim, 2U);
  EXPECT_EQ(taken.begin, 2 + 4 * 11U);  // of entries 2 to 19 it keeps nine
  EXPECT_EQ(iterations_of(driver.ask(0)), (sizes{2 + 4 * 12}));
}

// Of equal victims the first behind the thief.
TEST(Wsri, SpreadsThieves) {
  hand_driver driver(4);
  driver.begin(spec_of("wsri,1"), {80, 4});
  ask_often(driver, 0, 20);
  ask_often(driver, 2, 20);
  EXPECT_EQ(driver.ask(0).victim, 1U);
  EXPECT_EQ(driver.ask(2).victim, 3U);
}

TEST(Wsr, RobsAnybody) {
  constexpr std::uint32_t workers = 4;
  hand_driver driver(workers);
  std::set<std::uint32_t> victims;
  for (int loop = 0; loop < 60; ++loop) {
    driver.begin(spec_of("wsr,1"), {80, workers});
    ask_often(driver, 2, 20);
    const chunk taken = driver.ask(2);
    EXPECT_EQ(taken.from, origin::stolen);
    EXPECT_EQ(taken.begin, taken.victim + workers * 10);
    victims.insert(taken.victim);
  }
  EXPECT_EQ(victims, (std::set<std::uint32_t>{0, 1, 3}));
}

// However seldom it is drawn.
TEST(Wsr, FindsTheOnlyVictim) {
  constexpr std::uint32_t workers = 500;
  const loop_shape shape{workers * 10, workers};
  const auto lines = std::make_unique<worker_line[]>(workers);
  schedules::wsr loop({.shape = shape,
                       .given = schedules::params::of(
                           schedules::cows_options{.c = 10, .assign = schedules::in_blocks}),
                       .lines = lines.get()});
  for (std::uint32_t w = 0; w < workers; ++w) {
    if (w == 77) continue;
    EXPECT_EQ(loop.next({w, 0}, {}).size(), 10U);
  }
  const chunk taken = loop.next({0, 1}, {});
  EXPECT_EQ(taken.victim, 77U);
  EXPECT_EQ(taken.size(), 5U);
  EXPECT_GT(loop.steals_tried(), 1U) << "who was drawn in vain";
}

TEST(Cows, BeginsTheNextLoopWithFullLists) {
  hand_driver driver(4);
  for (int loop = 0; loop < 3; ++loop) {
    driver.begin(spec_of("wsri,1"), {100, 4});
    EXPECT_EQ(iterations_of(driver.ask(1)), sizes{1});
    all_of(driver, 3);
  }
}

// Too many for a word of their numbers: several to a ticket, and c in whole ones of those.
TEST(Cows, DealsLargerTicketsOfAHugeLoop) {
  constexpr u64 one_each = u64{1} << 32;
  hand_driver driver(3);
  driver.begin(spec_of("wsri,1,assign=cyclic"), {one_each - 8, 3});
  EXPECT_EQ(driver.ask(0).size(), 1U);
  driver.begin(spec_of("wsri,1,assign=cyclic"), {one_each + 8, 3});
  const chunk c = driver.ask(2);
  EXPECT_EQ(c.begin, 2U);
  EXPECT_EQ(c.size(), 2U);
  EXPECT_EQ(c.step, 3U);
  driver.begin(spec_of("wsri,100"), {one_each * 20 - 64, 3});
  EXPECT_EQ(driver.ask(0).size(), 96U);
  for (const char* const what : {"wsri,1", "wsri,1,assign=cyclic", "wsri,1,assign=block"}) {
    driver.begin(spec_of(what), {base::u64_max, 3});
    EXPECT_EQ(driver.ask(1).size(), u64{1} << 33) << what;
  }
}

TEST(Cows, PutsWholeTicketsIntoABlock) {
  for (const std::uint32_t workers : {1U, 2U, 3U, 1000U, 65'535U}) {
    for (u64 n = base::u64_max; n != 0; n /= 3) {
      const initial_lists lists({.shape = {n, workers}});
      ASSERT_EQ(lists.cyclic().block() % lists.ticket_size(), 0U) << n << " " << workers;
      const range last = lists.of(workers - 1);
      ASSERT_LE(last.end, stealable_run::tickets_most) << n << " " << workers;
    }
  }
}

TEST(Cows, RunsTheLargestListToItsEnd) {
  const u64 list = base::u64_max / 3;
  const std::string all = std::to_string(base::u64_max);
  hand_driver driver(3);
  driver.begin(spec_of("wsri," + all + ",assign=cyclic,min=" + all), {base::u64_max, 3});
  for (const std::uint32_t w : {2, 0, 1}) {
    const chunk c = driver.ask(w);
    EXPECT_EQ(c.begin, w);
    EXPECT_EQ(c.size(), list);
    EXPECT_EQ(c.end, base::u64_max - 2 + w);
    EXPECT_TRUE(driver.ask(w).empty());
  }
}

}  // namespace
}  // namespace doall::tests
