// One quick round of everything: the answers are right, or the status is not 0; the
// numbers can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchSerial, OneRound) {
  const json found = output_of("--rounds=1");
  EXPECT_EQ(found["schema"], "doall-bench-serial/1");
  EXPECT_EQ(count_of(found["rows"], {{"name", "histogram"}}), 14);
  EXPECT_EQ(count_of(found["rows"], {{"n", 0}}), 15);
  EXPECT_EQ(count_of(found["rows"], {{"n", 10'000}}), 15);
  EXPECT_EQ(found["verdicts"].size(), 15);
  for (const json& row : found["rows"]) {
    EXPECT_GT(row["plain_ns"], 0) << row;
    EXPECT_GT(row["doall_ns"], 0) << row;
    EXPECT_GT(row["over_plain"]["median"], 0) << row;
  }
}

}  // namespace
