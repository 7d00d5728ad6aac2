// A process that records costs alone: most executions are timed as wholes, and nothing is marked.
#include <gtest/gtest.h>

#include <cstdlib>

#include "observe/site.hpp"

namespace doall::observe {
namespace {

// Asked for before the first loop of the process, which looks once.
[[maybe_unused]] const bool asked = setenv(report_folder_variable, "/nonexistent", 1) == 0 &&
                                    setenv(report_costs_variable, "only", 1) == 0;

TEST(OnlyCosts, MostExecutionsAreTimedAsWholes) {
  site_records known;
  site* const s = find_site(known, {.line = 1});
  constexpr std::uint64_t iterations = 5'000;
  int timed = 0;
  for (int k = 0; k < 40; ++k) {
    stay_samples* const samples = borrow_samples(s, iterations, {});
    ASSERT_NE(samples, nullptr);
    const bool is_timed = times_chunks(samples);
    EXPECT_EQ(is_timed, k < 8 || k % 16 == 0) << k;
    timed += is_timed ? 1 : 0;
    EXPECT_EQ(samples->mark(0, {0, iterations, 1}).compared, 0U);
    EXPECT_EQ(samples->bytes(), 0U);
    const tally all{.inside_ticks = 10, .timed = is_timed};
    add_execution(s, {}, 1, 10, &all, samples);
  }
  EXPECT_EQ(timed, 8 + 2);
}

// Overlapping executions have one profile: the second one has none, and is timed as a whole.
TEST(OnlyCosts, WithoutSamplesNoChunkIsTimed) {
  site_records known;
  site* const s = find_site(known, {.line = 2});
  stay_samples* const first = borrow_samples(s, 10, {});
  EXPECT_TRUE(times_chunks(first));
  EXPECT_EQ(borrow_samples(s, 10, {}), nullptr);
  EXPECT_FALSE(times_chunks(nullptr));
  const tally all{};
  add_execution(s, {}, 1, 10, &all, first);
}

}  // namespace
}  // namespace doall::observe
