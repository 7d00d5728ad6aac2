// A quick run of each part: the answers are right, or the status is not 0; the numbers can be read.
#include <filesystem>
#include <map>

#include "bench_run.hpp"

namespace {

using namespace doall::bench::tests;

TEST(BenchCows, VirtualTime) {
  const json found = output_of("--size=small --virtual --workers=4,9 --seeds=3");
  EXPECT_EQ(found["schema"], "doall-bench-cows-virtual/1");
  EXPECT_EQ(found["programs"].size(), 15);
  for (const json& program : found["programs"]) {
    const auto& name = program["program"].get_ref<const std::string&>();
    EXPECT_EQ(program["vertices"], 512) << name;
    EXPECT_EQ(program["costed"], name.find("bfs") == std::string::npos) << name;
    ASSERT_EQ(program["rows"].size(), 16) << name;
    for (const json& row : program["rows"]) {
      EXPECT_GT(row["makespan"], 0) << row;
      EXPECT_GE(row["imbalance"], 1) << row;
      EXPECT_GE(row["steals_tried"], row["steals"]) << row;
      if (row["schedule"] == "wsrw") {
        EXPECT_EQ(row["over_wsrw"], 1) << row;
      }
    }
  }
  EXPECT_EQ(found["demands"].size(), 5);
  // Each can be missed.
  for (const json& demand : found["demands"]) EXPECT_LT(demand["worst"], 2) << demand;
  for (const json& mean : found["means"]) {
    EXPECT_GT(mean["cyclic_over"]["wsrw,assign=cyclic"], 0) << mean;
  }
}

// It repeats.
TEST(BenchCows, VirtualTimeIsAFunctionOfItsSeeds) {
  const std::string options =
      "--size=small --virtual --workers=8 --seeds=2 --programs=pagerank,bfs";
  const json once = output_of(options);
  EXPECT_EQ(output_of(options)["programs"], once["programs"]);
}

// Schedules of one door, by runtime and door.
std::map<std::string, std::set<std::string>> schedules_of(const json& program) {
  std::map<std::string, std::set<std::string>> found;
  for (const json& row : program["rows"]) {
    const std::string runtime = row["runtime"];
    found[runtime + " " + row["door"].get<std::string>()].insert(row["schedule"]);
  }
  return found;
}

TEST(BenchCows, OneRoundOnThreads) {
  const std::string errors = temporary("_errors.txt");
  const std::string picture = temporary(".svg");
  const json found =
      output_of("--size=small --rounds=1 --orders=given --svg=" + picture + " 2>" + errors);
  EXPECT_EQ(found["schema"], "doall-bench-cows/1");
  EXPECT_EQ(found["programs"].size(), 5);
  for (const json& program : found["programs"]) {
    for (const json& row : program["rows"]) {
      EXPECT_GT(row["median_ns"], 0) << row;
      EXPECT_GT(row["over_dynamic"]["median"], 0) << row;
      if (row["door"] == "native" && row["schedule"] == "dynamic") {
        EXPECT_EQ(row["over_dynamic"]["median"], 1) << row;
      }
    }
    const auto schedules = schedules_of(program);
    const std::set<std::string> all{"dynamic", "static", "cyclic", "guided",
                                    "wsr",     "wsri",   "wsrw",   "wsrw,assign=cyclic"};
    EXPECT_EQ(schedules.at("doall native"), all) << program["program"];
    // GCC may not be there.
    if (schedules.contains("doall gomp")) {
      EXPECT_EQ(schedules.at("doall gomp"), all) << program["program"];
    }
  }
  const json& prices = found["prices"];
  EXPECT_FALSE(prices["optimisations"].empty());
  EXPECT_FALSE(prices["watched"].empty());
  EXPECT_FALSE(prices["costs"].empty());
  EXPECT_FALSE(prices["reservations"].empty());
  // A program in C whose costs did not come would run as wsri, and doall would say so.
  EXPECT_EQ(text_of(errors).find("wsri"), std::string::npos) << text_of(errors);
  if (names(found["means"], "libgomp gomp static")) {
    EXPECT_TRUE(names(found["means"], "libgomp gomp static,1"));
    EXPECT_TRUE(names(found["verdicts"], "wsrw over libgomp gomp static,1"));
    EXPECT_TRUE(names(found["verdicts"], "wsrw over libgomp gomp guided, geometric mean"));
  }
  EXPECT_TRUE(names(found["verdicts"], "wsrw over the best of the others"));
  // The paper's, which is not searched for as a setting of ours.
  EXPECT_TRUE(names(found["means"], "doall native wsrw,assign=cyclic"));
  for (const json& mean : found["means"]) EXPECT_GT(mean["over_dynamic"], 0) << mean;

  const std::string svg = text_of(picture);
  expect_picture(svg);
  for (const char* drawn :
       {"k-committee", "leader-election", "bfs", "pagerank", "components", "wsrw, kronecker-9: "}) {
    EXPECT_NE(svg.find(drawn), std::string::npos) << drawn;
  }
}

// --minutes is too short for more than the fewest rounds, which are enough for an interval.
TEST(BenchCows, JudgesInSpiteOfAShortTime) {
  const json found = output_of(
      "--size=small --minutes=0.1 --programs=pagerank --orders=given,by-degree --runtimes=doall");
  EXPECT_EQ(found["programs"].size(), 2);
  for (const json& program : found["programs"]) {
    EXPECT_GE(program["rounds"], 6);
    EXPECT_LE(program["rounds"], 20);
    for (const json& row : program["rows"]) {
      EXPECT_LE(row["over_dynamic"]["low"], row["over_dynamic"]["high"]) << row;
    }
  }
  for (const json& verdict : found["verdicts"])
    EXPECT_TRUE(verdict["held"].is_boolean()) << verdict;
}

// libgomp's dynamic stands in for ours.
TEST(BenchCows, PeersAlone) {
  const auto lane = beside_driver("lane-cows-openmp-gcc");
  if (!std::filesystem::exists(lane)) GTEST_SKIP() << "there was no GCC to build " << lane;
  const json found =
      output_of("--size=small --rounds=1 --programs=pagerank --orders=given --runtimes=libgomp");
  for (const json& row : found["programs"][0]["rows"]) {
    EXPECT_GT(row["over_dynamic"]["median"], 0) << row;
    EXPECT_TRUE(row["subject_over"].is_null()) << row;
  }
}

TEST(BenchCows, RefusesAPictureOfVirtualTime) {
  EXPECT_NE(status_of("--size=small --virtual --seeds=1 --svg=" + temporary("_none.svg")), 0);
}

}  // namespace
