// A few runs: the answers are right, or the status is not 0; the distributions and the
// picture can be read.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using nlohmann::json;

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_distribution(const json& quantiles) {
  ASSERT_EQ(quantiles.size(), 8);
  EXPECT_EQ(quantiles.back()["part"], 1);
  EXPECT_GT(quantiles.front()["ns"], 0);
  for (std::size_t q = 1; q < quantiles.size(); ++q) {
    EXPECT_GE(quantiles[q]["ns"], quantiles[q - 1]["ns"]) << quantiles;
  }
}

TEST(BenchVariability, SomeRuns) {
  const std::string json_file = testing::TempDir() + "bench_variability.json";
  const std::string svg_file = testing::TempDir() + "bench_variability.svg";
  const std::string command = std::string(DOALL_BENCH_VARIABILITY) +
                              " --size=small --runs=15 --json=" + json_file + " --svg=" + svg_file;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;

  const json found = json::parse(text_of(json_file));
  EXPECT_EQ(found["schema"], "doall-bench-variability/1");
  ASSERT_EQ(found["programs"].size(), 3);
  for (const json& program : found["programs"]) {
    for (const json& row : program["rows"]) {
      EXPECT_EQ(row["runs"], 20) << row;
      expect_distribution(row["total"]);
      EXPECT_EQ(row["fine"].is_null(), program["program"] == "hydro") << row;
      if (!row["fine"].is_null()) expect_distribution(row["fine"]);
    }
  }

  const std::string svg = text_of(svg_file);
  EXPECT_EQ(svg.substr(0, 5), "<svg ");
  EXPECT_NE(svg.find("betweenness, fine loops"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
