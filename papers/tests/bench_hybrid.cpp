// One quick round: the answers are right and NAS's numbers are met, or the status is not 0;
// the numbers can be read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using nlohmann::json;

bool has_row(const json& program, const std::string& door, const std::string& schedule) {
  return std::ranges::any_of(program["rows"], [&](const json& row) {
    return row["runtime"] == "doall" && row["door"] == door && row["schedule"] == schedule;
  });
}

TEST(BenchHybrid, OneRound) {
  const std::string file = testing::TempDir() + "bench_hybrid.json";
  // At this size letters are all the same.
  const std::string command =
      std::string(DOALL_BENCH_HYBRID) +
      " --size=small --rounds=1 --programs=balanced-S,unbalanced-S,nas-cg-S,nas-is-S,nas-mg-S "
      "--json=" +
      file;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(file);
  const json found = json::parse(in);

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
      EXPECT_GT(row["median_ns"], 0) << row;
      EXPECT_LE(row["p5_ns"], row["p95_ns"]) << row;
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
  const std::string file = testing::TempDir() + "bench_hybrid_late.json";
  const std::string command =
      std::string(DOALL_BENCH_HYBRID) + " --size=small --rounds=1 --programs=late --json=" + file;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(file);
  const json found = json::parse(in);
  EXPECT_TRUE(found["programs"].empty());
  EXPECT_EQ(found["side_programs"].size(), 6);
  for (const json& program : found["side_programs"]) {
    EXPECT_TRUE(has_row(program, "gomp", "hybrid")) << program["program"];
    for (const json& row : program["rows"]) EXPECT_GT(row["median_ns"], 0) << row;
  }
}

TEST(BenchHybrid, RefusesWhatIsNotThere) {
  EXPECT_NE(std::system((std::string(DOALL_BENCH_HYBRID) + " --programs=chess").c_str()), 0);
}

}  // namespace
