// One quick round of everything: the loops' results are right, or the status is not 0; and
// the numbers can be read.
#include <unistd.h>

#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchNoisy, OneRound) {
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) GTEST_SKIP() << "one CPU cannot be shared in part";
  const json found = output_of("--rounds=1");
  EXPECT_EQ(found["schema"], "doall-bench-noisy/1");
  EXPECT_EQ(found["pinned"], false);
  ASSERT_EQ(found["serial"].size(), 2);
  for (const json& serial : found["serial"]) {
    // Calibrated before there was noise; beside it no loop is quicker, and one that other
    // programs' noise catches too takes a few times as long.
    EXPECT_GT(serial["mean_ns"].get<double>(), 0.5 * serial["serial_ns"].get<double>()) << serial;
  }
  for (const json& row : found["rows"]) {
    EXPECT_GT(row["mean_to_serial"]["median"], 0) << row;
    EXPECT_GE(row["p99_ns"].get<double>(), 0.5 * row["mean_ns"].get<double>()) << row;
    if (row["runtime"] != "doall") continue;
    const bool is_native = row["door"] == "native";
    EXPECT_EQ(row["mean_bar"].is_null(), !is_native) << row;
    EXPECT_EQ(row["p99_bar"].is_null(), !is_native || row["serial_ns"] > 1e6) << row;
  }
  EXPECT_EQ(ours(found["rows"]), 3U * 2U) << "default and static natively, static through OpenMP";
}

}  // namespace
