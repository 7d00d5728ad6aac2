// What AFS measured (Markatos & LeBlanc, sections 4.4 to 4.6), in virtual time:
// Table 2, the order of the schedules in Figures 10 to 12, and the last columns of
// Tables 3 to 5. The counts of the other columns are the command's test
// (cli/chunks.sh).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/virtual_run.hpp"

namespace doall::tests {
namespace {

using sim::iteration_costs;

// Table 2: seconds that a balanced loop of 200 million iterations takes on 8
// processors, of which one is delayed.
//
// "The delay column represents the number of iterations one processor was
// delayed", but the times say that an iteration of the delay took less than one of
// the loop:
//   - If nobody is idle, a loop of N iterations whose delay is as long as a of
//     them takes (N + a) / 8. That is GSS in rows 1 to 4: d N = 0.0625 N to 0.2031 N
//     cost 2.31 s to 2.54 s. With a = r d N the line through them has r = 0.74.
//   - In row 6 all columns agree, and 0.2031 N to 0.25 N adds more than an eighth of
//     it: the loop waits for the late processor alone, 2.9 s = r 0.25 N. With N from
//     rows 1 to 4 that is r = 0.65.
//   - Were r below 2/3, the delay of row 3 would end before the others are through
//     with their own N / 8. Under AFS with k = 2 the late processor would then take
//     half of its untouched queue, and the loop would take a good quarter longer than
//     under GSS; the paper has 11 %.
// So the text's r = 1 is not what was measured: row 6 would be 1.88 times row 1, and is
// 1.26 times. r is the one number fitted here. It was chosen so that the
// largest deviation of all is least; any from 0.676 to 0.686 keeps 5 %.
constexpr double delay_iteration = 0.682;
constexpr double most_deviation = 0.05;

constexpr const char* columns[] = {"guided", "trapezoid", "factoring", "affinity,k=2", "affinity"};

struct delayed_start {
  double delay;  // of N iterations
  double seconds[std::size(columns)];
};

constexpr delayed_start table_2[] = {
    {0.0625, {2.31, 2.34, 2.31, 2.42, 2.32}}, {0.125, {2.44, 2.44, 2.45, 2.59, 2.44}},
    {0.1875, {2.53, 2.54, 2.52, 2.82, 2.52}}, {0.2031, {2.54, 2.57, 2.54, 2.68, 2.54}},
    {0.2187, {2.58, 2.60, 2.58, 2.58, 2.58}}, {0.25, {2.90, 2.90, 2.90, 2.90, 2.90}},
};

double makespan_of_delayed(std::string_view schedule, double delay) {
  constexpr loop_shape shape{200'000'000, 8};
  auto loop = loop_of(schedule, shape);
  loop.arrivals = arrival_of(0, delay_iteration * delay * static_cast<double>(shape.iterations));
  return sim::run_once(loop).makespan();
}

// Every cell as a part of its row's first, and of the table's first.
TEST(AfsTable2, HasThePapersRatios) {
  const double first_seconds = table_2[0].seconds[0];
  const double first = makespan_of_delayed(columns[0], table_2[0].delay);
  for (const delayed_start& row : table_2) {
    const double row_first = makespan_of_delayed(columns[0], row.delay);
    for (std::size_t c = 0; c < std::size(columns); ++c) {
      SCOPED_TRACE(std::string(columns[c]) + ", delay " + std::to_string(row.delay) + " N");
      const double makespan = makespan_of_delayed(columns[c], row.delay);
      EXPECT_NEAR(makespan / row_first / (row.seconds[c] / row.seconds[0]), 1, most_deviation);
      EXPECT_NEAR(makespan / first / (row.seconds[c] / first_seconds), 1, most_deviation);
    }
  }
}

// What a loop of a shape of section 4.4 takes, as a part of what it would if it were
// balanced perfectly.
class figure {
 public:
  figure(std::string_view shape, u64 iterations) : shape_(shape), iterations_(iterations) {}

  double operator()(std::string_view schedule, std::uint32_t workers) const {
    const auto costs = sim::costs_of(*sim::find_cost_shape(shape_), iterations_);
    return 1 / run_of(schedule, {iterations_, workers}, costs).efficiency();
  }

 private:
  std::string shape_;
  u64 iterations_;
};

constexpr std::uint32_t processors[] = {8, 32, 50};

// The paper's GSS rounds down (Tables 3 to 5).
constexpr const char* gss = "guided,round=down";

// "AFS and TRAPEZOID have comparable performance, and both perform better than
// GSS." FACTORING, whose first chunk is TRAPEZOID's, goes with them; STATIC's
// first block is as heavy as GSS's first chunk. Comparable: within 2 %, where GSS
// is worse by more than 80 %.
TEST(AfsFigure10, TriangularLoop) {
  const figure slowness("triangular", 5000);
  for (const std::uint32_t p : processors) {
    SCOPED_TRACE(p);
    EXPECT_NEAR(slowness("affinity", p), slowness("trapezoid", p), 0.02);
    EXPECT_NEAR(slowness("affinity", p), slowness("factoring", p), 0.02);
    EXPECT_GT(slowness(gss, p), 1.8 * slowness("affinity", p));
    EXPECT_GT(slowness(gss, p), 1.8 * slowness("trapezoid", p));
    EXPECT_GE(slowness("static", p), slowness(gss, p));
  }
}

// "AFS performs better than TRAPEZOID, which performs better than GSS", but
// TRAPEZOID "is very close to AFS when the number of processors is close to 50". In
// virtual time the distance falls from 30 % to 12 %; that of GSS stays near a
// factor of 2.
TEST(AfsFigure11, ParabolicLoop) {
  const figure slowness("parabolic", 200);
  double distance = 1;
  for (const std::uint32_t p : processors) {
    SCOPED_TRACE(p);
    const double nearer = slowness("trapezoid", p) / slowness("affinity", p) - 1;
    EXPECT_GT(nearer, 0.1);
    EXPECT_LT(nearer, distance) << "TRAPEZOID comes closer with more processors";
    distance = nearer;
    EXPECT_LE(slowness("affinity", p), slowness("factoring", p));
    EXPECT_LE(slowness("factoring", p), slowness(gss, p));
    EXPECT_GT(slowness(gss, p), 1.9 * slowness("trapezoid", p));
    EXPECT_GE(slowness("static", p), slowness(gss, p));
  }
  EXPECT_LT(distance, 0.15) << "close at 50";
}

// "AFS is clearly superior to TRAPEZOID and GSS."
TEST(AfsFigure12, LoadInTheFirstTenthOfTheLoop) {
  const figure slowness("head-heavy", 50000);
  for (const std::uint32_t p : processors) {
    SCOPED_TRACE(p);
    EXPECT_GT(slowness("trapezoid", p), 3 * slowness("affinity", p));
    EXPECT_GT(slowness("factoring", p), 3 * slowness("affinity", p));
    EXPECT_GT(slowness(gss, p), slowness("trapezoid", p));
    EXPECT_GT(slowness(gss, p), slowness("factoring", p));
    EXPECT_GE(slowness("static", p), slowness(gss, p));
  }
}

// Tables 3 to 5, last columns: synchronisations per queue, remote and local, an average over the
// phases of a program on a machine. The paper's rule, rounded down, has them on 4 processors and
// more; on 2 it has not, for reasons that are not in the paper. What is never left to chance is
// their sum: with k = P owner and thief take the same part, so how often a queue is taken from
// follows from its length alone, whoever comes.

TEST(AfsTables3To5, ASharesChunksFollowFromItsLengthAlone) {
  const std::vector<double> skewed = [] {
    std::vector<double> costs(640, 1);
    std::fill_n(costs.begin(), 320, 640);
    return costs;
  }();
  for (const std::uint32_t p : {2U, 4U, 6U, 8U}) {
    const loop_shape shape{640, p};
    for (const auto& costs : {iteration_costs(), iteration_costs(skewed),
                              sim::costs_of(*sim::find_cost_shape("triangular"), 640)}) {
      const sim::execution e = run_of("affinity", shape, costs);
      for (std::uint32_t w = 0; w < p; ++w) {
        const u64 share = schedules::partition_of(w, shape).size();
        EXPECT_EQ(e.workers[w].local + e.workers[w].robbed, sizes_alone("guided", share, p).size());
      }
    }
  }
}

// Loops of a program with the same costs, and what part of its phases they are.
struct phases {
  iteration_costs costs;
  double part = 1;
};

// A queue's takings in a loop, the mean over queues and all phases.
struct takings {
  double remote = 0;
  double local = 0;
};

takings takings_of(const std::vector<phases>& program, const loop_shape& shape) {
  takings mean;
  for (const phases& some : program) {
    const auto all = run_of("affinity,round=down", shape, some.costs).total();
    mean.remote += some.part * static_cast<double>(all.remote) / shape.workers;
    mean.local += some.part * static_cast<double>(all.local) / shape.workers;
  }
  return mean;
}

// Rows change as the phase's node k has an edge to them. For k inside the clique its rows cost a
// whole row and all others 1; in the other half of the phases k has no edges, and all cost 1.
std::vector<phases> skewed_closure() {
  constexpr std::size_t nodes = 640;
  constexpr std::size_t clique = 320;
  std::vector<double> inside(nodes, 1);
  std::fill_n(inside.begin(), clique, static_cast<double>(nodes));
  return {{iteration_costs(inside), 0.5}, {iteration_costs(), 0.5}};
}

struct queue_row {
  std::uint32_t processors;
  takings printed;
};

constexpr double columns_apart = 0.15;

void expect_local(const std::vector<phases>& program, u64 iterations, const queue_row& row) {
  SCOPED_TRACE("P = " + std::to_string(row.processors));
  const takings found = takings_of(program, {iterations, row.processors});
  EXPECT_NEAR(found.local / row.printed.local, 1, columns_apart);
}

// SOR: all phases are balanced. Nobody is late in virtual time, so nobody is robbed but for an odd
// iteration; the print's 0.4 to 1.1 of remote takings are processors that were late.
TEST(AfsTable3, LocalColumnIsThePapersAndNobodyIsRobbed) {
  constexpr u64 iterations = 512;
  const std::vector<phases> sor{{iteration_costs()}};
  for (const queue_row& row : {queue_row{4, {1.0, 16.8}}, {6, {1.1, 21.8}}, {8, {0.4, 27}}}) {
    expect_local(sor, iterations, row);
    EXPECT_LT(takings_of(sor, {iterations, row.processors}).remote, 0.2);
  }
}

// The skewed closure. Of the remote column only P = 4 is near. From 6 processors on ours steal 3 to
// 5 times as often as the print says, which has fewer thefts than its own balanced Table 3 there:
// with half of all queues worthless, a thief has to take from the others' halves again and again.
TEST(AfsTable4, LocalColumnIsThePapersOverAllPhases) {
  constexpr u64 iterations = 640;
  const std::vector<phases> closure = skewed_closure();
  for (const queue_row& row : {queue_row{4, {2.1, 16.8}}, {6, {1.1, 23.8}}, {8, {0.7, 28.3}}}) {
    expect_local(closure, iterations, row);
    EXPECT_GT(takings_of(closure, {iterations, row.processors}).remote, row.printed.remote);
  }
  EXPECT_NEAR(takings_of(closure, {iterations, 4}).remote / 2.1, 1, 0.2);
}

// Adjoint convolution: one loop, whose iteration i costs N - i.
TEST(AfsTable5, BothColumnsAreThePapers) {
  constexpr u64 iterations = 5625;
  const std::vector<phases> convolution{
      {sim::costs_of(*sim::find_cost_shape("triangular"), iterations)}};
  for (const queue_row& row : {queue_row{4, {6.75, 20.2}}, {6, {8.3, 29.3}}, {8, {9.87, 35.6}}}) {
    expect_local(convolution, iterations, row);
    const takings found = takings_of(convolution, {iterations, row.processors});
    EXPECT_NEAR(found.remote / row.printed.remote, 1, columns_apart);
  }
}

}  // namespace
}  // namespace doall::tests
