// One quick round of everything: the answers are right, or the status is not 0;
// every schedule of the registry took part; the numbers can be read.
#include "bench_run.hpp"
#include "schedule/registry.hpp"

namespace {

using namespace doall::bench::tests;

bool takes_part(const json& rows, std::string_view schedule) {
  return std::ranges::any_of(rows, [&](const json& row) {
    const auto& text = row["schedule"].get_ref<const std::string&>();
    return row["runtime"] == "doall" && text.substr(0, text.find(',')) == schedule;
  });
}

void expect_numbers(const json& row) {
  expect_times(row);
  EXPECT_GE(row["stayed_part"], 0) << row;
  EXPECT_LE(row["stayed_part"], 1) << row;
}

TEST(BenchAfs, EverySchedule) {
  const json found = output_of("--size=small --rounds=1");
  EXPECT_EQ(found["schema"], "doall-bench-afs/1");
  EXPECT_EQ(found["programs"].size(), 10);
  for (const json& program : found["programs"]) {
    const auto& name = program["program"];
    EXPECT_GT(program["serial_ns"], 0) << name;
    EXPECT_EQ(program["ours"]["runtime"], "doall") << name;
    for (const auto& entry : doall::schedules::registry()) {
      EXPECT_TRUE(takes_part(program["rows"], entry.name)) << name << ' ' << entry.name;
    }
    for (const json& row : program["rows"]) expect_numbers(row);
    for (const json& peer : program["peers"]) {
      expect_numbers(peer);
      EXPECT_LE(peer["ratio_of_ours"]["low"], peer["ratio_of_ours"]["high"]) << peer;
      EXPECT_TRUE(peer["no_slower"].is_boolean()) << peer;
    }
  }
}

TEST(BenchAfs, EveryDelay) {
  const json found = output_of("--size=small --rounds=1 --late");
  EXPECT_TRUE(found["programs"].empty());
  EXPECT_EQ(found["late"].size(), 6);
  for (const json& row : found["late"]) {
    EXPECT_GT(row["bound_ns"], 0) << row["program"];
    EXPECT_FALSE(row["rows"].empty()) << row["program"];
    for (const json& one : row["rows"]) expect_numbers(one);
  }
}

}  // namespace
