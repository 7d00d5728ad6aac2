// A process that records costs alone: one in many executions is counted, most of these are timed as
// wholes, and nothing is marked.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/file_text.hpp"
#include "observe/site.hpp"
#include "support/file_environment.hpp"
#include "support/temp_folder.hpp"

namespace doall::observe {
namespace {

// Asked for before the first loop of the process, which looks once.
const tests::temp_folder costs_folder;
const tests::file_environment costs_asked(__FILE__, [] {
  setenv(report_folder_variable, costs_folder.path().c_str(), 1);
  setenv(report_costs_variable, "only", 1);
});

TEST(OnlyCosts, MostExecutionsAreTimedAsWholes) {
  site_records known;
  site* const s = find_site(known, {.line = 1});
  constexpr std::uint64_t iterations = 5'000;
  int timed = 0;
  for (int k = 0; k < 40; ++k) {
    stay_samples* const samples = borrow_samples({s, 1, true}, iterations, {});
    ASSERT_NE(samples, nullptr);
    const bool is_timed = times_chunks(samples);
    EXPECT_EQ(is_timed, k < 8 || k % 16 == 0) << k;
    timed += is_timed ? 1 : 0;
    EXPECT_EQ(samples->mark(0, {0, iterations, 1}).compared, 0U);
    EXPECT_EQ(samples->bytes(), 0U);
    tally all;
    all.inside_ticks = 10;
    all.timed = is_timed;
    add_execution({s, 1, true}, {}, {0, 10}, &all, samples);
  }
  EXPECT_EQ(timed, 8 + 2);
}

// Overlapping executions have one profile: the second one has none, and is timed as a whole.
TEST(OnlyCosts, WithoutSamplesNoChunkIsTimed) {
  site_records known;
  site* const s = find_site(known, {.line = 2});
  stay_samples* const first = borrow_samples({s, 1, true}, 10, {});
  EXPECT_TRUE(times_chunks(first));
  EXPECT_EQ(borrow_samples({s, 1, true}, 10, {}), nullptr);
  EXPECT_FALSE(times_chunks(nullptr));
  const tally all{};
  add_execution({s, 1, true}, {}, {0, 10}, &all, first);
}

// What is counted stands for what is not: the report has all executions, and their time.
TEST(OnlyCosts, OneInManyExecutionsIsCounted) {
  site_records known;
  site* const s = find_site(known, {.line = 3});
  constexpr std::uint64_t executions = 1'000;
  constexpr std::uint64_t iterations = 100;
  constexpr std::uint64_t ticks = 1 << 20;
  std::uint64_t counted = 0;
  std::set<std::uint64_t> phases;
  for (std::uint64_t k = 0; k < executions; ++k) {
    const counting as = count_next(s);
    EXPECT_TRUE(as.in_detail() || k >= counted_first) << k;
    EXPECT_FALSE(as.as_a_whole());
    if (!as.in_detail()) continue;
    ++counted;
    if (k >= counted_first) phases.insert(k % counted_in);
    // The first half of the loop's runs are twice as long.
    const std::uint64_t length = k < executions / 2 ? 2 * iterations : iterations;
    stay_samples* const samples = borrow_samples(as, length, {});
    ASSERT_NE(samples, nullptr);
    tally all;
    all.inside_ticks = length * ticks;
    all.timed = times_chunks(samples);
    if (all.timed) {
      all.busy_ticks = all.inside_ticks;
      all.iterations = length;
      samples->costs->add({0, length, 1}, all.inside_ticks);
    }
    add_execution(as, {}, {0, all.inside_ticks}, &all, samples);
  }
  EXPECT_NEAR(static_cast<double>(counted), 16 + executions / 16.0, 20);
  EXPECT_GT(phases.size(), 10U) << "not always the same one of a program's phase";
  write_at_exit(1);
  for (const auto& file : std::filesystem::directory_iterator(costs_folder.path())) {
    for (const record& r : read_report(base::contents(file.path()).value_or("")).records) {
      if (r.line != 3) continue;
      EXPECT_EQ(r.calls, executions);
      const double ns_an_iteration =
          static_cast<double>(r.busy_time) / (1.5 * iterations * executions);
      const double ns_a_call = static_cast<double>(r.wall_time) / executions;
      EXPECT_NEAR(ns_a_call / (1.5 * iterations * ns_an_iteration), 1, 1e-6);
      EXPECT_NEAR(static_cast<double>(r.iterations) / (1.5 * iterations * executions), 1, 0.1);
      return;
    }
  }
  FAIL() << "no record of the loop";
}

}  // namespace
}  // namespace doall::observe
