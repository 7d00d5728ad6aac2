// A few runs: the answers are right, or the status is not 0; the distributions and the
// picture can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

void expect_distribution(const json& quantiles) {
  ASSERT_EQ(quantiles.size(), 8);
  EXPECT_EQ(quantiles.back()["part"], 1);
  EXPECT_GT(quantiles.front()["ns"], 0);
  for (std::size_t q = 1; q < quantiles.size(); ++q) {
    EXPECT_GE(quantiles[q]["ns"], quantiles[q - 1]["ns"]) << quantiles;
  }
}

TEST(BenchVariability, SomeRuns) {
  const json found = output_of("--size=small --runs=15 --svg=" + temporary(".svg"));
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

  const std::string svg = text_of(temporary(".svg"));
  expect_picture(svg);
  EXPECT_NE(svg.find("betweenness, fine loops"), std::string::npos);
}

}  // namespace
