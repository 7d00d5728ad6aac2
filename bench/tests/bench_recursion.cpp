// One quick round of everything: the answers are right, or the status is not 0; the numbers can
// be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

// Of doall, with all workers and with one.
std::ptrdiff_t rows(const json& program, const std::string& form) {
  return count_of(program["rows"], {{"runtime", "doall"}, {"form", form}});
}

TEST(BenchRecursion, OneRound) {
  const json found = output_of("--quick");
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
  EXPECT_TRUE(names(found["verdicts"], "all workers over serial"));
  EXPECT_TRUE(names(found["verdicts"], "a group's task, ns"));
  EXPECT_TRUE(names(found["verdicts"], "deep chain of loops, serial's stack over ours"));
  // One round has no interval.
  for (const json& v : found["verdicts"]) EXPECT_TRUE(v["held"].is_null()) << v;
}

// From six rounds on what is asked is judged; of small inputs for nothing but the table.
TEST(BenchRecursion, Judges) {
  const json found = output_of("--quick --rounds=6 --runtimes=doall --programs=fib,tree-1us,deep");
  EXPECT_EQ(found["programs"].size(), 2);
  EXPECT_EQ(found["chains"].size(), 2 + 2 * 3);
  EXPECT_FALSE(names(found["verdicts"], "fib, TBB's time over ours, all workers"));
  for (const char* of : {"fib, all workers over one", "serial over one worker, bodies over 100 ns"})
    EXPECT_EQ(names(found["verdicts"], of), found["threads"] != 1 || of[0] == 's') << of;
  for (const json& v : found["verdicts"]) EXPECT_TRUE(v["held"].is_boolean()) << v;
}

TEST(BenchRecursion, RefusesWhatIsNotThere) { EXPECT_NE(status_of("--programs=chess"), 0); }

}  // namespace
