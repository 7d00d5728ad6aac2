// One quick round of everything: the answers are right, or the status is not 0; the numbers can
// be read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using nlohmann::json;

json run(const std::string& arguments) {
  const std::string file = testing::TempDir() + "bench_recursion.json";
  const std::string command =
      std::string(DOALL_BENCH_RECURSION) + ' ' + arguments + " --json=" + file;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(file);
  return json::parse(in);
}

// Of doall, with all workers and with one.
std::ptrdiff_t rows(const json& program, const std::string& form) {
  return std::ranges::count_if(program["rows"], [&](const json& row) {
    return row["runtime"] == "doall" && row["form"] == form;
  });
}

bool has_verdict(const json& found, const std::string& of) {
  return std::ranges::any_of(found["verdicts"], [&](const json& v) { return v["of"] == of; });
}

TEST(BenchRecursion, OneRound) {
  const json found = run("--quick");
  EXPECT_EQ(found["schema"], "doall-bench-recursion/1");
  EXPECT_EQ(found["programs"].size(), 11);
  for (const json& program : found["programs"]) {
    const auto& name = program["program"].get_ref<const std::string&>();
    const bool is_pairs = name == "fib" || name == "quicksort" || name == "mergesort";
    EXPECT_GT(program["serial_ns"], 0) << name;
    EXPECT_EQ(rows(program, is_pairs ? "invoke" : "for"), 2) << name;
    EXPECT_EQ(rows(program, "group"), is_pairs || name == "queens" ? 2 : 0) << name;
    for (const json& row : program["rows"]) {
      EXPECT_GT(row["median_ns"], 0) << row;
      EXPECT_EQ(row["rounds_ns"].size(), 1) << row;
    }
  }
  // Serial pairs and loops; three forms of ours on all workers and on one.
  EXPECT_GE(found["chains"].size(), 2 + 2 * 3);
  for (const json& chain : found["chains"]) {
    if (chain["runtime"] != "" && chain["runtime"] != "doall") continue;
    EXPECT_EQ(chain["lengths"].size(), 2) << chain;
    EXPECT_EQ(chain["given_up"], "") << chain;
  }
  EXPECT_GT(found["chains"][0]["bytes_a_level"], 0);
  EXPECT_TRUE(has_verdict(found, "all workers over serial"));
  EXPECT_TRUE(has_verdict(found, "a group's task, ns"));
  EXPECT_TRUE(has_verdict(found, "deep chain of loops, serial's stack over ours"));
  // One round has no interval.
  for (const json& v : found["verdicts"]) EXPECT_TRUE(v["held"].is_null()) << v;
}

// From six rounds on what is asked is judged; of small inputs for nothing but the table.
TEST(BenchRecursion, Judges) {
  const json found = run("--quick --rounds=6 --runtimes=doall --programs=fib,tree-1us,deep");
  EXPECT_EQ(found["programs"].size(), 2);
  EXPECT_EQ(found["chains"].size(), 2 + 2 * 3);
  EXPECT_FALSE(has_verdict(found, "fib, TBB's time over ours, all workers"));
  for (const char* of : {"fib, all workers over one", "serial over one worker, bodies over 100 ns"})
    EXPECT_EQ(has_verdict(found, of), found["threads"] != 1 || of[0] == 's') << of;
  for (const json& v : found["verdicts"]) EXPECT_TRUE(v["held"].is_boolean()) << v;
}

TEST(BenchRecursion, RefusesWhatIsNotThere) {
  EXPECT_NE(std::system((std::string(DOALL_BENCH_RECURSION) + " --programs=chess").c_str()), 0);
}

}  // namespace
