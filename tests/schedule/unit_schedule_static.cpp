// static: blocks as AFS's Figure 1 cuts them, and chunks round robin.

#include <gtest/gtest.h>

#include "support/hand_driver.hpp"

namespace doall::tests {
namespace {

// Worker w's chunks as {begin, end}.
using ranges = std::vector<std::pair<u64, u64>>;

ranges of_worker(std::string_view text, loop_shape shape, std::uint32_t w) {
  hand_driver driver(shape.workers);
  driver.begin(spec_of(text), shape);
  ranges result;
  for (const chunk& c : all_of(driver, w)) result.emplace_back(c.begin, c.end);
  return result;
}

TEST(Static, GivesEachWorkerOneBlock) {
  const loop_shape shape{10, 4};
  EXPECT_EQ(of_worker("static", shape, 0), (ranges{{0, 3}}));
  EXPECT_EQ(of_worker("static", shape, 1), (ranges{{3, 5}}));
  EXPECT_EQ(of_worker("static", shape, 2), (ranges{{5, 8}}));
  EXPECT_EQ(of_worker("static", shape, 3), (ranges{{8, 10}}));
}

TEST(Static, GivesNothingToSomeWhenWorkersAreMoreThanIterations) {
  const loop_shape shape{2, 4};
  EXPECT_EQ(of_worker("static", shape, 0), (ranges{{0, 1}}));
  EXPECT_EQ(of_worker("static", shape, 1), ranges{});
  EXPECT_EQ(of_worker("static", shape, 2), (ranges{{1, 2}}));
  EXPECT_EQ(of_worker("static", shape, 3), ranges{});
}

TEST(Static, DealsChunksRoundRobin) {
  const loop_shape shape{23, 3};
  EXPECT_EQ(of_worker("static,4", shape, 0), (ranges{{0, 4}, {12, 16}}));
  EXPECT_EQ(of_worker("static,4", shape, 1), (ranges{{4, 8}, {16, 20}}));
  EXPECT_EQ(of_worker("static,4", shape, 2), (ranges{{8, 12}, {20, 23}}));
}

TEST(Static, TakesAChunkAsLargeAsTheLoop) {
  const loop_shape shape{10, 3};
  for (std::string_view text : {"static,10", "static,11", "static,18446744073709551615"}) {
    EXPECT_EQ(of_worker(text, shape, 0), (ranges{{0, 10}}));
    EXPECT_EQ(of_worker(text, shape, 1), ranges{});
  }
}

TEST(Static, CutsTheLargestLoop) {
  const loop_shape shape{base::u64_max, 2};
  const u64 half = u64{1} << 63;
  EXPECT_EQ(of_worker("static", shape, 0), (ranges{{0, half}}));
  EXPECT_EQ(of_worker("static", shape, 1), (ranges{{half, base::u64_max}}));
  EXPECT_EQ(of_worker("static,9223372036854775807", shape, 0),
            (ranges{{0, half - 1}, {base::u64_max - 1, base::u64_max}}));
  EXPECT_EQ(of_worker("static,9223372036854775807", shape, 1),
            (ranges{{half - 1, base::u64_max - 1}}));
}

TEST(Static, IsTheWorkersOwn) {
  hand_driver driver(2);
  driver.begin(spec_of("static"), {10, 2});
  EXPECT_EQ(driver.ask(1).from, schedules::origin::own);
}

}  // namespace
}  // namespace doall::tests
