// One quick round of everything: the answers are right, or the status is not 0; the
// numbers can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchLbs, OneRound) {
  const json found = output_of("--size=small --rounds=1");

  EXPECT_EQ(found["schema"], "doall-bench-lbs/1");
  EXPECT_EQ(found["programs"].size(), 8);
  for (const json& program : found["programs"]) {
    const auto& name = program["program"].get_ref<const std::string&>();
    EXPECT_GT(program["serial_ns"], 0) << name;
    for (const char* schedule :
         {"lbs", "lbs-innermost", "lbs+", "sws", "serial-inner", "ebs-auto", "ebs-simple,16"})
      EXPECT_TRUE(has_row(program, "native", schedule)) << name << ' ' << schedule;
    EXPECT_TRUE(has_row(program, "one-worker", "lbs")) << name;
    for (const json& row : program["rows"]) {
      expect_times(row);
      const bool subject =
          row["runtime"] == "doall" && row["door"] == "native" && row["schedule"] == "lbs";
      EXPECT_EQ(row["subject_over"].is_null(), subject) << row;
      EXPECT_EQ(row["threads"] == 1, row["door"] == "one-worker" || found["threads"] == 1) << row;
    }
  }
  ASSERT_EQ(found["side_programs"].size(), 1);
  EXPECT_EQ(found["side_programs"][0]["rows"].size(), 3);
  for (const char* of : {"lbs over doall native ebs-simple", "serial over one worker",
                         "an inner loop, nobody idle, ns"})
    EXPECT_TRUE(names(found["verdicts"], of)) << of;
  // One round has no interval.
  for (const json& v : found["verdicts"]) EXPECT_TRUE(v["held"].is_null()) << v;
}

TEST(BenchLbs, SearchesTheBestThreshold) {
  const json found = output_of("--size=small --rounds=7 --runtimes=doall --programs=matmult,spmv");
  double product = 1;
  for (const json& program : found["programs"]) {
    const json* best = nullptr;
    for (const json& row : program["rows"]) {
      if (!row["schedule"].get_ref<const std::string&>().starts_with("ebs-simple,")) continue;
      if (row["door"] != "native") continue;
      // 7 rounds are enough for an interval, and so for a verdict.
      EXPECT_TRUE(row["bar"]["held"].is_boolean()) << row;
      const auto median_of = [](const json& r) {
        std::vector<double> rounds = r["rounds_ns"];
        std::ranges::sort(rounds);
        return rounds[rounds.size() / 2];
      };
      if (best == nullptr || median_of(row) < median_of(*best)) best = &row;
    }
    ASSERT_NE(best, nullptr);
    const json& searched = program["searched"][0];
    EXPECT_EQ(searched["tried"].size(), 5);
    EXPECT_EQ("ebs-simple," + searched["fastest"].get<std::string>(), (*best)["schedule"]);
    product *= (*best)["subject_over"]["median"].get<double>();
  }
  const auto mean = std::ranges::find(found["means"], "doall native ebs-simple",
                                      [](const json& row) { return row["of"]; });
  ASSERT_NE(mean, found["means"].end());
  const double over = (*mean)["subject_over"];
  EXPECT_NEAR(over * over, product, 1e-6);
  EXPECT_TRUE(found["side_programs"].empty());
  for (const json& v : found["verdicts"]) EXPECT_TRUE(v["held"].is_boolean()) << v;
}

// --minutes is too short for more than the fewest rounds.
TEST(BenchLbs, JudgesInSpiteOfAShortTime) {
  const json found =
      output_of("--size=small --minutes=0.1 --runtimes=doall --programs=inner-loops");
  EXPECT_TRUE(found["programs"].empty());
  ASSERT_EQ(found["side_programs"].size(), 1);
  EXPECT_GE(found["side_programs"][0]["rounds"], 6);
  EXPECT_TRUE(names(found["verdicts"], "an inner loop, nobody idle, ns"));
  EXPECT_TRUE(found["verdicts"][0]["held"].is_boolean());
}

TEST(BenchLbs, RefusesWhatIsNotThere) { EXPECT_NE(status_of("--programs=chess"), 0); }

}  // namespace
