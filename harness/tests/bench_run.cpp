#include "bench_run.hpp"

#include <errno.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <tuple>

namespace doall::bench::tests {
namespace {

const std::string prefix = "bench_";

// Of the experiment.
std::string name() {
  auto name = std::string(program_invocation_short_name).substr(prefix.size());
  std::ranges::replace(name, '_', '-');
  return name;
}

}  // namespace

std::string temporary(const std::string& suffix) {
  return testing::TempDir() + prefix + name() + suffix;
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::filesystem::path beside_driver(const std::string& name) {
  return std::filesystem::path(DOALL_BENCH_PROGRAM).replace_filename(name);
}

int status_of(const std::string& options) {
  const int status = std::system((DOALL_BENCH_PROGRAM " " + name() + " " + options).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : status;
}

json output_of(const std::string& options) {
  const std::string file = temporary(".json");
  EXPECT_EQ(status_of(options + " --json=" + file), 0) << options;
  return json::parse(text_of(file));
}

std::ptrdiff_t count_of(const json& rows, fields wanted) {
  return std::ranges::count_if(rows, [&](const json& row) {
    return std::ranges::all_of(wanted, [&](const auto& f) { return row[f.first] == f.second; });
  });
}

bool has_row(const json& program, const std::string& door, const std::string& schedule) {
  return count_of(program["rows"], {{"runtime", "doall"}, {"door", door}, {"schedule", schedule}}) >
         0;
}

bool names(const json& rows, const std::string& of) { return count_of(rows, {{"of", of}}) > 0; }

void expect_times(const json& row) {
  EXPECT_GT(row["median_ns"], 0) << row;
  EXPECT_LE(row["p5_ns"], row["p95_ns"]) << row;
  EXPECT_FALSE(row["rounds_ns"].empty()) << row;
}

std::size_t ours(const json& rows) {
  std::set<std::tuple<std::string, std::string, double>> found;
  for (const json& row : rows) {
    if (row["runtime"] == "doall") found.emplace(row["door"], row["schedule"], row["serial_ns"]);
  }
  return found.size();
}

void expect_picture(const std::string& svg) {
  ASSERT_GT(svg.size(), 12U);
  EXPECT_EQ(svg.substr(0, 5), "<svg ");
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace doall::bench::tests
