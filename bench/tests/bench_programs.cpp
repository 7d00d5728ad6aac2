// One quick round of everything: the answers are right, or the status is not 0; the
// numbers can be read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using nlohmann::json;

const json* row_of(const json& program, const std::string& door, const std::string& schedule) {
  const auto found = std::ranges::find_if(program["rows"], [&](const json& row) {
    return row["runtime"] == "doall" && row["door"] == door && row["schedule"] == schedule;
  });
  return found == program["rows"].end() ? nullptr : &*found;
}

void expect_fine_loops(const json& row) {
  const json& fine = row["fine"];
  EXPECT_GT(fine["loops"], 0) << row;
  EXPECT_LE(fine["short_loops"], fine["loops"]) << row;
  EXPECT_LE(fine["least_ns"], fine["most_ns"]) << row;
}

TEST(BenchPrograms, OneRound) {
  const std::string file = testing::TempDir() + "bench_programs.json";
  const std::string command =
      std::string(DOALL_BENCH_PROGRAMS) + " --size=small --rounds=1 --json=" + file;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(file);
  const json found = json::parse(in);

  EXPECT_EQ(found["schema"], "doall-bench-programs/1");
  std::size_t graph_programs = 0;
  for (const json& program : found["programs"]) {
    const auto& name = program["program"].get_ref<const std::string&>();
    EXPECT_GT(program["serial_ns"], 0) << name;
    EXPECT_NE(row_of(program, "native", "default"), nullptr) << name;
    const bool reduces = name.starts_with("linear-regression") || name.starts_with("histogram");
    EXPECT_EQ(row_of(program, "native", "default/any") != nullptr, reduces) << name;
    for (const json& row : program["rows"]) {
      EXPECT_GT(row["median_ns"], 0) << row;
      EXPECT_LE(row["p5_ns"], row["p95_ns"]) << row;
      if (!row["fine"].is_null()) expect_fine_loops(row);
    }
    graph_programs += program["rows"].front()["fine"].is_null() ? 0 : 1;
  }
  EXPECT_EQ(found["programs"].size(), 12);
  EXPECT_EQ(graph_programs, 4);
}

TEST(BenchPrograms, RefusesWhatIsNotThere) {
  const std::string program = DOALL_BENCH_PROGRAMS;
  EXPECT_NE(std::system((program + " --graph=/nowhere/graph.gr").c_str()), 0);
  EXPECT_NE(std::system((program + " --programs=chess").c_str()), 0);
}

}  // namespace
