// One quick round of everything: the answers are right, or the status is not 0; the
// numbers can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchReduce, OneRound) {
  const json found = output_of("--rounds=1");
  EXPECT_EQ(found["schema"], "doall-bench-reduce/1");
  EXPECT_EQ(found["prices"].size(), 20);
  // Both reductions at five lengths.
  EXPECT_EQ(count_of(found["rows"], {{"runtime", "doall"}, {"schedule", "default"}}), 10);
  EXPECT_EQ(count_of(found["rows"], {{"runtime", "doall"}, {"schedule", "default/any"}}), 10);
  EXPECT_EQ(count_of(found["rows"], {{"runtime", "doall"}, {"schedule", "static/any"}}), 10);
  for (const json& row : found["rows"]) {
    EXPECT_GT(row["min_ns"], 0) << row;
    EXPECT_LE(row["p5_ns"], row["p95_ns"]) << row;
    EXPECT_EQ(row["rounds_ns"].size(), 1) << row;
    EXPECT_TRUE(row["speed_up"].is_null()) << row;
  }
}

// From six rounds on ratios have intervals.
TEST(BenchReduce, PriceOfRepeatability) {
  const json found = output_of("--rounds=6 --runtimes=doall");
  for (const json& price : found["prices"]) {
    EXPECT_GT(price["serial_ns"], 0) << price;
    EXPECT_GT(price["fixed_to_any"]["low"], 0) << price;
    EXPECT_LE(price["fixed_to_any"]["low"], price["fixed_to_any"]["high"]) << price;
  }
}

}  // namespace
