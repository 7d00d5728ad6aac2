// Runs an experiment, `doall-bench NAME`, as the test that includes this is named, and reads what
// it writes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace doall::bench::tests {

using nlohmann::json;

inline std::string temporary(const std::string& suffix) {
  return testing::TempDir() + "bench_" DOALL_BENCH_NAME + suffix;
}

inline std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline int status_of(const std::string& options) {
  return std::system((std::string(DOALL_BENCH_PROGRAM " " DOALL_BENCH_NAME " ") + options).c_str());
}

// The status is 0: all answers are right.
inline json output_of(const std::string& options) {
  const std::string file = temporary(".json");
  EXPECT_EQ(status_of(options + " --json=" + file), 0) << options;
  return json::parse(text_of(file));
}

// How many rows have all of these values.
using fields = std::initializer_list<std::pair<const char*, json>>;
inline std::ptrdiff_t count_of(const json& rows, fields wanted) {
  return std::ranges::count_if(rows, [&](const json& row) {
    return std::ranges::all_of(wanted, [&](const auto& f) { return row[f.first] == f.second; });
  });
}

inline bool has_row(const json& program, const std::string& door, const std::string& schedule) {
  return count_of(program["rows"], {{"runtime", "doall"}, {"door", door}, {"schedule", schedule}}) >
         0;
}

// A verdict or a mean of that name.
inline bool names(const json& rows, const std::string& of) {
  return count_of(rows, {{"of", of}}) > 0;
}

inline void expect_times(const json& row) {
  EXPECT_GT(row["median_ns"], 0) << row;
  EXPECT_LE(row["p5_ns"], row["p95_ns"]) << row;
  EXPECT_FALSE(row["rounds_ns"].empty()) << row;
}

// Of our rows on a shared machine: doors, schedules and lengths.
inline std::size_t ours(const json& rows) {
  std::set<std::tuple<std::string, std::string, double>> found;
  for (const json& row : rows) {
    if (row["runtime"] == "doall") found.emplace(row["door"], row["schedule"], row["serial_ns"]);
  }
  return found.size();
}

// It can be read, and all of its numbers are.
inline void expect_picture(const std::string& svg) {
  ASSERT_GT(svg.size(), 12U);
  EXPECT_EQ(svg.substr(0, 5), "<svg ");
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace doall::bench::tests
