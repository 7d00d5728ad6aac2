// One quick round of everything: the answers are right, or the status is not 0;
// every schedule of the registry took part; the numbers can be read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "schedule/registry.hpp"

namespace {

using nlohmann::json;

json run(const std::string& arguments) {
  const std::string file = testing::TempDir() + "bench_afs.json";
  const std::string command =
      std::string(DOALL_BENCH_AFS) + " --size=small --rounds=1 " + arguments + " --json=" + file;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(file);
  return json::parse(in);
}

bool takes_part(const json& rows, std::string_view schedule) {
  return std::ranges::any_of(rows, [&](const json& row) {
    const auto& text = row["schedule"].get_ref<const std::string&>();
    return row["runtime"] == "doall" && text.substr(0, text.find(',')) == schedule;
  });
}

void expect_numbers(const json& row) {
  EXPECT_GT(row["median_ns"], 0) << row;
  EXPECT_LE(row["p5_ns"], row["p95_ns"]) << row;
  EXPECT_FALSE(row["rounds_ns"].empty()) << row;
  EXPECT_GE(row["stayed_part"], 0) << row;
  EXPECT_LE(row["stayed_part"], 1) << row;
}

TEST(BenchAfs, EverySchedule) {
  const json found = run("");
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
  const json found = run("--late");
  EXPECT_TRUE(found["programs"].empty());
  EXPECT_EQ(found["late"].size(), 6);
  for (const json& row : found["late"]) {
    EXPECT_GT(row["bound_ns"], 0) << row["program"];
    EXPECT_FALSE(row["rows"].empty()) << row["program"];
    for (const json& one : row["rows"]) expect_numbers(one);
  }
}

}  // namespace
