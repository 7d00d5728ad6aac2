// One quick round of everything: the answers are right, or the status is not 0; the
// numbers and the picture can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

void expect_numbers(const json& row) {
  EXPECT_GT(row["geomean"], 0) << row;
  EXPECT_GE(row["worst"], row["geomean"]) << row;
  EXPECT_TRUE(row["d_ns"].is_number() || row["d_ns"].is_null()) << row;
  for (const char* t : {"t5_ns", "t50_ns", "t95_ns"}) EXPECT_GT(row[t], 0) << t << ' ' << row;
  ASSERT_EQ(row["points"].size(), 21) << row;
  for (const json& point : row["points"]) {
    EXPECT_GT(point["t_ns"], 0) << row;
    EXPECT_GT(point["median_ns"], 0) << row;
    EXPECT_LE(point["to_envelope"], row["worst"]) << row;
  }
  // Calibrated to 10 ms, as well as a machine lets that does something else beside.
  EXPECT_GT(row["points"].back()["t_ns"], 2e6) << row;
}

TEST(BenchEnvelope, OneRound) {
  const json found = output_of("--rounds=1 --svg=" + temporary(".svg"));
  EXPECT_EQ(found["schema"], "doall-bench-envelope/1");
  const json& rows = found["rows"];
  for (const json& row : rows) expect_numbers(row);
  for (const char* schedule : {"default", "static"}) {
    for (const char* site : {"own", "shuffled", "swinging"}) {
      EXPECT_EQ(
          count_of(
              rows,
              {{"runtime", "doall"}, {"door", "native"}, {"schedule", schedule}, {"site", site}}),
          1)
          << schedule << ' ' << site;
    }
  }

  // A curve a row, and the bound in each of the three panels.
  const std::string svg = text_of(temporary(".svg"));
  expect_picture(svg);
  std::size_t curves = 0;
  for (auto at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1))
    ++curves;
  EXPECT_EQ(curves, rows.size() + 3);
}

}  // namespace
