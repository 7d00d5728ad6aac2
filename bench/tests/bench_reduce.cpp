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

json run(const std::string& arguments) {
  const std::string file = testing::TempDir() + "bench_reduce.json";
  const std::string command = std::string(DOALL_BENCH_REDUCE) + ' ' + arguments + " --json=" + file;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(file);
  return json::parse(in);
}

std::ptrdiff_t count(const json& rows, const std::string& runtime, const std::string& schedule) {
  return std::ranges::count_if(rows, [&](const json& row) {
    return row["runtime"] == runtime && row["schedule"] == schedule;
  });
}

TEST(BenchReduce, OneRound) {
  const json found = run("--rounds=1");
  EXPECT_EQ(found["schema"], "doall-bench-reduce/1");
  EXPECT_EQ(found["prices"].size(), 20);
  // Both reductions at five lengths.
  EXPECT_EQ(count(found["rows"], "doall", "default"), 10);
  EXPECT_EQ(count(found["rows"], "doall", "default/any"), 10);
  EXPECT_EQ(count(found["rows"], "doall", "static/any"), 10);
  for (const json& row : found["rows"]) {
    EXPECT_GT(row["min_ns"], 0) << row;
    EXPECT_LE(row["p5_ns"], row["p95_ns"]) << row;
    EXPECT_EQ(row["rounds_ns"].size(), 1) << row;
    EXPECT_TRUE(row["speed_up"].is_null()) << row;
  }
}

// From six rounds on ratios have intervals.
TEST(BenchReduce, PriceOfRepeatability) {
  const json found = run("--rounds=6 --runtimes=doall");
  for (const json& price : found["prices"]) {
    EXPECT_GT(price["serial_ns"], 0) << price;
    EXPECT_GT(price["fixed_to_any"]["low"], 0) << price;
    EXPECT_LE(price["fixed_to_any"]["low"], price["fixed_to_any"]["high"]) << price;
  }
}

}  // namespace
