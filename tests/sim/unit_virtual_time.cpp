// The virtual-time driver on loops that are small enough to be followed by hand.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/virtual_run.hpp"

namespace doall::tests {
namespace {

using sim::execution;
using sim::iteration_costs;

// "worker begin-end start-finish", in the order in which chunks were taken.
std::vector<std::string> log_of(const execution& e) {
  std::vector<std::string> lines;
  for (const sim::dealt_chunk& d : e.chunks) {
    const auto whole = [](double time) { return std::to_string(static_cast<int>(time)); };
    lines.push_back(std::to_string(d.worker) + " " + std::to_string(d.what.begin) + "-" +
                    std::to_string(d.what.end) + " " + whole(d.started) + "-" + whole(d.finished));
  }
  return lines;
}

using log = std::vector<std::string>;

TEST(VirtualTime, GivesTheNextChunkToWhoeverIsFreeFirst) {
  const execution e = run_of("guided", {10, 2});
  EXPECT_EQ(log_of(e), (log{"0 0-5 0-5", "1 5-8 0-3", "1 8-9 3-4", "1 9-10 4-5"}));
  EXPECT_EQ(e.makespan(), 5);
  EXPECT_EQ(e.workers[1].chunks, 3U);
  EXPECT_EQ(e.workers[1].iterations, 5U);
  EXPECT_EQ(e.workers[1].central, 3U);
}

TEST(VirtualTime, ServesTheLowestIndexWhenSeveralAreFree) {
  EXPECT_EQ(log_of(run_of("dynamic", {5, 3})),
            (log{"0 0-1 0-1", "1 1-2 0-1", "2 2-3 0-1", "0 3-4 1-2", "1 4-5 1-2"}));
}

TEST(VirtualTime, TakesItsIterationsCostsForAChunk) {
  const std::vector<double> costs = {1, 2, 4, 8, 16};
  EXPECT_EQ(log_of(run_of("dynamic,2", {5, 2}, iteration_costs(costs))),
            (log{"0 0-2 0-3", "1 2-4 0-12", "0 4-5 3-19"}));
  EXPECT_EQ(log_of(run_of("cyclic", {5, 2}, iteration_costs(costs))),
            (log{"0 0-5 0-21", "1 1-5 0-10"}));
  EXPECT_EQ(log_of(run_of("cyclic", {5, 2}, iteration_costs(3))), (log{"0 0-5 0-9", "1 1-5 0-6"}));
}

TEST(VirtualTime, WaitsForTheLate) {
  auto loop = loop_of("static", {4, 2});
  loop.arrivals = arrival_of(1, 7);
  EXPECT_EQ(log_of(sim::run_once(loop)), (log{"0 0-2 0-2", "1 2-4 7-9"}));

  loop = loop_of("dynamic", {4, 2});
  loop.arrivals = arrival_of(1, 100);
  const execution e = sim::run_once(loop);
  EXPECT_EQ(e.workers[0].left, 4);
  EXPECT_EQ(e.workers[1].chunks, 0U);
  EXPECT_EQ(e.makespan(), 100) << "the loop ends when all have left it";
}

TEST(VirtualTime, LetsACentralQueueServeOneAtATime) {
  auto loop = loop_of("dynamic", {4, 2});
  loop.prices.central = 2;
  const execution e = sim::run_once(loop);
  EXPECT_EQ(log_of(e), (log{"0 0-1 2-3", "1 1-2 4-5", "0 2-3 6-7", "1 3-4 8-9"}));
  EXPECT_EQ(e.total().busy, 4);
  EXPECT_DOUBLE_EQ(e.efficiency(), 4.0 / (2 * 9));
}

TEST(VirtualTime, AQueueMayCostLessForWhoWasThereLast) {
  auto loop = loop_of("dynamic", {4, 1});
  loop.prices = {.central = 5, .again = 1};
  EXPECT_EQ(sim::run_once(loop).makespan(), 4 * (1 + 1));
  loop = loop_of("dynamic", {3, 2});
  loop.prices = {.central = 5, .again = 1};
  loop.arrivals = arrival_of(1, 3);
  EXPECT_EQ(log_of(sim::run_once(loop)), (log{"0 0-1 1-2", "0 1-2 3-4", "1 2-3 8-9"}));
}

// Four workers ask at once: the queue is free for the next one before the first has its chunk.
TEST(VirtualTime, AQueuesLatencyIsNotItsOccupancy) {
  auto loop = loop_of("dynamic", {4, 4});
  loop.prices = {.central = 5, .served = 2};
  EXPECT_EQ(log_of(sim::run_once(loop)),
            (log{"0 0-1 5-6", "1 1-2 7-8", "2 2-3 9-10", "3 3-4 11-12"}));
  loop = loop_of("dynamic", {2, 1});
  loop.prices = {.central = 5, .again = 1, .served = 2};
  EXPECT_EQ(sim::run_once(loop).makespan(), 2 * (1 + 1)) << "never busy for longer than it takes";
}

TEST(VirtualTime, OwnQueuesOfOneLineServeOneAtATime) {
  auto loop = loop_of("wsri,assign=cyclic,c=1", {4, 2});
  loop.prices = {.own = 2, .own_in_line = 2};
  EXPECT_EQ(log_of(sim::run_once(loop)), (log{"0 0-1 2-3", "1 1-2 4-5", "0 2-3 6-7", "1 3-4 8-9"}));
}

TEST(VirtualTime, SchedulesMayKnowOtherCostsThanTheTrueOnes) {
  const std::vector<double> estimated = {3, 1, 1, 1};
  auto loop = loop_of("best-static", {4, 2});
  loop.estimated = iteration_costs(estimated);
  EXPECT_EQ(log_of(sim::run_once(loop)), (log{"0 0-1 0-1", "1 1-4 0-3"}));
}

// Worker 1 empties its own queue, beside worker 0's, then robs worker 0's.
TEST(VirtualTime, PricesAChunkByItsOrigin) {
  const std::vector<double> costs = {10, 10, 10, 10, 1, 1, 1, 1};
  auto loop = loop_of("affinity,k=2", {8, 2}, iteration_costs(costs));
  loop.prices = {.own = 1, .central = 1000, .stolen = 3};
  const execution e = sim::run_once(loop);
  EXPECT_EQ(log_of(e), (log{"0 0-2 1-21", "1 4-6 1-3", "1 6-7 4-5", "1 7-8 6-7", "1 2-3 10-20",
                            "1 3-4 23-33"}));
  EXPECT_EQ(e.workers[0].local, 1U);
  EXPECT_EQ(e.workers[0].robbed, 2U);
  EXPECT_EQ(e.workers[1].local, 3U);
  EXPECT_EQ(e.workers[1].remote, 2U);
  EXPECT_EQ(e.workers[0].left, 21);
  EXPECT_EQ(e.makespan(), 33);
}

TEST(VirtualTime, KnowsSchedulesThatNeverSynchronise) {
  for (const std::string text : {"static", "static,4", "cyclic", "static,order=reverse"}) {
    auto loop = loop_of(text, {12, 3});
    loop.prices = {.own = 5, .central = 5, .stolen = 5};
    const execution e = sim::run_once(loop);
    EXPECT_EQ(e.makespan(), 4) << text;
    EXPECT_EQ(e.total().local + e.total().central + e.total().remote, 0U) << text;
  }
}

TEST(VirtualTime, TellsHowEvenARunWas) {
  const std::vector<double> costs = {6, 2};
  const execution e = run_of("static", {2, 2}, iteration_costs(costs));
  EXPECT_DOUBLE_EQ(e.imbalance(), 6 / 4.0);
  EXPECT_DOUBLE_EQ(e.efficiency(), 8 / 12.0);
  const execution nothing = run_of("static", {0, 2});
  EXPECT_DOUBLE_EQ(nothing.imbalance(), 1);
  EXPECT_DOUBLE_EQ(nothing.efficiency(), 1);
}

TEST(VirtualTime, CountsIterationsThatStayed) {
  const execution halves = run_of("static", {8, 2});
  const execution turns = run_of("cyclic", {8, 2});
  EXPECT_DOUBLE_EQ(sim::stayed(halves, halves), 1);
  EXPECT_DOUBLE_EQ(sim::stayed(halves, turns), 0.5);
  EXPECT_DOUBLE_EQ(sim::stayed(turns, halves), 0.5);
  EXPECT_DOUBLE_EQ(sim::stayed(halves, run_of("static,1,order=reverse", {8, 2})), 0.5);
  EXPECT_DOUBLE_EQ(sim::stayed(halves, run_of("static,order=reverse", {8, 2})), 0);
  EXPECT_DOUBLE_EQ(sim::stayed(run_of("dynamic,3", {8, 2}), halves), 0.625);
}

// Strided chunks are compared as they are, not one iteration after the other.
TEST(VirtualTime, CountsIterationsThatStayedInTheLongestLoop) {
  const loop_shape longest{base::u64_max, 4};
  const execution turns = run_of("cyclic", longest);
  EXPECT_DOUBLE_EQ(sim::stayed(turns, turns), 1);
  EXPECT_DOUBLE_EQ(sim::stayed(turns, run_of("static", longest)), 0.25);
  EXPECT_DOUBLE_EQ(sim::stayed(turns, run_of("cyclic", {base::u64_max, 6})), 1 / 3.0);
}

TEST(VirtualTime, RefusesToMakeALoopAnother) {
  sim::virtual_loop loop(loop_of("affinity-last", {8, 2}));
  loop.change(loop_of("affinity-last", {9, 2}));
  EXPECT_THROW(loop.change(loop_of("affinity-last", {8, 3})), std::invalid_argument);
  EXPECT_THROW(loop.change(loop_of("affinity", {8, 2})), std::invalid_argument);
  EXPECT_EQ(loop.run().total().iterations, 9U);
}

// affinity-last deals its first run as affinity does; from then on an iteration
// begins where it last ran, until next to nothing has to be stolen.
TEST(VirtualTime, KeepsALoopsMemoryFromRunToRun) {
  const loop_shape shape{6400, 8};
  const auto costs = [&] {
    return sim::costs_of(*sim::find_cost_shape("head-heavy"), shape.iterations);
  };
  sim::virtual_loop forgets(loop_of("affinity", shape, costs()));
  sim::virtual_loop learns(loop_of("affinity-last", shape, costs()));
  const execution first = forgets.run();
  EXPECT_EQ(log_of(learns.run()), log_of(first));
  EXPECT_EQ(log_of(forgets.run()), log_of(first));

  execution before;
  execution last;
  for (int run = 2; run <= 8; ++run) before = std::exchange(last, learns.run());
  EXPECT_GE(sim::stayed(before, last), 0.95);
  EXPECT_LE(last.total().remote, first.total().remote / 4);
  EXPECT_GT(last.efficiency(), first.efficiency());
}

TEST(VirtualTime, StopsWhenThereAreTooManyChunks) {
  auto loop = loop_of("dynamic", {11, 2});
  loop.chunks_most = 11;
  EXPECT_EQ(sim::run_once(loop).chunks.size(), 11U);
  loop.chunks_most = 10;
  EXPECT_THROW(sim::run_once(loop), std::length_error);
}

TEST(VirtualTime, HoldsTheLongestLoop) {
  const execution e = run_of("guided", {base::u64_max, 1024});
  EXPECT_EQ(e.total().iterations, base::u64_max);
  EXPECT_NEAR(e.makespan(), 0x1p64 / 1024, 0x1p64 / 1024 * 1e-9);
}

TEST(Costs, AreThePapers) {
  const auto of = [](std::string_view name, u64 iterations, chunk c) {
    return sim::costs_of(*sim::find_cost_shape(name), iterations).of(c);
  };
  EXPECT_EQ(of("triangular", 5, {0, 1}), 4);
  EXPECT_EQ(of("triangular", 5, {0, 5}), 4 + 3 + 2 + 1);
  EXPECT_EQ(of("parabolic", 5, {0, 5}), 16 + 9 + 4 + 1);
  EXPECT_EQ(of("parabolic", 5, {0, 5, 2}), 16 + 4);
  // I < N/10 in the paper's numbers, which begin at 1: of 100 iterations nine.
  EXPECT_EQ(of("head-heavy", 100, {0, 9}), 900);
  EXPECT_EQ(of("head-heavy", 100, {9, 100}), 91);
  EXPECT_EQ(sim::find_cost_shape("square"), nullptr);
}

TEST(Costs, ReachSchedulesAsRunningSums) {
  EXPECT_FALSE(iteration_costs(3).for_schedules().given());

  const std::vector<double> whole = {3, 0, 5};
  const iteration_costs as_they_are(whole);
  EXPECT_EQ(as_they_are.for_schedules().before(1), 3U);
  EXPECT_EQ(as_they_are.for_schedules().total(), 8U);

  const std::vector<double> parts = {0.25, 0.5, 0.25};
  const iteration_costs scaled(parts);
  EXPECT_EQ(scaled.for_schedules().total(), u64{1} << 52);
  EXPECT_EQ(scaled.for_schedules().before(1), u64{1} << 50);

  const std::vector<double> free_of_charge = {0, 0};
  EXPECT_EQ(iteration_costs(free_of_charge).for_schedules().total(), 0U);
}

}  // namespace
}  // namespace doall::tests
