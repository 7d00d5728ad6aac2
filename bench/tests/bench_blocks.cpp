// One round: everybody's answers are right, and the numbers can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchBlocks, OneRound) {
  if (std::system("clang-19 --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no clang-19";
  const json found = output_of("--rounds=1 --threads=2");
  EXPECT_EQ(found["schema"], "doall-bench-blocks/1");
  EXPECT_EQ(found["rows"].size(), 6);
  for (const json& row : found["rows"]) expect_times(row);
}

}  // namespace
