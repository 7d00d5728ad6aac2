// One quick round: answers are the serial program's, or the status is not 0; the numbers can be
// read; two threads share the tasks.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchTasks, OneRound) {
  const json found = output_of("--quick --threads=2");
  EXPECT_EQ(found["schema"], "doall-bench-tasks/1");
  EXPECT_EQ(found["lines"].size(), 7 * 4 + 4 * 2);
  for (const json& line : found["lines"]) {
    for (const json& row : line["rows"]) {
      expect_times(row);
      if (row["runtime"] != "doall") continue;
      EXPECT_GE(row["least_part"], 0) << line["line"];
      EXPECT_LE(row["least_part"], 0.5) << line["line"];
    }
  }
}

TEST(BenchTasks, BothThreadsRunTasks) {
  const json found = output_of("--quick --threads=2 --programs=sort");
  for (const json& line : found["lines"]) {
    for (const json& row : line["rows"]) {
      if (row["runtime"] == "doall") EXPECT_GT(row["least_part"], 0) << line["line"];
    }
  }
}

}  // namespace
