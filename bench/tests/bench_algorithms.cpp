// One quick round: the answers are right, or the status is not 0; the numbers can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchAlgorithms, OneRound) {
  const json found = output_of("--rounds=1 --most=10000");
  EXPECT_EQ(found["schema"], "doall-bench-algorithms/1");
  // Of 27 algorithms the native door has all but the standard's seven, oneTBB's names all but three.
  EXPECT_EQ(count_of(found["rows"], {{"runtime", "doall"}, {"schedule", "default"}}), 20);
  EXPECT_EQ(count_of(found["rows"], {{"runtime", "doall"}, {"schedule", "compat"}}), 24);
  for (const json& row : found["rows"]) {
    EXPECT_GT(row["min_ns"], 0) << row;
    EXPECT_TRUE(row["speed_up"].is_null()) << row;
  }
}

}  // namespace
