// src/decide/small_loops: a loop that workers slow down is found out, and no other is taken for
// one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "decide/small_loops.hpp"

namespace doall::team {
namespace {

constexpr std::uint64_t burden_ns = 200;

// A site whose loop of 100 iterations two workers share or not, by the rule of best() with that
// burden. Times are of a whole run.
struct tried_site {
  loop_cost cost, together;
  int shared = 0, alone = 0;
  int in_part = 0;              // of the shared ones
  double dearer_at_first = 1;   // the first part's iterations, so many times
  std::uint64_t moving_ns = 0;  // for data, in a run the other way than the last one

  void run(std::uint64_t alone_ns, std::uint64_t shared_ns, int times,
           std::uint64_t iterations = 100) {
    shared = alone = in_part = 0;
    for (int i = 0; i < times; ++i) run_once(iterations, alone_ns, shared_ns);
  }

 private:
  void run_once(std::uint64_t iterations, std::uint64_t alone_ns, std::uint64_t shared_ns) {
    constexpr std::uint32_t workers = 2;
    const bool due = cost.timing_due();
    cost.note_burden(burden_ns);
    const double saved_ns = cost.serial_ns(iterations) * (1 - 1.0 / workers);
    const bool is_long = !cost.known() || saved_ns > burden_ns;
    bool shares = is_long && !cost.gains_nothing(iterations);
    const bool is_balanced = saved_ns >= 20 * burden_ns;
    const bool timed = due || (shares && is_balanced && cost.is_hurried(iterations, together));
    if (timed && is_long && cost.known() && cost.is_trial(shares, iterations, together))
      shares = !shares;
    if (!shares && cost.tries_a_part(iterations)) {
      const std::uint64_t part = iterations / loop_cost::parts_of_trial;
      const double part_ns =
          dearer_at_first * static_cast<double>(alone_ns * part) / static_cast<double>(iterations);
      if (cost.gains_by_part({part, static_cast<std::uint64_t>(part_ns)}, together)) {
        ++shared;
        ++in_part;
        return;
      }
    }
    (shares ? shared : alone) += 1;
    if (std::exchange(was_shared_, shares) != shares) {
      alone_ns += moving_ns;
      shared_ns += moving_ns;
    }
    if (!timed) return;
    if (!shares) return cost.learn_alone({iterations, alone_ns}, together);
    // Each worker ran half of it, but for the burden.
    cost.learn_shared({iterations / 2, shared_ns - std::min(burden_ns, shared_ns)},
                      {iterations, shared_ns}, workers, together);
  }

  bool was_shared_ = false;
};

TEST(Trial, LeavesALoopSharedThatGains) {
  tried_site site;
  site.run(10'000, 5'200, 4);
  EXPECT_EQ(site.alone, 1) << "the fourth run";
  site.run(10'000, 5'200, 10'000);
  EXPECT_LE(site.alone, 20);
}

// Of a long loop a part is enough.
TEST(Trial, RunsAPartOfALongLoopThatGains) {
  tried_site site;
  site.run(1'000'000, 520'000, 90);
  EXPECT_EQ(site.in_part, 1);
  EXPECT_EQ(site.alone, 0);
  site.run(1'000'000, 520'000, 10'000);
  EXPECT_EQ(site.in_part, 0) << "later trials are of all iterations";
  EXPECT_GE(site.alone, 1);
  EXPECT_LE(site.alone, 20);
}

TEST(Trial, RunsALongLoopAloneThatIsSlowerShared) {
  tried_site site;
  site.run(1'000'000, 1'500'000, 20);
  EXPECT_EQ(site.in_part, 0);
  EXPECT_LE(site.shared, 3);
}

// The part takes 2.5 times as long as it should, so sharing seems to gain.
TEST(Trial, IsNotMisledByALoopsFirstPartForLong) {
  tried_site site;
  site.dearer_at_first = 2.5;
  site.run(1'000'000, 1'500'000, 200);
  EXPECT_EQ(site.in_part, 1);
  site.run(1'000'000, 1'500'000, 1'000);
  EXPECT_LE(site.shared, 20);
}

TEST(Trial, RunsALoopAloneThatIsSlowerShared) {
  tried_site site;
  site.run(10'000, 15'000, 20);
  EXPECT_LE(site.shared, 3);
  site.run(10'000, 15'000, 10'000);
  EXPECT_LE(site.shared, 10'000 / 100);
}

TEST(Trial, FollowsALoopWhoseWorkersSlowEachOtherDownNoMore) {
  tried_site site;
  site.run(10'000, 15'000, 10'000);
  site.run(10'000, 5'200, 200);  // until the next trial
  site.run(10'000, 5'200, 1'000);
  EXPECT_LE(site.alone, 20);
}

TEST(Trial, FollowsALoopWhoseWorkersBeginToSlowEachOtherDown) {
  tried_site site;
  site.run(10'000, 5'200, 10'000);
  site.run(10'000, 15'000, 2'000);  // until the next trial
  site.run(10'000, 15'000, 1'000);
  EXPECT_LE(site.shared, 20);
}

// What they take in a row counts, not what the first of them does.
TEST(Trial, IsNotMisledByDataThatTheOtherWayHasLeftElsewhere) {
  tried_site site;
  site.moving_ns = 3'000;
  site.run(2'000, 3'200, 50);
  site.run(2'000, 3'200, 1'000);
  EXPECT_LE(site.shared, 40) << "alone is faster";
  site.run(3'400, 2'400, 1'000);  // until the next trial
  site.run(3'400, 2'400, 1'000);
  EXPECT_LE(site.alone, 40) << "shared is faster";
}

// The time of one run in three is five times as long, shared or alone.
TEST(Trial, IsNotMisledByOneTiming) {
  for (std::uint64_t disturbed = 0; disturbed < 3; ++disturbed) {
    tried_site site;
    int shared = 0;
    for (std::uint64_t run = 0; run < 3'000; ++run) {
      const std::uint64_t factor = run % 3 == disturbed ? 5 : 1;
      site.run(10'000 * factor, 5'200 * factor, 1);
      shared += site.shared;
    }
    EXPECT_GE(shared, 2'900) << disturbed;
  }
}

// Its length doubles and halves from run to run, and it gains at either.
TEST(Trial, IsNotMisledByLoopsThatDiffer) {
  for (std::uint64_t first = 0; first < 2; ++first) {
    tried_site site;
    int shared = 0;
    for (std::uint64_t run = 0; run < 3'000; ++run) {
      const std::uint64_t factor = 1 + (run + first) % 2;
      site.run(10'000 * factor, 5'000 * factor + 200, 1);
      shared += site.shared;
    }
    EXPECT_GE(shared, 2'900) << first;
  }
}

// Its iterations take up to a thousand times as long in one run as in another.
TEST(Trial, ConcludesNothingFromLoopsThatDifferMuch) {
  base::rng random(1);
  tried_site site;
  int shared = 0;
  for (int run = 0; run < 10'000; ++run) {
    const std::uint64_t factor = std::uint64_t{1} << random.below(10);
    site.run(1'000 * factor, 500 * factor + 200, 1);
    shared += site.shared;
  }
  EXPECT_GE(shared, 9'500);
}

// A trial is of a loop as long as those that were shared.
TEST(Trial, IsNotConcludedByAShorterLoop) {
  loop_cost cost, together;
  while (!cost.is_trial(true, 1'000, together))
    cost.learn_shared({500, 50'000}, {1'000, 50'200}, 2, together);
  cost.learn_alone({10, 10}, together);
  EXPECT_FALSE(cost.gains_nothing(10));
  EXPECT_TRUE(cost.is_trial(true, 1'000, together)) << "still";
  cost.learn_alone({1'000, 100'000}, together);
  EXPECT_TRUE(cost.is_trial(true, 1'000, together)) << "one run that loses does not decide";
  cost.learn_alone({1'000, 100'000}, together);
  EXPECT_FALSE(cost.is_in_trial());
}

// Shorter loops of the site that gain are shared meanwhile, each of them.
TEST(Trial, OfALongLoopThatComesNoMoreRunsNoOtherAlone) {
  loop_cost cost, together;
  while (!cost.is_in_trial()) cost.learn_shared({5'000, 500'000}, {10'000, 500'200}, 2, together);
  EXPECT_FALSE(cost.is_trial(true, 5'000, together));
  EXPECT_FALSE(cost.is_in_trial());
}

// What another caller's crew, or late workers, make of a shared loop says nothing of sharing it.
TEST(Trial, LearnsNothingWhereNobodyCame) {
  loop_cost cost, together;
  for (int run = 0; run < 100; ++run) {
    cost.learn_shared({0, 0}, {1'000, 100'000}, 2, together);
    cost.learn_shared({1'000, 100'000}, {1'000, 100'200}, 2, together);
  }
  EXPECT_FALSE(together.known());
  EXPECT_FALSE(cost.is_in_trial());
}

// A bound that one timing has set goes if the next run is another loop.
TEST(Trial, KeepsNoBoundThatNothingHasConfirmed) {
  loop_cost cost, together;
  while (!cost.is_trial(true, 1'000, together))
    cost.learn_shared({500, 50'000}, {1'000, 100'400}, 2, together);
  cost.learn_alone({1'000, 100'000}, together);
  EXPECT_TRUE(cost.gains_nothing(1'000));
  EXPECT_FALSE(cost.is_trial(true, 5'000, together));
  EXPECT_FALSE(cost.gains_nothing(1'000));
}

// A trial that was due for a short loop does not keep longer ones from theirs.
TEST(Trial, OfAShortLoopEndsWithALongerOne) {
  tried_site site;
  site.run(10'000, 10'500, 50);
  ASSERT_TRUE(site.cost.gains_nothing(100));
  while (!site.cost.is_trial(false, 100, site.together)) {
  }
  EXPECT_TRUE(site.cost.is_in_trial());
  EXPECT_FALSE(site.cost.is_trial(true, 1'000, site.together));
  EXPECT_FALSE(site.cost.is_in_trial());
}

TEST(Trial, OfALongLoopComesWhenItIsASmallPartOfTheTime) {
  tried_site site;
  site.run(100'000'000, 50'000'200, 80);
  EXPECT_EQ(site.alone + site.in_part, 0);
  site.run(100'000'000, 50'000'200, 80);
  EXPECT_EQ(site.alone, 0);
  EXPECT_EQ(site.in_part, 1);
}

TEST(Trial, IsOfANestButNotOfARecursion) {
  tried_site nest;
  nest.cost.note_nests();
  nest.run(10'000, 15'000, 1'000);
  nest.run(10'000, 15'000, 100);
  EXPECT_LE(nest.shared, 10);
  tried_site recursion;
  recursion.cost.note_recurses();
  recursion.run(10'000, 15'000, 1'000);
  EXPECT_EQ(recursion.alone, 0);
}

// A shorter loop of the site gains nothing either. A longer one may: unless sharing took twice as
// long.
TEST(Trial, SaysLittleOfLongerLoops) {
  tried_site site;
  site.run(10'000, 10'500, 50);
  EXPECT_TRUE(site.cost.gains_nothing(80));
  EXPECT_TRUE(site.cost.gains_nothing(100));
  EXPECT_FALSE(site.cost.gains_nothing(200));
  tried_site contended;
  contended.run(10'000, 25'000, 50);
  EXPECT_TRUE(contended.cost.gains_nothing(1'000));
  EXPECT_FALSE(contended.cost.gains_nothing(2'000));
}

// A site of loops of four lengths, each some times in turn: of the longest one run in 64 is timed
// for being due.
TEST(Trial, FindsOutTheLongestOfManyLoops) {
  constexpr std::uint64_t lengths[] = {2, 20, 200, 10'000};
  tried_site site;
  const auto shared_of = [&](std::uint64_t length) {
    site.run(100 * length, 260 * length + burden_ns, 4, length);
    return site.shared;
  };
  for (int round = 0; round < 3; ++round)
    for (const std::uint64_t length : lengths) shared_of(length);
  for (const std::uint64_t length : lengths)
    EXPECT_LE(shared_of(length), 1) << length << ", a trial";
}

// The same that gain: each length is tried once, and then seldom.
TEST(Trial, OfTheLongestOfManyLoopsThatGainComesOnce) {
  constexpr std::uint64_t lengths[] = {1'000, 10'000, 100'000};
  tried_site site;
  int alone = 0;
  for (int round = 0; round < 300; ++round) {
    for (const std::uint64_t length : lengths) {
      site.run(100 * length, 52 * length + burden_ns, 4, length);
      alone += site.alone;
    }
  }
  EXPECT_GE(alone, 3);
  EXPECT_LE(alone, 12);
}

// Loops of different lengths in turn, all of which gain: none is run alone again and again.
TEST(Trial, IsNotMisledByLengthsInTurn) {
  const std::vector<std::vector<std::uint64_t>> orders{
      {1'000, 10'000},
      {1'000, 3'000, 10'000},
      {10'000, 1'000, 1'000},
      {20, 10'000},
      {1'000, 2'000, 4'000, 8'000, 16'000},
      {16'000, 8'000, 4'000, 2'000, 1'000, 2'000, 4'000, 8'000}};
  for (const std::vector<std::uint64_t>& lengths : orders) {
    tried_site site;
    int alone = 0;
    int timed = 0;
    constexpr int rounds = 1'000;
    for (int round = 0; round < rounds; ++round) {
      for (const std::uint64_t length : lengths) {
        const std::uint32_t before = site.cost.timings();
        site.run(100 * length, 52 * length + burden_ns, 1, length);
        alone += site.alone;
        timed += site.cost.timings() != before ? 1 : 0;
      }
    }
    const auto runs = static_cast<int>(rounds * lengths.size());
    EXPECT_LE(alone, runs / 50) << lengths.size() << " lengths from " << lengths[0];
    EXPECT_LE(timed, runs / 5) << lengths.size() << " lengths from " << lengths[0];
  }
}

// Loops that get longer from run to run.
TEST(Trial, IsNotOfLoopsThatGetLonger) {
  tried_site site;
  int alone = 0;
  for (std::uint64_t length = 1'000; length <= 64'000; length *= 2) {
    site.run(100 * length, 52 * length + burden_ns, 1, length);
    alone += site.alone;
  }
  EXPECT_LE(alone, 1);
}

// Where no timing says anything, since nobody comes: a few timings, and no more than are due.
TEST(Trial, IsHurriedForAFewTimes) {
  loop_cost cost, together;
  cost.learn(1'000, 100'000);
  int hurried = 0;
  for (int run = 0; run < 100; ++run) hurried += cost.is_hurried(1'000, together) ? 1 : 0;
  EXPECT_EQ(hurried, 8);
}

// Or each run of it would be timed for ever.
TEST(Trial, TakesALoopForTriedWhoseTimesNeverAgree) {
  tried_site site;
  base::rng random(1);
  for (int run = 0; run < 40; ++run) {
    const std::uint64_t factor = std::uint64_t{1} << random.below(10);
    site.run(10'000 * factor, 5'000 * factor + burden_ns, 1);
  }
  EXPECT_FALSE(site.cost.is_untried(100, site.together));
  EXPECT_TRUE(site.cost.is_untried(1'000, site.together));
}

TEST(Trial, IsInNoHurryWhereAUserWouldNotice) {
  tried_site site;
  site.run(100'000'000, 50'000'200, 1);
  EXPECT_FALSE(site.cost.is_untried(100, site.together));
}

// The same choices by a burden alone, which is what a file has.
TEST(Trial, FreezesWithTheSite) {
  tried_site site;
  site.run(10'000, 10'500, 50);
  loop_cost frozen;
  frozen.load(site.cost.serial_ns(1), site.cost.felt_burden_ns(burden_ns, 2), 0);
  EXPECT_EQ(sharing_price::frozen_best(frozen, 100, 2), sharing::none);
  EXPECT_NE(sharing_price::frozen_best(frozen, 200, 2), sharing::none);
}

}  // namespace
}  // namespace doall::team
