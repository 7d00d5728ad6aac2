// A quick run of each part: the answers are right, or the status is not 0; the numbers can be read.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace {

using nlohmann::json;

json output_of(const std::string& options, const std::string& file_name) {
  const std::string file = testing::TempDir() + file_name;
  const std::string command =
      std::string(DOALL_BENCH_COWS) + " --size=small " + options + " --json=" + file;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(file);
  return json::parse(in);
}

TEST(BenchCows, VirtualTime) {
  const json found = output_of("--virtual --workers=4,9 --seeds=3", "bench_cows_virtual.json");
  EXPECT_EQ(found["schema"], "doall-bench-cows-virtual/1");
  EXPECT_EQ(found["programs"].size(), 15);
  for (const json& program : found["programs"]) {
    const auto& name = program["program"].get_ref<const std::string&>();
    EXPECT_EQ(program["vertices"], 512) << name;
    EXPECT_EQ(program["costed"], name.find("bfs") == std::string::npos) << name;
    ASSERT_EQ(program["rows"].size(), 14) << name;
    for (const json& row : program["rows"]) {
      EXPECT_GT(row["makespan"], 0) << row;
      EXPECT_GE(row["imbalance"], 1) << row;
      EXPECT_GE(row["steals_tried"], row["steals"]) << row;
      if (row["schedule"] == "wsrw") {
        EXPECT_EQ(row["over_wsrw"], 1) << row;
      }
    }
  }
  EXPECT_EQ(found["demands"].size(), 6);
}

// It repeats.
TEST(BenchCows, VirtualTimeIsAFunctionOfItsSeeds) {
  const std::string options = "--virtual --workers=8 --seeds=2 --programs=pagerank,bfs";
  const json once = output_of(options, "bench_cows_once.json");
  EXPECT_EQ(output_of(options, "bench_cows_again.json")["programs"], once["programs"]);
}

TEST(BenchCows, OneRoundOnThreads) {
  const json found = output_of("--rounds=1 --orders=given", "bench_cows_threads.json");
  EXPECT_EQ(found["schema"], "doall-bench-cows/1");
  EXPECT_EQ(found["programs"].size(), 5);
  for (const json& program : found["programs"]) {
    std::set<std::string> native;
    for (const json& row : program["rows"]) {
      EXPECT_GT(row["median_ns"], 0) << row;
      if (row["door"] == "native") native.insert(row["schedule"].get<std::string>());
    }
    EXPECT_EQ(native.size(), 7) << program["program"];
  }
}

}  // namespace
