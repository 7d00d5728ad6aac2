// Which of several predicted times is the best schedule's.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/workload.hpp"

namespace doall::sim {
namespace {

std::string best(const std::vector<std::pair<std::string, double>>& all) {
  std::vector<alternative> some;
  for (const auto& [text, time] : all) some.push_back({schedules::parse(text).value, time});
  return all[best_of(some)].first;
}

TEST(BestOf, TakesTheLeastTime) {
  EXPECT_EQ(best({{"static", 130}, {"dynamic", 100}}), "dynamic");
  EXPECT_EQ(best({{"static", 0}, {"dynamic", 0}}), "static");
}

TEST(BestOf, OfThoseThatAreAlikeKeepsIterationsWithTheirWorkers) {
  EXPECT_EQ(best({{"dynamic", 100}, {"affinity", 101.9}}), "affinity");
  EXPECT_EQ(best({{"dynamic", 100}, {"affinity", 102.1}}), "dynamic");
}

}  // namespace
}  // namespace doall::sim
