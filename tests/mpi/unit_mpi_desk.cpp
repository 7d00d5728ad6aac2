// How many chunks the desk deals, and who takes what from a node's shelf.
#include <gtest/gtest.h>
#include <doall/mpi/desk.hpp>
#include <doall/mpi/shelf.hpp>

#include <vector>

#include "base/arith.hpp"
#include "mpi/nodes.hpp"

namespace doall::tests {
namespace {

using base::u64;
using mpi::detail::call_name;
using mpi::detail::desk;
using mpi::detail::hand;

// What a rank holds in advance is at most half of its even part of what is left.
TEST(MpiDesk, DealsFewChunksNearTheEnd) {
  doall_schedule how{};
  ASSERT_EQ(doall_schedule_parse("dynamic", &how, nullptr, 0), 0);
  desk dealt(2, false);
  dealt.open(how, 20, nullptr);
  std::vector<std::uint32_t> chunks;
  hand given;
  do {
    dealt.deal(1, {.chunks = 16}, given);
    chunks.push_back(given.chunks);
  } while (given.what == hand::more);
  EXPECT_EQ(chunks, (std::vector<std::uint32_t>{5, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(MpiDesk, DealsNothingOnceARankGivesUp) {
  doall_schedule how{};
  ASSERT_EQ(doall_schedule_parse("dynamic", &how, nullptr, 0), 0);
  desk dealt(2, false);
  dealt.open(how, 20, nullptr);
  hand given;
  dealt.deal(0, {}, given);
  EXPECT_EQ(given.what, hand::more);
  dealt.deal(1, {.gives_up = 1}, given);
  EXPECT_EQ(given.what, hand::last);
  EXPECT_EQ(given.chunks, 0);
  dealt.deal(0, {}, given);
  EXPECT_EQ(given.what, hand::last);
  EXPECT_EQ(given.chunks, 0);
}

// What the ranks of rank 0's node hold in advance is as much, but for one chunk where none is held.
TEST(MpiShelf, HoldsFewChunksNearTheEnd) {
  doall_schedule how{};
  ASSERT_EQ(doall_schedule_parse("dynamic", &how, nullptr, 0), 0);
  const call_name call{.signature = 7, .number = 1};
  nodes all(4, 2);
  desk dealt(4, false);
  dealt.open(how, 40, nullptr);
  all.of(0).open(call, true);
  all.of(0).stock(dealt, all.near(), shelf::most_in_row);
  hand given;
  dealt.deal(2, {.chunks = 16}, given);
  // Eighths of what was left, in turn: row 0 has 5 of 40, and so on.
  EXPECT_EQ(given.chunk[0].begin, 8U);
  doall_chunk c;
  u64 taken = 0;
  while (all.of(1).take(call, true, {}, c).chunk) ++taken;
  EXPECT_EQ(taken, 8U);
}

// A rank takes what its neighbour was dealt, in order, unless the schedule deals by worker.
TEST(MpiShelf, NeighboursTakeWhatIsLeft) {
  doall_schedule how{};
  ASSERT_EQ(doall_schedule_parse("static,1", &how, nullptr, 0), 0);
  for (const bool from_others : {false, true}) {
    const call_name call{.signature = 7, .number = 1};
    nodes all(2, 2);
    desk dealt(2, true);
    dealt.open(how, 10, nullptr);
    all.of(0).open(call, true);
    all.of(0).stock(dealt, all.near(), shelf::most_in_row);
    std::vector<u64> taken;
    for (doall_chunk c; all.of(1).take(call, from_others, {}, c).chunk;) taken.push_back(c.begin);
    EXPECT_EQ(taken, from_others ? (std::vector<u64>{1, 3, 5, 7, 9, 0, 2, 4, 6, 8})
                                 : (std::vector<u64>{1, 3, 5, 7, 9}));
  }
}

TEST(MpiShelf, NamesWrongCalls) {
  nodes all(2, 2);
  const call_name first{.signature = 7, .number = 1};
  doall_chunk c;
  // Rank 0 is late.
  EXPECT_FALSE(all.of(1).take(first, true, {}, c).wrong_call);
  all.of(0).open(first, true);
  EXPECT_FALSE(all.of(1).take(first, true, {}, c).wrong_call);
  EXPECT_TRUE(all.of(1).take({.signature = 8, .number = 1}, true, {}, c).wrong_call);
  // A call without a desk.
  all.of(0).open({.signature = 9, .number = 2}, false);
  EXPECT_TRUE(all.of(1).take({.signature = 9, .number = 2}, true, {}, c).wrong_call);
}

}  // namespace
}  // namespace doall::tests
