// One quick round: the answers are right and NAS's numbers are met, or the status is not 0;
// the numbers can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchHybrid, OneRound) {
  // At this size letters are all the same.
  const json found = output_of(
      "--size=small --rounds=1 --programs=balanced-S,unbalanced-S,nas-cg-S,nas-is-S,nas-mg-S");

  EXPECT_EQ(found["schema"], "doall-bench-hybrid/1");
  EXPECT_EQ(found["programs"].size(), 5);
  for (const json& program : found["programs"]) {
    const auto& name = program["program"].get_ref<const std::string&>();
    EXPECT_GT(program["serial_ns"], 0) << name;
    for (const char* schedule :
         {"hybrid", "static", "dynamic,chunk", "guided,chunk", "static-steal,chunk", "affinity"})
      EXPECT_TRUE(has_row(program, "native", schedule)) << name << ' ' << schedule;
    EXPECT_TRUE(has_row(program, "gomp", "hybrid")) << name;
    EXPECT_TRUE(has_row(program, "one-worker", "hybrid")) << name;
    for (const json& row : program["rows"]) {
      expect_times(row);
      const bool asked = row["runtime"] == "doall" && row["door"] != "one-worker";
      EXPECT_EQ(row["stayed_part"].is_number(), asked) << row;
      const bool barred = row["door"] == "native" && row["schedule"] == "static" &&
                          name.find("balanced") != std::string::npos;
      if (barred) {
        EXPECT_TRUE(row["bar"].is_object()) << row;
      }
    }
  }
  EXPECT_FALSE(found["means"].empty());
}

TEST(BenchHybrid, LateWorkers) {
  const json found = output_of("--size=small --rounds=1 --programs=late");
  EXPECT_TRUE(found["programs"].empty());
  EXPECT_EQ(found["side_programs"].size(), 6);
  for (const json& program : found["side_programs"]) {
    EXPECT_TRUE(has_row(program, "gomp", "hybrid")) << program["program"];
    for (const json& row : program["rows"]) EXPECT_GT(row["median_ns"], 0) << row;
  }
}

TEST(BenchHybrid, RefusesWhatIsNotThere) { EXPECT_NE(status_of("--programs=chess"), 0); }

}  // namespace
