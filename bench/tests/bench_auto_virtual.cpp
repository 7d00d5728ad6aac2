// All rows: they are the same everywhere, and the demands are held.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchAutoVirtual, HoldsItsDemands) {
  const json found = output_of("");
  EXPECT_EQ(found["schema"], "doall-bench-auto-virtual/2");
  EXPECT_GE(found["rows"].size(), 30);
  for (const json& row : found["rows"]) EXPECT_GE(row["over_best"], 1) << row;
  for (const json& verdict : found["verdicts"]) EXPECT_EQ(verdict["held"], true) << verdict;
}

}  // namespace
