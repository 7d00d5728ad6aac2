// One quick round of everything: the answers are right, or the status is not 0; the
// numbers and the picture can be read.
#include <gtest/gtest.h>

#include <algorithm>
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

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

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
  const std::string json_file = testing::TempDir() + "bench_envelope.json";
  const std::string svg_file = testing::TempDir() + "bench_envelope.svg";
  const std::string command =
      std::string(DOALL_BENCH_ENVELOPE) + " --rounds=1 --json=" + json_file + " --svg=" + svg_file;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;

  const json found = json::parse(text_of(json_file));
  EXPECT_EQ(found["schema"], "doall-bench-envelope/1");
  const json& rows = found["rows"];
  for (const json& row : rows) expect_numbers(row);
  for (const char* schedule : {"default", "static"}) {
    for (const char* site : {"own", "shuffled"}) {
      EXPECT_EQ(std::ranges::count_if(rows,
                                      [&](const json& row) {
                                        return row["runtime"] == "doall" &&
                                               row["door"] == "native" &&
                                               row["schedule"] == schedule && row["site"] == site;
                                      }),
                1)
          << schedule << ' ' << site;
    }
  }

  // A curve a row, and the bound in each of the two panels.
  const std::string svg = text_of(svg_file);
  EXPECT_EQ(svg.substr(0, 5), "<svg ");
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count(svg, "<polyline"), rows.size() + 2);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
