// One round: programs are recorded, predicted and measured, and the numbers can be read.
#include <fstream>

#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchPrediction, OneRound) {
  const json found =
      output_of("--rounds=1 --threads=2 --size=small --programs=triangular,advection");
  EXPECT_EQ(found["schema"], "doall-bench-prediction/1");
  EXPECT_NE(found["machine_file"].get<std::string>().find("\"processors\": "), std::string::npos);
  ASSERT_EQ(found["rows"].size(), 2);
  for (const json& row : found["rows"]) {
    EXPECT_GE(row["loops"], 1) << row;
    for (const char* cell : {"static_on_one", "static_on_all", "named_on_all"}) {
      EXPECT_GT(row[cell]["predicted_ns"], 0) << row;
      EXPECT_GT(row[cell]["measured_ns"], 0) << row;
    }
  }
  EXPECT_EQ(found["rows"][1]["program"], "advection");
  EXPECT_EQ(found["verdicts"].size(), 2);
}

// A machine without prices, whose queues cost nothing: the even half of a triangle is named.
TEST(BenchPrediction, GoesByTheMachine) {
  const std::string file = temporary("machine.json");
  std::ofstream(file) << R"({"processors": 2})";
  const json found = output_of(
      "--rounds=1 --threads=2 --size=small --programs=triangular "
      "--machine=" +
      file);
  const json& row = found["rows"][0];
  EXPECT_NE(row["named"], "static") << row;
  EXPECT_GT(row["static_on_all"]["predicted_ns"],
            row["named_on_all"]["predicted_ns"].get<double>());
}

TEST(BenchPrediction, RefusesWhatIsNotThere) { EXPECT_NE(status_of("--programs=chess"), 0); }

}  // namespace
