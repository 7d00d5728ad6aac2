// Verdicts of the papers' numbers: those that are exact are exact.
#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchPaper, Afs) {
  const json rows = output_of("afs")["rows"];
  ASSERT_EQ(rows.size(), 30 + 3 * 5 * 6);
  std::size_t counts = 0;
  for (const json& row : rows) {
    EXPECT_EQ(row["paper"], "afs");
    const auto& what = row["what"].get_ref<const std::string&>();
    const auto& verdict = row["verdict"].get_ref<const std::string&>();
    const bool held = verdict == "reproduced";
    if (row["where"] == "Table 2") {
      EXPECT_TRUE(held) << row;
    }
    if (row["kind"] == "count") counts += held ? 1 : 0;
    const bool is_large = what.ends_with("4") || what.ends_with("6") || what.ends_with("8");
    if (is_large && what.find("AFS local") != what.npos) {
      EXPECT_TRUE(held) << row;
    }
    if (is_large && row["where"] == "Table 5" && what.find("AFS remote") != what.npos) {
      EXPECT_TRUE(held) << row;
    }
    EXPECT_TRUE(held || verdict == "same order" || verdict.starts_with("not reproduced: ")) << row;
  }
  EXPECT_EQ(counts, 58) << "of 60";
}

TEST(BenchPaper, OneTable) {
  for (const json& row : output_of("afs --table=4")["rows"]) EXPECT_EQ(row["where"], "Table 4");
  EXPECT_NE(status_of("afs --table=9"), 0);
  EXPECT_NE(status_of("chess"), 0);
  EXPECT_NE(status_of(""), 0);
}

}  // namespace
