// The training set on a few workers: the comparisons can be read, and mean what the paper's do.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchNests, PercentagesAreOfTimeSaved) {
  const json found = output_of("--size=small --workers=8");
  EXPECT_EQ(found["schema"], "doall-bench-nests/1");
  ASSERT_EQ(found["against"].size(), 6);
  bool is_ahead_somewhere = false;
  for (const json& one : found["against"]) {
    const double ratio = one["ratio"];
    EXPECT_NEAR(one["percent"], 100 * (1 - 1 / ratio), 1e-9) << one;
    EXPECT_LT(one["percent"], 100) << one;
    is_ahead_somewhere = is_ahead_somewhere || ratio > 1.01;
  }
  EXPECT_TRUE(is_ahead_somewhere);
  // The paper's own decision: thieves get crumbs, and come again.
  EXPECT_GT(found["innermost_first"]["ratio"], 1.005);
  EXPECT_GT(found["innermost_first"]["transactions_ratio"], 1.1);
}

// Those who split nothing but the outermost loop run the same there.
TEST(BenchNests, SavesNothingWhereNobodySplits) {
  const json found = output_of("--size=small --workers=1 --programs=matmult");
  for (const json& one : found["against"]) {
    if (one["of"] != "lbs+") continue;
    EXPECT_NEAR(one["percent"], 0, 1) << one;
  }
}

}  // namespace
