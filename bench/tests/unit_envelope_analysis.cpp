#include <gtest/gtest.h>

#include <cmath>

#include "experiments/envelope_analysis.hpp"

namespace doall::bench {
namespace {

constexpr double workers = 4;
constexpr double burden = 500;

// T from 10 ns on, and how long a loop takes whose burden is that; below `gate_ns` it
// runs alone.
std::vector<point> modelled(double gate_ns) {
  std::vector<point> points;
  for (double t = 10; t < 2e7; t *= 2) {
    const double loop_ns = t < gate_ns ? t : burden + t / workers;
    points.push_back({t, {}, t / loop_ns, 0, {}});
  }
  return points;
}

TEST(Envelope, IsTheLesserOfAloneAndShared) {
  EXPECT_DOUBLE_EQ(envelope_ns(10, 2, 400), 40);
  EXPECT_DOUBLE_EQ(envelope_ns(1000, 2, 400), 900);
  EXPECT_DOUBLE_EQ(envelope_ns(740, 2, 400), 770);
  EXPECT_DOUBLE_EQ(envelope_ns(1000, 2, std::nullopt), 1030);
}

TEST(Burden, IsFoundInItsOwnModel) {
  EXPECT_NEAR(burden_ns(modelled(0), workers).value(), burden, 1e-6);
}

TEST(Burden, IsOfLoopsThatAreShared) {
  EXPECT_NEAR(burden_ns(modelled(600), workers).value(), burden, 1e-6);
}

// A tenth more at one T of many moves d, but by less than it would move the largest's.
TEST(Burden, GoesByRelativeError) {
  std::vector<point> points = modelled(0);
  points.back().speed_up /= 1.1;
  EXPECT_NEAR(burden_ns(points, workers).value(), burden, 0.001 * burden);
}

TEST(Burden, IsUnknownWhereNothingGains) { EXPECT_FALSE(burden_ns(modelled(1e9), workers)); }

TEST(Peak, IsReachedBetweenLogarithms) {
  const std::vector<point> points{
      {10, {}, 0.1, 0, {}}, {1000, {}, 1.1, 0, {}}, {2000, {}, 2, 0, {}}};
  EXPECT_DOUBLE_EQ(serial_ns_at(points, 0.3), 100);
  EXPECT_DOUBLE_EQ(serial_ns_at(points, 0.05), 10);
  EXPECT_DOUBLE_EQ(serial_ns_at(points, 0.01), 10);
  EXPECT_DOUBLE_EQ(serial_ns_at(points, 1), 2000);
}

// Two T, three rounds; the machine is half as fast in the second.
TEST(Analyse, ComparesWithinARound) {
  const sweep_rounds serial{{100, 10'000}, {200, 20'000}, {100, 10'000}};
  const sweep_rounds loops{{130, 6'000}, {230, 12'000}, {130, 6'000}};
  const figures f = analyse(loops, serial, {1'000, 2'000, 1'000}, 2);
  ASSERT_EQ(f.points.size(), 2);
  EXPECT_DOUBLE_EQ(f.points[0].to_envelope, 1);
  EXPECT_DOUBLE_EQ(f.points[1].to_envelope, 1);
  EXPECT_DOUBLE_EQ(f.points[1].speed_up, 10.0 / 6);
  EXPECT_DOUBLE_EQ(f.geomean, 1);
  EXPECT_DOUBLE_EQ(f.worst, 1);
  EXPECT_NEAR(f.burden_ns.value(), 1'000, 1e-6);
}

// The medians of either, 20 and 15 us, belong to different rounds.
TEST(Analyse, SpeedUpIsOfPairs) {
  const figures f = analyse({{5'000}, {20'000}, {15'000}}, {{10'000}, {20'000}, {30'000}}, {}, 2);
  EXPECT_DOUBLE_EQ(f.points[0].speed_up, 2);
}

TEST(Analyse, WorstHasItsT) {
  const figures f = analyse({{40, 300}}, {{10, 100}}, {1'000}, 2);
  EXPECT_NEAR(f.worst, 300.0 / 130, 1e-9);
  EXPECT_DOUBLE_EQ(f.worst_at_ns, 100);
  EXPECT_NEAR(f.geomean, std::sqrt(300.0 / 130), 1e-9);
  EXPECT_FALSE(f.points[0].interval);
}

}  // namespace
}  // namespace doall::bench
