// One quick round of everything: the loops' results are right, or the status is not 0; and
// the numbers can be read.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>

namespace {

using nlohmann::json;

void expect_gaps(const json& row, double threads) {
  EXPECT_GT(row["median_ns"], 0) << row;
  ASSERT_EQ(row["gaps"].size(), 3) << row;
  for (const json& gap : row["gaps"]) {
    EXPECT_GT(gap["gap_ns"], 0) << row;
    EXPECT_GT(gap["ratio"]["median"], 0) << row;
    EXPECT_GE(gap["busy_cpus"], 0) << row;
    // Workers alone are counted; the rest is for the time that reading their clocks takes.
    EXPECT_LT(gap["busy_cpus"].get<double>(), threads - 1 + 0.5) << row;
  }
}

TEST(BenchIdle, OneRound) {
  const std::string file = testing::TempDir() + "bench_idle.json";
  const std::string command = std::string(DOALL_BENCH_IDLE) + " --rounds=1 --json=" + file;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;

  std::ifstream in(file);
  const json found = json::parse(in);
  EXPECT_EQ(found["schema"], "doall-bench-idle/1");
  const auto threads = found["threads"].get<double>();
  std::set<std::string> doors;
  for (const json& row : found["rests"]) {
    EXPECT_GT(row["cpu_ns"], 0) << row;
    EXPECT_LT(row["cpu_ns"].get<double>(), 1.1 * threads * found["rest_ns"].get<double>()) << row;
    EXPECT_EQ(row["bar_ns"].is_null(), row["runtime"] != "doall") << row;
    if (row["runtime"] == "doall") doors.emplace(row["door"]);
  }
  EXPECT_EQ(doors, (std::set<std::string>{"gomp", "native"}));

  std::set<std::tuple<std::string, std::string, double>> ours;
  for (const json& row : found["rows"]) {
    expect_gaps(row, threads);
    if (row["runtime"] == "doall") ours.emplace(row["door"], row["schedule"], row["serial_ns"]);
  }
  EXPECT_EQ(ours.size(), 3U * 2U) << "default and static natively, static through OpenMP";
}

}  // namespace
