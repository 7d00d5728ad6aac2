// src/omp/team_shape: which of the pool's workers a region gets, on machines of two and
// four domains.
#include "omp/team_shape.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "topology/domains.hpp"

namespace doall::omp {
namespace {

// A nest of regions on a machine whose domains have so many workers each, "4,4".
class nest {
 public:
  explicit nest(const char* domains) {
    const std::vector<unsigned> all = *topology::domains_from_counts(domains);
    workers_ = static_cast<std::uint32_t>(all.size());
    starts_ = topology::starts_of(all, workers_);
    settings.threads = workers_;
    settings.max_active_levels = 2;
  }

  team_shape outer(const team_wish& wish) const {
    return shape_of(settings, 0, wish, starts_, workers_);
  }
  team_shape inner(const team_wish& wish) const {
    return shape_of(settings, 1, wish, starts_, workers_);
  }

  icvs settings;

 private:
  std::uint32_t workers_;
  std::vector<std::uint32_t> starts_;
};

TEST(TeamShape, SpreadTakesTheDomainsAlong) {
  const nest two("4,4");
  EXPECT_EQ(two.outer({2, binding::spread}), (team_shape{2, 8}));
  EXPECT_TRUE(two.outer({2, binding::spread}).one_a_domain());
  const nest four("12,12,12,12");
  EXPECT_EQ(four.outer({4, binding::spread}), (team_shape{4, 48}));
  EXPECT_EQ(four.outer({2, binding::spread}), (team_shape{2, 24})) << "the first two domains";
  EXPECT_EQ(nest("1,5").outer({2, binding::spread}), (team_shape{2, 6}));
}

TEST(TeamShape, OtherRegionsTakeTheFirstWorkers) {
  const nest two("4,4");
  for (const binding bind : {binding::none, binding::is_true, binding::primary, binding::close}) {
    EXPECT_EQ(two.outer({2, bind}), (team_shape{2, 2}));
  }
  EXPECT_EQ(two.outer({3, binding::spread}), (team_shape{3, 3})) << "more than domains";
  EXPECT_EQ(two.outer({0, binding::spread}), (team_shape{8, 8})) << "no clause: nthreads-var";
  EXPECT_EQ(two.outer({1, binding::spread}), (team_shape{1, 1}));
  EXPECT_EQ(nest("8").outer({2, binding::spread}), (team_shape{2, 2})) << "one domain";
  EXPECT_EQ(nest("1,1").outer({2, binding::spread}), (team_shape{2, 2})) << "nobody to take along";
}

TEST(TeamShape, BindVarStandsForAMissingClause) {
  nest two("4,4");
  two.settings.place = static_cast<std::uint32_t>(binding::spread);
  EXPECT_EQ(two.outer({2}), (team_shape{2, 8}));
  EXPECT_EQ(two.outer({2, binding::close}), (team_shape{2, 2})) << "the clause goes first";
  two.settings.threads = 2;
  EXPECT_EQ(two.outer({}), (team_shape{2, 8}));
}

TEST(TeamShape, WithoutNestingNobodyIsTakenAlong) {
  nest two("4,4");
  two.settings.max_active_levels = 1;
  EXPECT_EQ(two.outer({2, binding::spread}), (team_shape{2, 2}));
  EXPECT_EQ(two.inner({2, binding::spread}), (team_shape{1, 1}));
  two.settings.max_active_levels = 0;
  EXPECT_EQ(two.outer({2, binding::spread}), (team_shape{1, 1}));
}

// The lease of a domain's first worker gets no more than the domain's.
TEST(TeamShape, AnInnerRegionAsksForWhatItsClausesSay) {
  const nest two("4,4");
  EXPECT_EQ(two.inner({0, binding::close}), (team_shape{8, 8}));
  EXPECT_EQ(two.inner({3, binding::close}), (team_shape{3, 3}));
  EXPECT_EQ(two.inner({2, binding::spread}), (team_shape{2, 2})) << "a domain is not divided";
}

TEST(TeamShape, AnInnerTeamHasWhatTheLimitLeaves) {
  icvs v;
  constexpr std::uint32_t cpus = 8;
  EXPECT_EQ(team_size_beside(v, 2, 4, cpus), 4U);
  EXPECT_EQ(team_size_beside(v, 100, 64, cpus), 64U) << "without dyn-var CPUs are no limit";
  v.thread_limit = 6;
  EXPECT_EQ(team_size_beside(v, 2, 4, cpus), 4U);
  EXPECT_EQ(team_size_beside(v, 2, 8, cpus), 5U) << "the one that meets the region is at work";
  EXPECT_EQ(team_size_beside(v, 5, 4, cpus), 2U);
  EXPECT_EQ(team_size_beside(v, 6, 4, cpus), 1U);
  EXPECT_EQ(team_size_beside(v, 7, 4, cpus), 1U) << "it was lowered meanwhile";
}

TEST(TeamShape, UnderDynVarAnInnerTeamHasTheCpusThatAreLeft) {
  icvs v;
  v.dynamic = true;
  EXPECT_EQ(team_size_beside(v, 2, 4, 8), 4U);
  EXPECT_EQ(team_size_beside(v, 6, 4, 8), 3U);
  EXPECT_EQ(team_size_beside(v, 8, 4, 8), 1U);
  v.thread_limit = 4;
  EXPECT_EQ(team_size_beside(v, 2, 4, 8), 3U);
}

TEST(TeamShape, TheThreadLimitIsOfAllThreads) {
  nest two("4,4");
  two.settings.thread_limit = 6;
  EXPECT_EQ(two.outer({2, binding::spread}), (team_shape{2, 6}));
  two.settings.thread_limit = 4;
  EXPECT_EQ(two.outer({2, binding::spread}), (team_shape{2, 2})) << "the second domain is beyond";
  two.settings.thread_limit = 1;
  EXPECT_EQ(two.outer({2, binding::spread}), (team_shape{1, 1}));
}

}  // namespace
}  // namespace doall::omp
