// One quick round of everything: the answers are right, or the status is not 0; the
// numbers can be read.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

void expect_fine_loops(const json& row) {
  const json& fine = row["fine"];
  EXPECT_GT(fine["loops"], 0) << row;
  EXPECT_LE(fine["short_loops"], fine["loops"]) << row;
  EXPECT_LE(fine["least_ns"], fine["most_ns"]) << row;
}

TEST(BenchPrograms, OneRound) {
  const json found = output_of("--size=small --rounds=1");

  EXPECT_EQ(found["schema"], "doall-bench-programs/1");
  std::size_t graph_programs = 0;
  for (const json& program : found["programs"]) {
    const auto& name = program["program"].get_ref<const std::string&>();
    EXPECT_GT(program["serial_ns"], 0) << name;
    EXPECT_TRUE(has_row(program, "native", "default")) << name;
    const bool reduces = name.starts_with("linear-regression") || name.starts_with("histogram");
    EXPECT_EQ(has_row(program, "native", "default/any"), reduces) << name;
    for (const json& row : program["rows"]) {
      expect_times(row);
      if (!row["fine"].is_null()) expect_fine_loops(row);
    }
    graph_programs += program["rows"].front()["fine"].is_null() ? 0 : 1;
  }
  EXPECT_EQ(found["programs"].size(), 12);
  EXPECT_EQ(graph_programs, 4);
}

TEST(BenchPrograms, RefusesWhatIsNotThere) {
  EXPECT_NE(status_of("--graph=/nowhere/graph.gr"), 0);
  EXPECT_NE(status_of("--programs=chess"), 0);
}

}  // namespace
