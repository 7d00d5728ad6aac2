// src/decide/decide: the decision as a table, from what a site knows to what a loop gets.
#include "decide/decide.hpp"

#include <gtest/gtest.h>

#include "decide/constants.hpp"

namespace doall::decide {
namespace {

// Of exploring, 0 is a chance.
way_times times(double an_index_ns, std::uint32_t runs = kept_times) {
  return {runs, an_index_ns, an_index_ns, an_index_ns};
}

// After a second piece, which was like the first one.
progress at(double elapsed_ns, std::uint64_t ran, std::uint64_t indices) {
  return {indices, ran, elapsed_ns, ran / 2, elapsed_ns / 2};
}

// 1,000 indices on 4 workers; the burden is 1,000 ns.
verdict of(const site_view& site, std::uint64_t dice = no_chance, std::uint64_t indices = 1'000) {
  return decide({indices, 4, 1'000, dice}, site);
}

site_view known(double alone_ns, double shared_ns) {
  site_view site{.alone = times(alone_ns), .shared = times(shared_ns)};
  site.whole_ns = alone_ns;
  return site;
}

TEST(Decide, TakesTheCheaperWay) {
  struct row {
    double alone_ns, shared_ns;  // an index
    way how;
  };
  for (const row& r : {row{1, 0.25, way::alone},       // 1,000 or 1,250
                       row{1.5, 0.4, way::in_blocks},  // 1,500 or 1,400
                       row{20, 5, way::in_blocks},     // saves 15 burdens
                       row{40, 10, way::balanced},     // saves 30
                       row{40, 40, way::alone},        // a lock
                       row{40, 100, way::alone}}) {
    const verdict v = of(known(r.alone_ns, r.shared_ns));
    EXPECT_EQ(v.how, r.how) << r.alone_ns << " or " << r.shared_ns;
    EXPECT_FALSE(v.explores);
    EXPECT_DOUBLE_EQ(v.expected_ns, std::min(1'000 * r.alone_ns, 1'000 * r.shared_ns + 1'000));
  }
}

TEST(Decide, SharesANewLoopOfFewIndicesAndTriesALongerOne) {
  EXPECT_EQ(of({}, no_chance, 32 * 4 - 1).how, way::balanced);
  const verdict v = of({}, no_chance, 32 * 4 * 10);
  EXPECT_EQ(v.how, way::alone);
  EXPECT_DOUBLE_EQ(v.alone.after_ns, surprising_burdens * 1'000);
  EXPECT_LE(v.alone.longest_piece, 32 * 4 * 10 / 100 + 1);
}

TEST(Decide, ExpectsTheBestOfAWayThatWasNotRun) {
  site_view site{.alone = times(2)};
  site.whole_ns = 2;
  EXPECT_NE(of(site).how, way::alone) << "2,000, or 1,500 if it scales";
  site.alone = times(1);
  site.whole_ns = 1;
  EXPECT_EQ(of(site).how, way::alone);
}

TEST(Decide, TakesANewLengthForAsDearAsTheNearestOne) {
  EXPECT_NE(of({.near_ns = 2}).how, way::alone);
  EXPECT_EQ(of({.near_ns = 1}).how, way::alone);
}

TEST(Decide, RunsALoopAloneOnceThatWasAlwaysShared) {
  site_view site{.shared = times(10, runs_in_turn)};
  const verdict v = of(site);
  EXPECT_EQ(v.how, way::alone);
  EXPECT_TRUE(v.explores);
  EXPECT_DOUBLE_EQ(v.alone.rival_ns, 11'000);
}

TEST(Decide, ExploresOnlyWithinItsBudget) {
  site_view site = known(1, 2);  // 1,000 or 3,000
  site.spent_ns = 2'000 / explored_part - 1;
  EXPECT_FALSE(of(site, 0).explores);
  site.spent_ns += 2;
  EXPECT_TRUE(of(site, 0).explores);
  EXPECT_NE(of(site, 0).how, way::alone);
  site.explored_ns = 10;
  EXPECT_FALSE(of(site, 0).explores);
}

TEST(Decide, ExploresAtRandomMoments) {
  site_view site = known(1, 2);
  site.spent_ns = 1e9;
  int explored = 0;
  for (std::uint64_t dice = 0; dice < 1'000; ++dice) explored += of(site, dice).explores ? 1 : 0;
  EXPECT_EQ(explored, 1'000 / runs_a_chance);
}

TEST(Decide, ExploresTurnsToTheirEnd) {
  site_view site = known(1, 2);
  site.spent_ns = 1e9;
  EXPECT_EQ(of(site, 0).more_turns, runs_in_turn - 1);
  site.spent_ns = 0;
  site.turns = 1;
  EXPECT_TRUE(of(site).explores);
  EXPECT_EQ(of(site).more_turns, 0U);
}

// What a run alone loses that is given up does not grow with the workers.
TEST(Decide, ExploresAloneForAPartOfTheSharedTime) {
  site_view site = known(1'000, 10);  // 1,000,000 or 11,000
  site.spent_ns = explored_alone_part * 11'000 / explored_part + 1;
  const verdict v = of(site, 0);
  EXPECT_TRUE(v.explores);
  EXPECT_EQ(v.how, way::alone);
  EXPECT_FALSE(v.alone.is_due(at(0.2 * 11'000, 2, 1'000))) << "too early to tell";
  EXPECT_TRUE(v.alone.is_due(at(0.3 * 11'000, 100, 1'000))) << "would take three times as long";
  EXPECT_FALSE(v.alone.is_due(at(0.3 * 11'000, 500, 1'000))) << "will win";
}

TEST(Recall, ComesWhenALoopTakesSeveralTimesWhatIsUsual) {
  const verdict v = of(known(1, 1));
  EXPECT_DOUBLE_EQ(v.alone.after_ns, surprising_times * 1'000);
  EXPECT_DOUBLE_EQ(v.alone.at_least_ns, surprising_burdens * 1'000);
  EXPECT_FALSE(v.alone.is_due(at(2'900, 10, 1'000)));
  EXPECT_TRUE(v.alone.is_due(at(3'100, 10, 1'000)));
  EXPECT_DOUBLE_EQ(of(known(0.1, 1)).alone.after_ns, surprising_burdens * 1'000);
}

TEST(Recall, NeedsASecondPieceAndARestThatGains) {
  const recall r{.at_least_ns = 0,
                 .after_ns = 1'000,
                 .rival_ns = 0,
                 .least_rest_ns = 500,
                 .longest_piece = 100};
  EXPECT_TRUE(r.is_due({100, 2, 2'000, 1, 1'000}));
  EXPECT_FALSE(r.is_due({100, 1, 2'000, 1, 2'000})) << "perhaps it was preempted";
  EXPECT_FALSE(r.is_due({3, 2, 2'000, 1, 1'000})) << "one index cannot be divided";
  EXPECT_FALSE(r.is_due({100, 2, 2'000, 1, 5})) << "490 ns are left";
}

// Of 1,000 indices 100 ns each are usual. It waits for no 300,000 ns where 990 are still to come.
TEST(Recall, ComesAsSoonAsALoopWillTakeSeveralTimesWhatIsUsual) {
  const recall r = of(known(100, 100)).alone;
  EXPECT_TRUE(r.is_due(at(10'000, 10, 1'000)));
  EXPECT_FALSE(r.is_due(at(2'900, 2, 1'000))) << "before three burdens";
  EXPECT_FALSE(r.is_due(at(20'000, 100, 1'000))) << "twice what is usual";
}

TEST(Recall, DoesNotBelieveOneSlowPiece) {
  const recall r = of(known(100, 100)).alone;
  EXPECT_FALSE(r.is_due({1'000, 20, 12'000, 10, 11'000, 100})) << "preempted in its last piece";
  EXPECT_FALSE(r.is_due({1'000, 30, 13'000, 10, 1'000, 1'100})) << "in the one before";
  EXPECT_TRUE(r.is_due({1'000, 30, 23'000, 10, 11'000, 1'100})) << "both are slow";
}

TEST(Recall, IsHeldWhereItGainedNothing) {
  site_view site = known(1, 1);
  site.held = 2;
  EXPECT_DOUBLE_EQ(of(site).alone.after_ns, held_times * held_times * surprising_times * 1'000);
}

TEST(Recall, LooksAfterTheFirstIndexAndThenAboutEach2us) {
  const recall r{.at_least_ns = 0,
                 .after_ns = 1e6,
                 .rival_ns = 0,
                 .least_rest_ns = 0,
                 .longest_piece = 1'000'000};
  EXPECT_EQ(r.next_piece({1'000'000, 1, 10, 1, 10}), pieces_grow);
  EXPECT_EQ(r.next_piece({1'000'000, 32, 330, 32, 320}), 200U);
  EXPECT_EQ(r.next_piece({1'000'000, 1'000, 15'000, 1'000, 10'000}), 200U);
  EXPECT_EQ(r.next_piece({1'000'000, 100, 1e6, 100, 1'000'000}), 12U)
      << "an eighth of the time so far";
  EXPECT_EQ(r.next_piece({1'000'000, 1, 1e6, 1, 1e9}), 1U);
  const recall often{
      .at_least_ns = 0, .after_ns = 1e6, .rival_ns = 0, .least_rest_ns = 0, .longest_piece = 3};
  EXPECT_EQ(often.next_piece({1'000'000, 3, 90, 3, 30}), 3U);
}

// Frozen choices, and OpenMP's unnamed loops.
TEST(Decide, ByOneCostComparesWhatIsSavedWithTheBurden) {
  const auto of_cost = [](double alone_ns, double burden_ns) {
    return decide({1, 2, burden_ns, no_chance}, known_cost(alone_ns)).how;
  };
  EXPECT_EQ(of_cost(3'900, 2'000), way::alone);
  EXPECT_EQ(of_cost(4'100, 2'000), way::in_blocks);
  EXPECT_EQ(of_cost(79'000, 2'000), way::in_blocks);
  EXPECT_EQ(of_cost(81'000, 2'000), way::balanced);
  EXPECT_EQ(of_cost(190, 1), way::alone) << "no machine shares in 100 ns";
}

// OpenMP's regions.
TEST(Decide, SharesWhatItCannotRecallUntilItIsKnown) {
  const facts region{1, 64, 1'000, no_chance, false};
  EXPECT_EQ(decide(region, {}).how, way::balanced);
  site_view site{.shared = {5, 10'000, 10'000, 10'000}};
  EXPECT_NE(decide(region, site).how, way::alone) << "alone it might take 640,000";
  site.spent_ns = 640'000 / untried_part;
  facts by_chance = region;
  by_chance.dice = 0;
  const verdict tried = decide(by_chance, site);
  EXPECT_EQ(tried.how, way::alone);
  EXPECT_EQ(tried.more_turns, 0U) << "once is dear enough";
  site.explored_ns = 20'000;
  EXPECT_NE(decide(by_chance, site).how, way::alone);
  site.whole_ns = 640'000;
  site.alone = times(640'000);
  site.explored_ns = 0;
  EXPECT_NE(decide(by_chance, site).how, way::alone) << "it has been tried";
  site.spent_ns = 640'000 / explored_part;
  EXPECT_EQ(decide(by_chance, site).how, way::alone);
  site.explored_ns = 20'000;
  EXPECT_NE(decide(by_chance, site).how, way::alone);
}

TEST(Decide, DoesNotShareForOnePreemptedRunAlone) {
  site_view site = known_cost(500);
  site.alone.all_ns = 4'000'000;
  EXPECT_EQ(decide({1, 2, 1'000, no_chance, true}, site).how, way::alone);
  EXPECT_EQ(decide({1, 2, 1'000, no_chance, false}, site).how, way::alone);
}

// Both mostly take 10,000 ns. Now and then one takes more, shared ten times as much.
TEST(Decide, CountsRareDearRunsAsFarAsTheyAreCertain) {
  site_view site = known(10, 5);
  ASSERT_NE(of(site).how, way::alone);
  site.alone.many_runs = site.shared.many_runs = 200;
  site.alone.rare_ns = 10 * 100;
  site.alone.rare_squares = 10 * 100 * 100;
  site.shared.rare_ns = 10 * 1'000;
  site.shared.rare_squares = 10 * 1'000 * 1'000;
  EXPECT_EQ(of(site).how, way::alone);
  site.shared.rare_ns = 1'000;
  site.shared.rare_squares = 1'000 * 1'000;
  EXPECT_NE(of(site).how, way::alone) << "it was only one";
}

TEST(Plain, LoopsAreThoseThatDoNotGain) {
  EXPECT_DOUBLE_EQ(longest_plain_ns(1'000, 2), 2'000);
  EXPECT_DOUBLE_EQ(longest_plain_ns(1e6, 2), always_learnt_ns);
  EXPECT_GE(plain_for_ns(0), plain_least_ns);
  EXPECT_LT(plain_for_ns(~std::uint64_t{0}), plain_least_ns + plain_more_ns);
}

}  // namespace
}  // namespace doall::decide
