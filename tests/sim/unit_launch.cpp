// A team's release and join in virtual time: messages along the shipped tree, by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/launch.hpp"

namespace doall::sim {
namespace {

TEST(Launch, OneMessageEachWay) {
  for (const bool flat : {false, true}) {
    launch team(48, 12, {.near = 1, .far = 10}, flat);
    team.begins();
    EXPECT_EQ(team.messages(), 47U);
    team.joined(std::vector<double>(48));
    EXPECT_EQ(team.messages(), 94U);
  }
}

TEST(Launch, FollowsTheTree) {
  // 0 leads 4, the other domain's first; 0 leads 2 and 1, and 2 leads 3.
  launch team(8, 4, {.near = 1, .far = 10});
  EXPECT_EQ(team.begins(), (std::vector<double>{0, 1, 1, 2, 10, 11, 11, 12}));
  EXPECT_EQ(team.joined(std::vector<double>(8)), 12);
  std::vector<double> late(8);
  late[7] = 100;
  EXPECT_EQ(team.joined(late), 112);
}

TEST(Launch, ALineTakesTimeOfWhoWritesIt) {
  launch team(4, 4, {.near = 10, .line = 1}, true);
  EXPECT_EQ(team.begins(), (std::vector<double>{3, 13, 12, 11}));
  EXPECT_EQ(team.joined(std::vector<double>(4)), 12);
}

TEST(Launch, WithoutPricesNobodyWaits) {
  launch team(5, 5, {});
  EXPECT_EQ(team.begins(), std::vector<double>(5));
  EXPECT_EQ(team.joined({1, 2, 3, 9, 4}), 9);
  launch alone(1, 1, {.near = 1});
  EXPECT_EQ(alone.joined({7}), 7);
}

}  // namespace
}  // namespace doall::sim
