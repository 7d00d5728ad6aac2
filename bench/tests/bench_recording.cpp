// One round: what is timed with and without a recording, and its numbers can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchRecording, OneRound) {
  const json found = output_of("--rounds=1 --threads=2 --size=small --programs=triangular");
  EXPECT_EQ(found["schema"], "doall-bench-recording/1");
  EXPECT_EQ(count_of(found["rows"], {{"what", "triangular"}}), 2);
  EXPECT_EQ(count_of(found["rows"], {{"schedule", "default"}}), 3) << "loops of each length";
  for (const json& row : found["rows"]) {
    expect_times(row);
    EXPECT_GT(row["ratio"]["median"], 0) << row;
  }
  EXPECT_EQ(found["verdicts"].size(), 2) << "by the median and by the mean call";
}

}  // namespace
