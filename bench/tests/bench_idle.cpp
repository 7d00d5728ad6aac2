// One quick round of everything: the loops' results are right, or the status is not 0; and
// the numbers can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

void expect_gaps(const json& row, double threads) {
  EXPECT_GT(row["median_ns"], 0) << row;
  ASSERT_EQ(row["gaps"].size(), 3) << row;
  for (const json& gap : row["gaps"]) {
    EXPECT_GT(gap["gap_ns"], 0) << row;
    EXPECT_GT(gap["ratio"]["median"], 0) << row;
    EXPECT_GE(gap["busy_cpus"], 0) << row;
    // Workers alone are counted; the rest is for the time that reading their clocks takes.
    EXPECT_LT(gap["busy_cpus"].get<double>(), threads - 1 + 0.5) << row;
  }
}

TEST(BenchIdle, OneRound) {
  const json found = output_of("--rounds=1");
  EXPECT_EQ(found["schema"], "doall-bench-idle/1");
  const auto threads = found["threads"].get<double>();
  std::set<std::string> doors;
  for (const json& row : found["rests"]) {
    EXPECT_GT(row["cpu_ns"], 0) << row;
    EXPECT_LT(row["cpu_ns"].get<double>(), 1.1 * threads * found["rest_ns"].get<double>()) << row;
    EXPECT_EQ(row["bar_ns"].is_null(), row["runtime"] != "doall") << row;
    if (row["runtime"] == "doall") doors.emplace(row["door"]);
  }
  EXPECT_EQ(doors, (std::set<std::string>{"gomp", "native"}));

  for (const json& row : found["rows"]) expect_gaps(row, threads);
  if (!found["kernel"].is_null()) {
    ASSERT_EQ(found["kernel"].size(), 3);
    for (const json& gap : found["kernel"]) {
      EXPECT_GT(gap["call_ns"], 0) << gap;
      EXPECT_GE(gap["awake_ns"], 0) << gap;
      EXPECT_GE(gap["least_ratio_100us"], 1) << gap;
    }
  }
  EXPECT_EQ(ours(found["rows"]), 3U * 2U) << "default and static natively, static through OpenMP";
}

}  // namespace
