// The full barrier of large teams (src/barrier/tree_barrier.hpp): how many lines a worker
// writes and waits for in one, counted for teams and machines that are not here; and that it is a
// barrier, on as many threads as a large machine has.
#include "barrier/tree_barrier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "barrier/tree_barrier.hpp"
#include "threads/pool.hpp"
#include "threads/team_trees.hpp"

namespace doall {
namespace {

using barrier::branch;
using barrier::tree;

std::vector<std::uint32_t> starts_every(std::uint32_t domain, std::uint32_t workers) {
  std::vector<std::uint32_t> starts;
  for (std::uint32_t w = 0; w < workers; w += domain) starts.push_back(w);
  return starts;
}

// Those that the worker waits for, and lets go afterwards.
std::vector<std::uint32_t> led_by(const tree& shape, branch team, std::uint32_t w) {
  const branch mine = shape.branch_of(team, w);
  std::vector<std::uint32_t> found;
  for (std::uint32_t next = mine.begin + 1; next < mine.end;) {
    const branch child = shape.child_at(mine, next);
    EXPECT_EQ(shape.branch_of(team, child.begin), child);
    found.push_back(child.begin);
    next = child.end;
  }
  return found;
}

// A barrier writes `arrived` of a worker once and `released` once, and one other thread reads
// each: its leader, of whom there is one. Nothing in it is written by two, so nothing is taken
// by P threads one after the other, as a counter is.
void expect_bounded(std::uint32_t domain, branch team) {
  const std::vector<std::uint32_t> starts = starts_every(domain, 1024);
  const tree shape = tree::over(starts);
  const std::uint32_t size = team.size();
  const std::uint32_t domains = (team.end - 1) / domain - team.begin / domain + 1;
  const std::uint32_t levels = std::bit_width(std::min(domain, size) - 1);
  std::vector<std::uint32_t> leaders(size);
  std::vector<std::uint32_t> depth(size);
  for (std::uint32_t w = team.begin; w < team.end; ++w) {
    const std::vector<std::uint32_t> led = led_by(shape, team, w);
    const std::uint32_t beside = w == team.begin ? domains - 1 : 0;  // it leads the domains' first
    ASSERT_LE(led.size(), levels + beside) << w;
    for (const std::uint32_t child : led) {
      ++leaders[child - team.begin];
      depth[child - team.begin] = depth[w - team.begin] + 1;
    }
  }
  ASSERT_EQ(leaders[0], 0U);
  for (std::uint32_t i = 1; i < size; ++i) ASSERT_EQ(leaders[i], 1U) << i;
  ASSERT_LE(*std::ranges::max_element(depth), levels + (domains > 1 ? 1 : 0));
}

TEST(TreeBarrier, GivesEachLineOneWriterAndOneReader) {
  for (const std::uint32_t size : {1U, 2U, 3U, 4U, 9U, 31U, 64U, 100U, 255U, 256U, 1024U}) {
    for (const std::uint32_t domain : {1U, 2U, 7U, 8U, 32U, 64U, 1024U}) {
      SCOPED_TRACE(testing::Message() << size << " workers, domains of " << domain);
      expect_bounded(domain, {0, size});
    }
  }
  expect_bounded(8, {8, 16});  // a domain's own team
}

// What a thread of such a team passes in a barrier on its longest way.
TEST(TreeBarrier, OfTwoHundredAndFiftySixHasEightLevels) {
  const tree shape = tree::over({});
  std::uint32_t at = 0;
  int levels = 0;
  for (auto led = led_by(shape, {0, 256}, at); !led.empty(); led = led_by(shape, {0, 256}, at)) {
    at = led.back();
    ++levels;
  }
  EXPECT_EQ(levels, 8);
}

// Which teams meet along it: those that are large, or in several domains, and have a CPU each.
TEST(TreeBarrier, IsForLargeTeamsThatHaveTheirCpus) {
  const std::uint32_t cpus = team::environment().cpus;
  const std::vector<std::uint32_t> fours = starts_every(4, 64);
  const auto is_counted = [](branch team_of, std::span<const std::uint32_t> starts,
                             std::uint32_t threads) {
    return team::meeting_for(team_of, starts, threads).is_flat();
  };
  EXPECT_TRUE(is_counted({0, 16}, {}, cpus));
  EXPECT_FALSE(is_counted({0, 17}, {}, cpus));
  EXPECT_TRUE(is_counted({0, 17}, {}, cpus + 1));
  EXPECT_TRUE(is_counted({0, 4}, fours, cpus));
  EXPECT_FALSE(is_counted({0, 5}, fours, cpus));
  EXPECT_TRUE(is_counted({4, 8}, fours, cpus));
  EXPECT_TRUE(is_counted({0, 64}, fours, cpus + 1));
}

class TreeBarrierOn : public testing::TestWithParam<std::uint32_t> {};

// Plain data: a race is ThreadSanitizer's to report.
TEST_P(TreeBarrierOn, Threads) {
  const std::uint32_t size = GetParam();
  constexpr int rounds = 60;
  const std::vector<std::uint32_t> starts = starts_every(5, size);
  const tree shape = tree::over(starts);
  barrier::tree_barrier meeting;
  meeting.make_room(size);
  std::vector<int> mine(size);
  std::vector<int> wrong(size);
  const auto work = [&](std::uint32_t w) {
    for (int round = 1; round <= rounds; ++round) {
      mine[w] = round;
      meeting.arrive(shape, {0, size}, w, 0);
      wrong[w] += static_cast<int>(
          std::ranges::count_if(mine, [round](int seen) { return seen != round; }));
      meeting.arrive(shape, {0, size}, w, 0);
    }
  };
  std::vector<std::thread> threads;
  for (std::uint32_t w = 1; w < size; ++w) threads.emplace_back(work, w);
  work(0);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(std::ranges::count(wrong, 0), static_cast<int>(size));
}

INSTANTIATE_TEST_SUITE_P(Sizes, TreeBarrierOn, testing::Values(1, 2, 3, 4, 6, 16, 33, 64));

}  // namespace
}  // namespace doall
