// One quick round: every construct does what it must, or the status is not 0; the numbers can be
// read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchOmp, OneRound) {
  const json found = output_of("--quick");
  EXPECT_EQ(found["schema"], "doall-bench-omp/1");
  EXPECT_EQ(found["lines"].size(), 44);
  for (const json& line : found["lines"]) {
    EXPECT_EQ(count_of(line["rows"], {{"runtime", "doall"}, {"door", "gomp"}}), 1) << line;
    for (const json& row : line["rows"]) expect_times(row);
  }
}

// From six rounds on the bars are judged; with --quick a missed one is no failure.
TEST(BenchOmp, SomeLinesAreJudged) {
  const json found = output_of("--quick --rounds=6 --lines=task/,construct/lock");
  EXPECT_EQ(found["lines"].size(), 11);
  ASSERT_TRUE(names(found["verdicts"], "gomp door over the better peer"));
  for (const json& verdict : found["verdicts"]) EXPECT_TRUE(verdict["held"].is_boolean());
}

}  // namespace
