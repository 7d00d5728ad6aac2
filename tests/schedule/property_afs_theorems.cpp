// AFS's theorems and invariants (Markatos & LeBlanc, sections 2.2 and 3) on random loops
// in virtual time.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "schedule/affinity.hpp"
#include "support/afs_bounds.hpp"
#include "support/any_virtual_loop.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::origin;
using schedules::partition_of;
using sim::dealt_chunk;
using sim::execution;
using sim::loop_setup;

loop_setup any_affinity(base::rng& random) {
  return any_setup(random, *schedules::find("affinity"));
}

// An iteration moves at most once: a worker's own chunks are of its own partition, and
// a stolen one is of the partition that its victim began with, so nothing that was
// stolen lies in a queue again. That each runs once, property_virtual_time.cpp has.
TEST(AfsInvariants, AnIterationMovesAtMostOnce) {
  for_each_case(1000, [](base::rng& random) {
    loop_setup loop = any_affinity(random);
    loop.schedule.given.order = schedules::in_order;
    SCOPED_TRACE(describe(loop.schedule, loop.shape));
    for (const dealt_chunk& d : sim::run_once(loop).chunks) {
      ASSERT_NE(d.what.from, origin::central);
      ASSERT_EQ(d.what.from == origin::stolen, queue_of(d) != d.worker);
      const auto home = partition_of(queue_of(d), loop.shape);
      ASSERT_GE(d.what.begin, home.begin);
      ASSERT_LE(d.what.end, home.end);
    }
  });
}

// Section 2.2: synchronisation between workers comes with imbalance only.
TEST(AfsInvariants, NothingMovesWhenTheLoadIsEven) {
  for_each_case(500, [](base::rng& random) {
    loop_setup loop = any_affinity(random);
    loop.shape.iterations = loop.shape.workers * random.below(50);
    loop.costs = sim::iteration_costs(0.25 + any_time(random, 8));
    loop.arrivals.clear();
    SCOPED_TRACE(describe(loop.schedule, loop.shape));
    ASSERT_EQ(moved_in(sim::run_once(loop)), 0U);
  });
}

TEST(AfsTheorems, LemmaBoundsTheTakesFromAQueue) {
  for_each_case(5000, [](base::rng& random) {
    const u64 n = random.next() >> (20 + random.below(44));
    const u64 k = 1 + random.below(random.below(4) == 0 ? 4 : 3000);
    for (const u64 round : {schedules::round_up, schedules::round_down}) {
      ASSERT_LE(takes(n, k, round), takes_most(n, k, round)) << n << ", " << k << ", " << round;
    }
  });
}

// Theorem 3.1: on each queue O(k log(N / Pk)) synchronisations of its owner's and
// O(P log(N / P^2)) of the others', whatever iterations and taking cost and whenever
// workers come. Checked to the chunk: either side takes no more often than if it had
// the queue to itself, which the lemma bounds.
TEST(AfsTheorems, SynchronisationsOnAQueueAreBounded) {
  for_each_case(1000, [](base::rng& random) {
    const loop_setup loop = any_affinity(random);
    SCOPED_TRACE(describe(loop.schedule, loop.shape));
    const auto given = loop.schedule.given.as<schedules::affinity::options>();
    const std::uint32_t workers = loop.shape.workers;
    const execution e = sim::run_once(loop);
    for (std::uint32_t w = 0; w < workers; ++w) {
      const u64 length = partition_of(w, loop.shape).size();
      const u64 k = given.k == 0 ? workers : given.k;
      ASSERT_LE(e.workers[w].local, takes(length, k, given.round)) << "queue " << w;
      const u64 rob = given.rob == 0 ? workers : given.rob;
      ASSERT_LE(e.workers[w].robbed, takes(length, rob, given.round)) << "queue " << w;
    }
  });
}

// Theorem 3.2 in whole iterations. The paper divides as if iterations could be
// split: all finish within N (P - k) / (P (P - 1) k) + 1 iterations of each other. With the
// ceilings of its algorithm (`round=up`, the default) the bound is the largest
//
//     D(R) = ceil(R / k) - floor((R - ceil(R / k)) / (P - 1)),   R <= ceil(N / P),
//
// and at least 1. Proof. Let F be when the last worker finishes, e when the first
// one finds all queues empty, s the size of the last worker's last chunk (of those
// that end at F the one taken last), taken at t = F - s from a queue that held R,
// which leaves W >= R - s iterations to the other P - 1. They are free at t or
// later.
//   - If it was stolen, s = ceil(R / P), so W >= (P - 1)(s - 1). Who takes any of W
//     finishes before F, so it runs at most s - 1 iterations of it; were e < F - 1,
//     the first would run at most s - 2, all together less than W. So F - e <= 1.
//   - If it was its own and it was on time: those on time begin together, on partitions
//     that differ by one at most, and nobody robs before it is through with its
//     own, the late worker no earlier than the others. So this chunk ended its
//     partition. If k = 1, all have whole ones; else it was a single iteration, and
//     before it was taken nobody was told that nothing is left. So F - e <= 1.
//   - If it was the late worker's own, s = ceil(R / k). Let q = floor(W / (P - 1))
//     and suppose e < t + q: then the first runs at most q - 1 of W, so another
//     one at least q + 1, and finishes after e + 1. Of those others take the one
//     that finishes last. Its last chunk, of s' iterations, was stolen, and left at
//     least (P - 1)(s' - 1) to P - 2 workers, none of whom runs more than s' - 1 of
//     them: so s' = 1; or it ended its own partition, and s' = 1 as above. So it was
//     taken after e, when nothing was left: a contradiction, and F - e <= s - q <=
//     D(R).
// A late worker that finds nothing left has no part in this.
//
// What ceilings add to the paper's bound is less than an iteration. With ceil(R / k)
// <= (R + k - 1) / k, floor(W / (P - 1)) >= (W - P + 2) / (P - 1) and R <= (N + P - 1) / P
//
//     D(R) <= N (P - k) / (P (P - 1) k) + 1 + slack,   slack = 1 - 1/P - 1/(k (P - 1)).
//
// For k >= P it is 1, as the paper says: then D(R) <= 1 for all R.
u64 spread_most(const loop_shape& shape, u64 k) {
  u64 most = 1;
  for (u64 r = 1; r <= base::ceil_div(shape.iterations, shape.workers); ++r) {
    const u64 own = base::ceil_div(r, k);
    const u64 others = (r - own) / (shape.workers - 1);
    if (own > others) most = std::max(most, own - others);
  }
  return most;
}

double papers_spread(const loop_shape& shape, u64 k) {
  const auto n = static_cast<double>(shape.iterations);
  const double p = shape.workers;
  return n * (p - static_cast<double>(k)) / (p * (p - 1) * static_cast<double>(k)) + 1;
}

// When the last worker finished less when the first did, with one that came late.
double spread_of(const loop_shape& shape, u64 k, std::uint32_t late, double lateness) {
  auto loop = loop_of("affinity", shape);
  loop.schedule.given = schedules::params::of_first(k);
  loop.arrivals = arrival_of(late, lateness);
  const execution e = sim::run_once(loop);
  std::vector<double> left;
  for (std::uint32_t w = 0; w < shape.workers; ++w) {
    if (w != late || e.workers[w].chunks != 0) left.push_back(e.workers[w].left);
  }
  return *std::ranges::max_element(left) - *std::ranges::min_element(left);
}

TEST(AfsTheorems, AllFinishTogetherWhenOneComesLate) {
  for_each_case(4000, [&](base::rng& random) {
    const auto workers =
        static_cast<std::uint32_t>(2 + random.below(random.below(4) == 0 ? 62 : 8));
    const loop_shape shape{random.below(random.below(2) == 0 ? 40 * workers : 2000), workers};
    const u64 k = 1 + random.below(random.below(4) == 0 ? 2 * workers : workers);
    const auto late = static_cast<std::uint32_t>(random.below(workers));
    const u64 share = base::ceil_div(shape.iterations, workers);
    const double lateness =
        random.below(3) == 0 ? static_cast<double>(share) : any_time(random, 2 * share + 1);
    SCOPED_TRACE("affinity,k=" + std::to_string(k) + " on " + std::to_string(shape.iterations) +
                 " iterations, " + std::to_string(workers) + " workers, " + std::to_string(late) +
                 " late by " + std::to_string(lateness));
    const double spread = spread_of(shape, k, late, lateness);
    ASSERT_LE(spread, static_cast<double>(spread_most(shape, k)));
    const double slack = k >= workers ? 0 : 1 - 1.0 / workers - 1.0 / (k * (workers - 1.0));
    ASSERT_LE(spread, std::max(1.0, papers_spread(shape, k) + slack + 1e-9));
  });
}

// The bound is attained, here a little above the paper's.
TEST(AfsTheorems, FinishingTogetherIsTightInWholeIterations) {
  const loop_shape shape{72, 8};
  EXPECT_EQ(spread_most(shape, 2), 5U);
  EXPECT_EQ(spread_of(shape, 2, 0, 9), 5);
  EXPECT_LT(papers_spread(shape, 2), 4.9);
}

// Theorem 3.3, and what section 4.3 concludes from it. Of a loop whose iteration i,
// from 0, costs (N - i)^k, a chunk of floor(R / ((k + 1) P)) of the R iterations left holds
// at most 1/P of the work left. Nobody is idle while there is something left, so
// a chunk that is taken when U of the work W is left is taken by (W - U) / P and
// ends by W / P: none of these is a bottleneck. Only the last chunks, of single iterations
// where R < (k + 1) P, can end later, each by less than it takes.
TEST(AfsTheorems, NoChunkOfADecreasingLoopIsABottleneck) {
  for_each_case(300, [&](base::rng& random) {
    const auto workers = static_cast<std::uint32_t>(1 + random.below(40));
    const u64 k = random.below(4);
    const u64 parts = (k + 1) * workers;
    const u64 iterations = parts + random.below(1500);
    std::vector<double> costs(iterations);
    for (u64 i = 0; i < iterations; ++i) {
      costs[i] = std::pow(static_cast<double>(iterations - i), static_cast<double>(k));
    }
    auto loop = loop_of("guided,round=down,k=" + std::to_string(k + 1), {iterations, workers},
                        sim::iteration_costs(costs));
    SCOPED_TRACE(describe(loop.schedule, loop.shape));
    const execution e = sim::run_once(loop);
    const double balanced = loop.costs.of({0, iterations}) / workers;
    for (const dealt_chunk& d : e.chunks) {
      if (iterations - d.what.begin >= parts) {
        ASSERT_LE(loop.costs.of(d.what), loop.costs.of({d.what.begin, iterations}) / workers);
        ASSERT_LE(d.finished, balanced);
      } else {
        ASSERT_EQ(d.what.size(), 1U);
        ASSERT_LE(d.finished, balanced + costs[d.what.begin]);
      }
    }
  });
}

}  // namespace
}  // namespace doall::tests
