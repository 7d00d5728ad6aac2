// A quick run: the answers are right, or the status is not 0; the numbers can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchCowsCompiled, EverySettingRuns) {
  const json found = output_of("--size=small --rounds=2");
  EXPECT_EQ(found["schema"], "doall-bench-cows-compiled/1");
  EXPECT_EQ(found["programs"].size(), 15);
  for (const json& program : found["programs"]) {
    EXPECT_EQ(program["settings"].size(), 6) << program;
    for (const json& setting : program["settings"]) EXPECT_GT(setting["median_ns"], 0) << setting;
  }
  EXPECT_EQ(found["means"].size(), 5);
}

}  // namespace
