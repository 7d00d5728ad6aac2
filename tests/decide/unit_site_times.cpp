// src/decide/site_times: what a site keeps of its runs.
#include "decide/site_times.hpp"

#include <gtest/gtest.h>

namespace doall::decide {
namespace {

outcome alone(std::uint64_t indices, double ns) {
  return {.indices = indices, .began_alone = true, .elapsed_ns = ns, .burden_ns = 1'000};
}
outcome shared(std::uint64_t indices, double ns) {
  return {.indices = indices, .began_alone = false, .elapsed_ns = ns, .burden_ns = 1'000};
}
// Of 100 indices: 10 alone, which took 10 ns each, and then the rest.
outcome recalled(double rest_ns) {
  outcome ran = alone(100, 100 + rest_ns);
  ran.ran_alone = 10;
  ran.alone_ns = 100;
  ran.last_ns = 10;
  return ran;
}

TEST(SiteTimes, KnowsNothingAtFirst) {
  const site_times site;
  EXPECT_TRUE(site.view(100).is_new());
}

TEST(SiteTimes, LeavesOutTheDearestOfTheLastRuns) {
  site_times site;
  for (const double ns : {1'000, 2'000, 3'000, 400'000, 2'000}) site.learn(alone(100, ns));
  const way_times seen = site.view(100).alone;
  EXPECT_EQ(seen.runs, kept_times);
  EXPECT_DOUBLE_EQ(seen.mean_ns, 20);
  EXPECT_DOUBLE_EQ(seen.least_ns, 10);
  for (unsigned i = 0; i < kept_times; ++i) site.learn(alone(100, 7'000));
  EXPECT_DOUBLE_EQ(site.view(100).alone.mean_ns, 70);
}

// However long the site's loops have run, a short run adds what it takes: exploring is paid by
// that.
TEST(SiteTimes, SumsUpShortRunsAfterLongOnes) {
  site_times site;
  site.learn(alone(100, 1e12));
  const double before_ns = site.view(100).spent_ns;
  for (int i = 0; i < 1'000; ++i) site.learn(alone(100, 10'000));
  EXPECT_NEAR(site.view(100).spent_ns - before_ns, 1e7, 1);
}

TEST(SiteTimes, SumsUpWhatExploringCostsAfterALongRun) {
  site_times site;
  outcome explores = alone(100, 1e12);
  explores.by.explores = true;
  site.learn(explores);
  const double before_ns = site.view(100).explored_ns;
  explores.elapsed_ns = 10'000;
  for (int i = 0; i < 1'000; ++i) site.learn(explores);
  EXPECT_NEAR(site.view(100).explored_ns - before_ns, 1e7, 1);
}

// Of short runs one in so many is learnt, of long ones each.
TEST(SiteTimes, CountsARunThatStandsForOthersAsOftenAsThey) {
  site_times site;
  for (int i = 0; i < 3; ++i) site.learn(alone(100, 400'000));
  site.learn(alone(100, 1'000), runs_a_timing);
  EXPECT_DOUBLE_EQ(site.view(100).alone.mean_ns, (16 * 10 + 2 * 4'000) / 18.0);
  EXPECT_DOUBLE_EQ(site.view(100).alone.all_ns, (16 * 10 + 3 * 4'000) / 19.0);
}

// One in ten takes ten times as long: of five runs the dearest does not count.
TEST(SiteTimes, KnowsWhatRareRunsAdd) {
  site_times site;
  for (int i = 0; i < 200; ++i) site.learn(shared(100, i % 10 == 9 ? 101'000 : 11'000));
  const way_times seen = site.view(100).shared;
  EXPECT_DOUBLE_EQ(seen.mean_ns, 100);
  EXPECT_NEAR(seen.rare_ns / seen.many_runs, 90, 5);
  EXPECT_NEAR(seen.rare_squares / seen.many_runs, 900 * 900 / 10, 5'000);
  for (int i = 0; i < 1'000; ++i) site.learn(shared(100, 11'000));
  EXPECT_LT(site.view(100).shared.rare_ns / rare_runs, 10) << "it forgets";
}

// Of a rest that is less than half of the loop nothing follows for all of it.
TEST(SiteTimes, TakesNoShortRestForASharedRun) {
  site_times site;
  outcome ran = alone(2, 2'000);
  ran.ran_alone = 1;
  ran.alone_ns = ran.last_ns = 1'000;
  site.learn(ran);
  EXPECT_EQ(site.view(2).shared.runs, 0U);
}

TEST(SiteTimes, DoesNotCountTheBurden) {
  site_times site;
  site.learn(shared(100, 3'000));
  EXPECT_DOUBLE_EQ(site.view(100).shared.mean_ns, 20);
  site.learn(shared(100, 500));
  EXPECT_DOUBLE_EQ(site.view(100).shared.least_ns, 0);
}

TEST(SiteTimes, TakesAGuessForARunAloneUntilThereIsOne) {
  site_times site;
  outcome ran = shared(1, 3'000);
  ran.guess_ns = 4'000;
  site.learn(ran);
  EXPECT_DOUBLE_EQ(site.view(1).alone.mean_ns, 4'000);
  EXPECT_DOUBLE_EQ(site.view(1).whole_ns, 0);
  ran.guess_ns = 9'000;
  site.learn(ran);
  EXPECT_DOUBLE_EQ(site.view(1).alone.mean_ns, 4'000);
}

// The caller of the first run was preempted: its work is a time slice for each worker.
TEST(SiteTimes, ForgetsTheGuessOfAPreemptedCaller) {
  site_times site;
  outcome ran = shared(1, 4'000'000);
  for (const double guess_ns : {16e6, 8e3, 9e3}) {
    ran.guess_ns = guess_ns;
    site.learn(ran);
  }
  EXPECT_DOUBLE_EQ(site.view(1).alone.mean_ns, 8'500);
  site.learn(alone(1, 2'000));
  site.learn(ran);
  EXPECT_DOUBLE_EQ(site.view(1).whole_ns, 2'000) << "now it is known";
  EXPECT_EQ(site.view(1).alone.runs, 4U);
}

// Of what cannot be recalled two long runs in turn count, until a shared one shows that it is
// short.
TEST(SiteTimes, KnowsTheFasterOfTheLastTwoRunsAlone) {
  site_times site;
  for (const double ns : {400.0, 50'000.0, 40'000.0}) site.learn(alone(100, ns));
  EXPECT_FLOAT_EQ(site.view(100).recent_ns, 400);
  outcome ran = shared(100, 2'000);
  ran.most_ns = 80'000;
  site.learn(ran);
  EXPECT_FLOAT_EQ(site.view(100).recent_ns, 400) << "that is no news";
  ran.most_ns = 900;
  site.learn(ran);
  EXPECT_FLOAT_EQ(site.view(100).recent_ns, 9);
}

// A region that has become short is not run alone, since it was long: what it takes shared pays.
TEST(SiteTimes, PaysForOneRunAloneWithSharedOnesInTurnThatAreShort) {
  site_times site;
  for (int i = 0; i < 3; ++i) site.learn(alone(100, 50'000));
  outcome ran = shared(100, 2'000);
  ran.most_ns = 1'000;
  site.learn(ran);
  site.learn(ran);
  EXPECT_DOUBLE_EQ(site.view(100).explored_ns, -4'000);
  ran.most_ns = 30'000;
  site.learn(ran);
  EXPECT_DOUBLE_EQ(site.view(100).explored_ns, 0) << "it may be long";
}

TEST(SiteTimes, HasFourClassesForEachDoubling) {
  site_times site;
  site.learn(alone(64, 640));
  EXPECT_EQ(site.view(79).alone.runs, 1U);
  EXPECT_EQ(site.view(80).alone.runs, 0U);
  EXPECT_FLOAT_EQ(static_cast<float>(site.view(80).near_ns), 10);
  for (std::uint64_t n = 1; n < 8; ++n) EXPECT_NE(class_of(n), class_of(n + 1)) << n;
  EXPECT_LT(class_of(~std::uint64_t{0}), 64 * classes_a_doubling);
  for (const std::uint64_t n : {1, 2, 3, 5, 80, 1 << 20})
    EXPECT_DOUBLE_EQ(least_of(class_of(n)), static_cast<double>(n));
}

TEST(SiteTimes, GivesALengthThatComesBackAClassOfItsOwn) {
  site_times site;
  for (int i = 0; i < 3; ++i) {
    site.learn(alone(1'000, 10'000));
    site.learn(alone(1'010, 101'000));
  }
  EXPECT_DOUBLE_EQ(site.view(1'010).alone.mean_ns, 100);
  for (int i = 0; i < 5; ++i) site.learn(alone(1'000, 10'000));
  EXPECT_DOUBLE_EQ(site.view(1'000).alone.mean_ns, 10);
  EXPECT_DOUBLE_EQ(site.view(1'010).alone.mean_ns, 100);
  EXPECT_DOUBLE_EQ(site.view(1'005).alone.mean_ns, 10) << "the others have the common one";
}

TEST(SiteTimes, HasOneClassForLengthsThatChangeStepByStep) {
  site_times site;
  for (std::uint64_t n = 1'023; n > 1'000; --n)
    for (int twice = 0; twice < 2; ++twice) site.learn(alone(n, 10.0 * static_cast<double>(n)));
  EXPECT_EQ(site.view(1'000).alone.runs, kept_times);
}

TEST(SiteTimes, PaysForExploringWithWhatLateRecallsLose) {
  site_times site;
  outcome explored = shared(100, 11'000);
  explored.by = {.how = way::balanced, .explores = true, .expected_ns = 5'000};
  site.learn(explored);
  ASSERT_DOUBLE_EQ(site.view(100).explored_ns, 6'000);
  outcome late = alone(100, 9'000);  // 5,000 for the first half, and 4,000 for the rest
  late.ran_alone = 50;
  late.alone_ns = 5'000;
  late.last_ns = 100;
  site.learn(late);
  EXPECT_DOUBLE_EQ(site.view(100).explored_ns, 4'000) << "7,000 if it had been shared at once";
}

TEST(SiteTimes, ForgetsTheOldestClass) {
  site_times site;
  for (std::uint64_t i = 0; i <= classes; ++i) site.learn(alone(std::uint64_t{1} << i, 100));
  EXPECT_EQ(site.view(1).alone.runs, 0U);
  EXPECT_EQ(site.view(2).alone.runs, 1U);
}

TEST(SiteTimes, KnowsWhatIsUsualByTheRunsThatEndedAlone) {
  site_times site;
  site.learn(alone(100, 1'000));
  site.learn(recalled(9'900));
  EXPECT_DOUBLE_EQ(site.view(100).whole_ns, 10);
  EXPECT_DOUBLE_EQ(site.view(100).alone.mean_ns, 10);
  EXPECT_TRUE(site.is_mixed(100));
}

TEST(SiteTimes, TakesASharedRestForASharedRun) {
  site_times site;
  site.learn(recalled(1'450));
  EXPECT_DOUBLE_EQ(site.view(100).shared.mean_ns, 5);
}

// 900 ns was expected of the rest.
TEST(SiteTimes, HoldsOffersThatGainNothing) {
  site_times site;
  site.learn(recalled(1'900));
  EXPECT_EQ(site.view(100).held, 0U) << "of a first run nothing is known";
  site.learn(recalled(1'900));
  EXPECT_EQ(site.view(100).held, 1U);
  site.learn(recalled(1'900));
  EXPECT_EQ(site.view(100).held, 2U);
  site.learn(recalled(500));
  EXPECT_EQ(site.view(100).held, 2U) << "2,000 were lost, 400 were gained";
  for (int i = 0; i < 4; ++i) site.learn(recalled(500));
  EXPECT_EQ(site.view(100).held, 0U);
}

TEST(SiteTimes, CountsWhatExploringCosts) {
  site_times site;
  outcome ran = alone(100, 5'000);
  ran.by = {.how = way::alone, .explores = true, .more_turns = 1, .expected_ns = 2'000};
  site.learn(ran);
  EXPECT_DOUBLE_EQ(site.view(100).explored_ns, 3'000);
  EXPECT_EQ(site.view(100).turns, 1U);
  ran.by.more_turns = 0;
  site.learn(ran);
  EXPECT_EQ(site.view(100).turns, 0U);
  EXPECT_DOUBLE_EQ(site.view(100).spent_ns, 10'000);
  ran.ran_alone = 10;
  ran.alone_ns = 1'000;
  site.learn(ran);
  EXPECT_DOUBLE_EQ(site.view(100).explored_ns, 7'000) << "it was given up after 1,000";
}

// What a file of choices has: a burden alone.
// A thread that was preempted would have been so in the other way, too.
TEST(SiteTimes, ChargesNoPreemptedThreadToExploring) {
  site_times site;
  for (int i = 0; i < 4; ++i) site.learn(shared(100, 11'000));
  outcome ran = shared(100, 4'000'000);
  ran.by = {.how = way::balanced, .explores = true, .expected_ns = 10'000};
  site.learn(ran);
  EXPECT_NEAR(site.view(100).explored_ns, 1'000, 1);
}

// Else a short one would be learnt once in runs_a_timing explorations, and each dear one.
TEST(SiteTimes, LearnsEachRunThatExplores) {
  outcome ran = alone(100, 500);
  EXPECT_EQ(runs_stood_for(ran), runs_a_timing);
  ran.by.explores = true;
  EXPECT_EQ(runs_stood_for(ran), 1U);
  EXPECT_EQ(runs_stood_for(alone(100, 2 * always_learnt_ns)), 1U);
  EXPECT_EQ(runs_stood_for(shared(100, 500)), 1U);
}

TEST(SiteTimes, SaysWithWhichBurdenTheChoicesAreTheSame) {
  site_times site;
  for (int i = 0; i < 3; ++i) {
    site.learn(alone(100, 10'000));
    site.learn(shared(100, 10'500));
  }
  const double felt_ns = site.break_even_ns(1'000, 2);
  EXPECT_EQ(decide({100, 2, felt_ns, no_chance}, known_cost(100)).how, way::alone);
  EXPECT_NE(decide({200, 2, felt_ns, no_chance}, known_cost(100)).how, way::alone);
  const site_times none;
  EXPECT_DOUBLE_EQ(none.break_even_ns(1'000, 2), 1'000);
}

TEST(SiteTimes, DecidesNotAgainForEachShortLoop) {
  site_times site;
  recall until;
  EXPECT_FALSE(site.is_usual(100, until));
  outcome ran = alone(100, 500);
  ran.by = {.how = way::alone,
            .alone = {.at_least_ns = 1'500,
                      .after_ns = 3'000,
                      .rival_ns = 0,
                      .least_rest_ns = 0,
                      .longest_piece = 60}};
  site.learn(ran, runs_a_timing);
  ASSERT_TRUE(site.is_usual(100, until));
  EXPECT_DOUBLE_EQ(until.after_ns, 3'000);
  EXPECT_DOUBLE_EQ(until.at_least_ns, 1'500);
  EXPECT_EQ(until.longest_piece, 60U);
  EXPECT_DOUBLE_EQ(site.view(100).spent_ns, 8'000) << "it stands for others";
  ran.elapsed_ns = 6'000;
  site.learn(ran);
  EXPECT_FALSE(site.is_usual(100, until)) << "it is long";
}

}  // namespace
}  // namespace doall::decide
