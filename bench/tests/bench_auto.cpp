// One quick round: everybody's answers are right, and the numbers can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchAuto, OneRoundOfAFewPrograms) {
  const json found = output_of(
      "--size=small --rounds=1 --search-rounds=1 --programs=sor,triangular,balanced-S,queens "
      "--schedules='static;affinity,k=4'");
  EXPECT_EQ(found["schema"], "doall-bench-auto/1");
  ASSERT_EQ(found["programs"].size(), 4);
  for (const json& program : found["programs"]) {
    EXPECT_GT(program["serial_ns"], 0) << program;
    EXPECT_EQ(program["search_ns"].size(), 3) << program;
    EXPECT_EQ(program["rivals"].front()["name"], "doall auto") << program;
    for (const json& rival : program["rivals"]) {
      EXPECT_EQ(rival["first_ns"].size(), 1) << rival;
      EXPECT_GT(rival["tenth_ns"].front(), 0) << rival;
    }
  }
  EXPECT_EQ(found["schedules"].size(), 2);
  EXPECT_TRUE(names(found["verdicts"], "tenth call over the best schedule's, mean"));
  EXPECT_TRUE(names(found["verdicts"], "first call over the best schedule's"));
}

TEST(BenchAuto, RefusesWhatIsNotThere) {
  EXPECT_NE(status_of("--programs=chess"), 0);
  EXPECT_NE(status_of("--schedules=chess"), 0);
}

}  // namespace
