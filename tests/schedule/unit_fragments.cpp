// What affinity-last remembers: ranges that join and split within a bound, and a
// thief's largest moves.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "schedule/fragments.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::fragment_list;
using schedules::move_list;
using schedules::range;

using ranges = std::vector<std::pair<u64, u64>>;

ranges of(const fragment_list& list) {
  ranges all;
  for (const range& s : list) all.emplace_back(s.begin, s.end);
  return all;
}

fragment_list with(const ranges& wanted) {
  fragment_list list;
  for (const auto& [begin, end] : wanted) EXPECT_TRUE(list.insert({begin, end}));
  return list;
}

TEST(FragmentList, KeepsRangesInOrder) {
  const fragment_list list = with({{20, 30}, {0, 5}, {10, 12}});
  EXPECT_EQ(of(list), (ranges{{0, 5}, {10, 12}, {20, 30}}));
  EXPECT_EQ(list.size(), 17U);
}

TEST(FragmentList, JoinsNeighbours) {
  EXPECT_EQ(of(with({{0, 5}, {5, 8}})), (ranges{{0, 8}}));
  EXPECT_EQ(of(with({{5, 8}, {0, 5}})), (ranges{{0, 8}}));
  EXPECT_EQ(of(with({{0, 5}, {8, 10}, {5, 8}})), (ranges{{0, 10}}));
}

TEST(FragmentList, RemovesFromFrontMiddleAndEnd) {
  fragment_list list = with({{0, 10}, {20, 30}});
  EXPECT_TRUE(list.remove({20, 22}));
  EXPECT_TRUE(list.remove({8, 10}));
  EXPECT_TRUE(list.remove({3, 5}));
  EXPECT_EQ(of(list), (ranges{{0, 3}, {5, 8}, {22, 30}}));
  EXPECT_TRUE(list.remove({5, 8}));
  EXPECT_EQ(of(list), (ranges{{0, 3}, {22, 30}}));
  EXPECT_EQ(list.size(), 11U);
}

TEST(FragmentList, DoesNotRemoveWhatItDoesNotHold) {
  fragment_list list = with({{0, 10}, {20, 30}});
  EXPECT_FALSE(list.remove({9, 11}));
  EXPECT_FALSE(list.remove({12, 13}));
  EXPECT_FALSE(list.remove({5, 25}));
  EXPECT_EQ(of(list), (ranges{{0, 10}, {20, 30}}));
}

TEST(FragmentList, RefusesToGrowBeyondItsBound) {
  ranges wanted;
  for (u64 i = 0; i < fragment_list::most; ++i) wanted.emplace_back(10 * i, 10 * i + 5);
  fragment_list list = with(wanted);
  EXPECT_FALSE(list.insert({1000, 1001}));
  EXPECT_FALSE(list.remove({2, 3}));
  EXPECT_EQ(of(list), wanted);
  EXPECT_EQ(list.size(), 5 * fragment_list::most);
  EXPECT_TRUE(list.insert({5, 10}));  // joins two
  EXPECT_TRUE(list.insert({1000, 1001}));
}

TEST(FragmentList, CutsWithinAFragment) {
  const fragment_list list = with({{0, 5}, {10, 12}, {20, 30}});
  const struct {
    u64 gone, most, begin, end;
  } cuts[] = {{0, 2, 0, 2},   {0, 100, 0, 5}, {4, 2, 4, 5},   {5, 1, 10, 11},
              {6, 4, 11, 12}, {7, 4, 20, 24}, {16, 9, 29, 30}};
  for (const auto& c : cuts) {
    const range got = list.cut(c.gone, c.most);
    EXPECT_EQ(got.begin, c.begin) << c.gone;
    EXPECT_EQ(got.end, c.end) << c.gone;
  }
}

TEST(FragmentList, HoldsTheLargestLoop) {
  fragment_list list(range{0, base::u64_max});
  EXPECT_TRUE(list.remove({1, base::u64_max - 1}));
  EXPECT_EQ(list.size(), 2U);
  EXPECT_EQ(list.cut(1, 7).end, base::u64_max);
}

// Beside a set that says the same of each number.
TEST(FragmentList, AgreesWithASet) {
  for_each_case(500, [](base::rng& random) {
    std::vector<bool> in(200);
    fragment_list list;
    for (int step = 0; step < 200; ++step) {
      const u64 begin = random.below(in.size());
      const u64 end = begin + 1 + random.below(std::min<u64>(8, in.size() - begin));
      u64 held = 0;
      for (u64 i = begin; i < end; ++i) held += in[i] ? 1 : 0;
      bool done = false;
      if (held == 0) done = list.insert({begin, end});
      if (held == end - begin) done = list.remove({begin, end});
      for (u64 i = begin; done && i < end; ++i) in[i] = !in[i];
      ranges expected;
      for (u64 i = 0; i < in.size(); ++i) {
        if (!in[i]) continue;
        if (expected.empty() || expected.back().second != i) expected.emplace_back(i, i);
        expected.back().second = i + 1;
      }
      ASSERT_EQ(of(list), expected);
      ASSERT_LE(expected.size(), fragment_list::most);
      u64 gone = 0;
      for (const auto& [first, last] : expected) {
        ASSERT_EQ(list.cut(gone, 1).begin, first);
        gone += last - first;
      }
      ASSERT_EQ(list.size(), gone);
    }
  });
}

TEST(MoveList, ForgetsTheLastRun) {
  move_list moves;
  moves.add(1, {{0, 5}, 3});
  EXPECT_EQ(moves.count(1), 1U);
  EXPECT_EQ(moves.count(2), 0U);
  moves.add(2, {{7, 9}, 3});
  ASSERT_EQ(moves.count(2), 1U);
  EXPECT_EQ(moves[0].what.begin, 7U);
}

TEST(MoveList, JoinsWhatFollowsFromTheSameVictim) {
  move_list moves;
  moves.add(1, {{0, 5}, 3});
  moves.add(1, {{5, 8}, 2});
  moves.add(1, {{8, 12}, 3});
  moves.add(1, {{5, 7}, 3});
  ASSERT_EQ(moves.count(1), 3U);
  EXPECT_EQ(moves[0].what.end, 7U);
  EXPECT_EQ(moves[0].victim, 3U);
}

TEST(MoveList, KeepsTheLargestInOrder) {
  move_list moves;
  const u64 n = 2 * move_list::most;
  for (u64 i = 0; i < n; ++i) {
    const u64 size = 1 + (i * 7) % n;  // each of 1 to n once, as n is no multiple of 7
    moves.add(1, {{1000 * i, 1000 * i + size}, 0});
  }
  ASSERT_EQ(moves.count(1), move_list::most);
  for (std::uint32_t i = 0; i < move_list::most; ++i) EXPECT_EQ(moves[i].what.size(), n - i);
}

}  // namespace
}  // namespace doall::tests
