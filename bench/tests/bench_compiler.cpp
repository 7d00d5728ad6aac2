// One round where the plugin is built: answers are right, and iterations that cost what the
// compiler says are balanced.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchCompiler, OneRound) {
  const json found = output_of("--rounds=1 --threads=2");
  EXPECT_EQ(found["schema"], "doall-bench-compiler/1");
  EXPECT_EQ(found["irregular"].size(), 9);
  EXPECT_EQ(found["regular"].size(), 48);
  EXPECT_EQ(found["compiling"].size(), 10);
  for (const char* rows : {"irregular", "regular", "compiling"}) {
    for (const json& row : found[rows]) expect_times(row);
  }
  for (const auto& limit : found["limits"]) EXPECT_GT(limit, 1.7) << found["limits"];
  EXPECT_EQ(found["dealt"].size(), 45);
  for (const json& row : found["dealt"]) {
    if (row["schedule"] == "static")
      EXPECT_GT(row["imbalance"], 5) << row;
    else
      EXPECT_LE(row["imbalance"], 1.05) << row;
  }
}

}  // namespace
