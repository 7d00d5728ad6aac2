// The stealing engine in virtual time: all that a program has is run, on any number of workers.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "schedule/registry.hpp"
#include "sim/stealing.hpp"

namespace doall::sim {
namespace {

schedules::spec how(const std::string& text) { return schedules::parse(text).value; }

std::vector<schedules::spec> all_that_split() {
  std::vector<schedules::spec> all;
  for (const schedules::entry& e : schedules::registry()) {
    if (e.splits != nullptr || is_hybrid(e)) all.push_back({&e, {}});
  }
  return all;
}

// Three levels, uneven ones among them.
nest program() {
  nest all;
  all.loops = {{.iterations = 1, .inner = {1, 3}},
               {.iterations = 40, .cost = 50, .inner = {2}},
               {.iterations = 64, .cost = 100},
               {.iterations = 3, .cost = 10, .inner = {4, 4, 5}, .inner_begin = {0, 2, 2, 3}},
               {.iterations = 100, .cost = 200},
               {.iterations = 5, .costs = {1, 10, 100, 1'000, 10'000}}};
  return all;
}

TEST(virtual_stealing, adds_up_works) {
  const nest p = program();
  const std::vector<double> works = p.works();
  EXPECT_DOUBLE_EQ(works[2], 6'400);
  EXPECT_DOUBLE_EQ(works[1], 40 * (50 + 6'400));
  EXPECT_DOUBLE_EQ(works[3], 30 + 2 * 20'000 + 11'111);
  EXPECT_DOUBLE_EQ(works[0], works[1] + works[3]);
}

TEST(virtual_stealing, one_worker_takes_the_work_and_the_prices) {
  const nest p = program();
  for (const auto& s : all_that_split()) {
    const stealing_result r = run_by_stealing(p, {.schedule = s, .workers = 1});
    EXPECT_GE(r.makespan, p.works()[0]) << s.which->name;
    EXPECT_EQ(r.total.stolen, 0U) << s.which->name;
  }
}

TEST(virtual_stealing, free_of_prices_the_makespan_is_between_the_bounds) {
  const nest p = program();
  const stealing_prices nothing{0, 0, 0, 1, 0, 0};  // an attempt must take time
  for (const auto& s : all_that_split()) {
    for (const std::uint32_t workers : {1, 2, 7, 64}) {
      const stealing_result r =
          run_by_stealing(p, {.schedule = s, .workers = workers, .prices = nothing});
      EXPECT_GE(r.makespan, p.works()[0] / workers) << s.which->name;
      EXPECT_LE(r.makespan, p.works()[0] + 1'000'000) << s.which->name;
    }
  }
}

TEST(virtual_stealing, lazy_splitting_balances_with_few_transactions) {
  const nest p = program();
  const auto at_8 = [&](const std::string& text) {
    return run_by_stealing(p, {.schedule = how(text), .workers = 8});
  };
  const stealing_result lazy = at_8("lbs");
  const stealing_result eager = at_8("ebs-simple,1");
  EXPECT_LT(lazy.total.transactions() * 2, eager.total.transactions());
  EXPECT_LT(lazy.makespan, 1.5 * p.works()[0] / 8);
}

// A thief that comes to the paper's lbs gets a part of the row that its victim is in; ours gets
// rows.
TEST(virtual_stealing, the_papers_lbs_splits_the_innermost_loop) {
  nest p;
  p.loops = {{.iterations = 1, .inner = {1}},
             {.iterations = 40, .cost = 10, .inner = {2}},
             {.iterations = 40, .cost = 10, .inner = {3}},
             {.iterations = 64, .cost = 100}};
  const auto at_16 = [&](const std::string& text, const nest& what) {
    return run_by_stealing(what, {.schedule = how(text), .workers = 16});
  };
  EXPECT_GT(at_16("lbs-innermost", p).total.stolen, at_16("lbs", p).total.stolen * 3 / 2);
  const nest alone{{{.iterations = 1, .inner = {1}}, {.iterations = 1'000, .cost = 1'000}}};
  EXPECT_EQ(at_16("lbs-innermost", alone).makespan, at_16("lbs", alone).makespan);
}

nest one_loop(std::uint64_t iterations) {
  return {{{.iterations = 1, .inner = {1}}, {.iterations = iterations, .cost = 1'000}}};
}

TEST(virtual_stealing, hybrid_claims_its_partitions) {
  for (const std::uint32_t workers : {1, 2, 7, 8, 32}) {
    const stealing_result r =
        run_by_stealing(one_loop(4'096), {.schedule = how("hybrid"), .workers = workers});
    const std::uint32_t parts = std::bit_ceil(workers);
    EXPECT_EQ(r.total.claims, parts + 1) << workers << ", with the program's own";
    EXPECT_LE(r.total.failed_claims, parts * std::bit_width(parts) + workers) << workers;
  }
}

TEST(virtual_stealing, a_watched_loop_is_told_once) {
  for (const auto& s : all_that_split()) {
    const stealing_result r =
        run_by_stealing(one_loop(1'000), {.schedule = s, .workers = 8, .watched = 1});
    std::vector<int> times(1'000);
    for (const dealt_chunk& c : r.watched.chunks) {
      EXPECT_LT(c.worker, 8U);
      for (std::uint64_t i = c.what.begin; i < c.what.end; ++i) ++times[i];
    }
    EXPECT_EQ(std::ranges::count(times, 1), 1'000) << s.which->name;
  }
}

TEST(virtual_stealing, late_and_slow_workers_take_longer) {
  const stealing_setup usual{.schedule = how("lbs"), .workers = 2};
  const double time = run_by_stealing(one_loop(1'000), usual).makespan;
  stealing_setup late = usual;
  late.arrivals = {0, 400'000};
  EXPECT_GT(run_by_stealing(one_loop(1'000), late).makespan, time + 100'000);
  stealing_setup slow = usual;
  slow.slowness = {2, 2};
  EXPECT_GT(run_by_stealing(one_loop(1'000), slow).makespan, 1.9 * time);
}

TEST(virtual_stealing, the_same_seed_gives_the_same_run) {
  const nest p = program();
  const stealing_setup setup{.schedule = how("lbs"), .workers = 8, .seed = 7};
  EXPECT_EQ(run_by_stealing(p, setup).makespan, run_by_stealing(p, setup).makespan);
}

// The outermost loops are dealt: even serial-inner, which splits nothing, has all processors there.
TEST(virtual_stealing, the_machine_may_deal_the_outermost_loops) {
  const nest p = program();
  const double work = p.works()[0];
  for (const auto& s : all_that_split()) {
    const stealing_result one = run_by_stealing(p, {.schedule = s, .workers = 1, .deal = 10});
    EXPECT_GE(one.makespan, work + 43 * 10) << s.which->name;
    const stealing_result eight = run_by_stealing(p, {.schedule = s, .workers = 8, .deal = 10});
    EXPECT_GE(eight.makespan, work / 8) << s.which->name;
    EXPECT_LT(eight.makespan, one.makespan / 2) << s.which->name;
  }
}

TEST(virtual_stealing, a_loop_that_is_dealt_may_be_alone) {
  nest p;
  p.loops = {{.iterations = 1, .inner = {1, 1}}, {.iterations = 64, .cost = 1'000}};
  const stealing_result r =
      run_by_stealing(p, {.schedule = how("serial-inner"), .workers = 64, .deal = 10});
  EXPECT_GE(r.makespan, 2 * 1'010);
  EXPECT_LE(r.makespan, 2 * 1'500);
  EXPECT_EQ(r.total.stolen, 0U);
}

}  // namespace
}  // namespace doall::sim
