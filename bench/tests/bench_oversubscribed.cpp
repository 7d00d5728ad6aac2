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

TEST(BenchOversubscribed, OneRound) {
  const std::string file = testing::TempDir() + "bench_oversubscribed.json";
  const std::string command =
      std::string(DOALL_BENCH_OVERSUBSCRIBED) + " --rounds=1 --json=" + file;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;

  std::ifstream in(file);
  const json found = json::parse(in);
  EXPECT_EQ(found["schema"], "doall-bench-oversubscribed/1");
  EXPECT_EQ(found["threads_of_crowd"], 4 * found["threads"].get<unsigned>());
  std::set<std::tuple<std::string, std::string, double>> ours;
  for (const json& row : found["rows"]) {
    EXPECT_GT(row["few_ns"], 0) << row;
    EXPECT_GT(row["crowd_ns"], 0) << row;
    EXPECT_GT(row["ratio"]["median"], 0) << row;
    // Alone or crowded, no loop takes less than its share of T on this machine's CPUs.
    EXPECT_GT(row["crowd_ns"].get<double>() * 1.5,
              row["serial_ns"].get<double>() / found["threads"].get<double>())
        << row;
    if (row["runtime"] != "doall") continue;
    EXPECT_EQ(row["bar"].is_null(), row["door"] == "gomp" && row["serial_ns"] < 1e6) << row;
    ours.emplace(row["door"], row["schedule"], row["serial_ns"]);
  }
  EXPECT_EQ(ours.size(), 3U * 3U) << "default and static natively, static through OpenMP";
}

}  // namespace
