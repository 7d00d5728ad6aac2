// One quick round of everything: the loops' results are right, or the status is not 0; and
// the numbers can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchOversubscribed, OneRound) {
  const json found = output_of("--rounds=1");
  EXPECT_EQ(found["schema"], "doall-bench-oversubscribed/1");
  EXPECT_EQ(found["threads_of_crowd"], 4 * found["threads"].get<unsigned>());
  for (const json& row : found["rows"]) {
    EXPECT_GT(row["few_ns"], 0) << row;
    EXPECT_GT(row["crowd_ns"], 0) << row;
    EXPECT_GT(row["ratio"]["median"], 0) << row;
    // Alone or crowded, no loop takes less than its share of T on this machine's CPUs.
    EXPECT_GT(row["crowd_ns"].get<double>() * 1.5,
              row["serial_ns"].get<double>() / found["threads"].get<double>())
        << row;
    if (row["runtime"] != "doall") continue;
    EXPECT_EQ(row["bar"].is_null(), row["door"] == "gomp" && row["serial_ns"] < 1e6) << row;
  }
  EXPECT_EQ(ours(found["rows"]), 3U * 3U) << "default and static natively, static through OpenMP";
}

}  // namespace
