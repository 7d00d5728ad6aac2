// How many chunks the desk deals, and who takes what from a node's shelf.
#include <doall/doall.h>
#include <gtest/gtest.h>
#include <doall/mpi/desk.hpp>
#include <doall/mpi/groups.hpp>
#include <doall/mpi/parts.hpp>
#include <doall/mpi/shelf.hpp>

#include <stdexcept>
#include <string>
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
    const std::uint64_t run = chunks.empty() ? 0 : chunks.back();
    dealt.deal(1, {.iterations_run = run, .chunks = 16, .hungry = 1}, given);
    chunks.push_back(given.chunks);
  } while (given.what == hand::more);
  EXPECT_EQ(chunks, (std::vector<std::uint32_t>{5, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1}));
}

// A rank that runs half of the loop gets nothing in advance, but what it needs at once.
TEST(MpiDesk, DealsNothingInAdvanceBehindALongChunk) {
  doall_schedule how{};
  ASSERT_EQ(doall_schedule_parse("guided", &how, nullptr, 0), 0);
  desk dealt(2, false);
  dealt.open(how, 200, nullptr);
  hand given;
  const auto deal = [&](std::uint32_t rank, std::uint16_t hungry, u64 run) {
    dealt.deal(rank, {.iterations_run = run, .hungry = hungry}, given);
    EXPECT_EQ(given.what, hand::more);
    return given.chunks == 0 ? 0 : mpi::detail::size_of(given.chunk[0]);
  };
  EXPECT_EQ(deal(0, 0, 0), 100U);
  EXPECT_EQ(deal(0, 0, 0), 0U);
  EXPECT_EQ(deal(1, 1, 0), 50U);
  EXPECT_EQ(deal(1, 0, 0), 25U);  // it runs 50, and the other one 100
  EXPECT_EQ(deal(0, 0, 0), 0U);
  EXPECT_EQ(deal(0, 1, 100), 13U);
}

TEST(MpiDesk, DealsNothingOnceARankGivesUp) {
  doall_schedule how{};
  ASSERT_EQ(doall_schedule_parse("dynamic", &how, nullptr, 0), 0);
  desk dealt(2, false);
  dealt.open(how, 20, nullptr);
  hand given;
  dealt.deal(0, {.hungry = 1}, given);
  EXPECT_EQ(given.what, hand::more);
  dealt.deal(1, {.gives_up = 1}, given);
  EXPECT_EQ(given.what, hand::ended);
  EXPECT_EQ(given.chunks, 0);
  dealt.deal(0, {}, given);
  EXPECT_EQ(given.what, hand::ended);
  EXPECT_EQ(given.chunks, 0);
}

// A group's desk keeps wishes while a block is under way, and gives no last hand before it is
// settled.
TEST(MpiDesk, DealsBlocksToAGroup) {
  doall_schedule how{};
  ASSERT_EQ(doall_schedule_parse("dynamic", &how, nullptr, 0), 0);
  desk to_groups(2, false);
  to_groups.open(how, 2, nullptr);
  desk of_group(2, false);
  of_group.open_for_blocks(how, nullptr);
  const mpi::detail::wish hungry{.hungry = 1};
  hand given;
  EXPECT_FALSE(of_group.deal(1, hungry, given));
  hand block;
  mpi::detail::wish above;
  const auto ask = [&](u64 now_ns) {
    return of_group.asks(now_ns, above) && to_groups.deal(0, above, block);
  };
  ASSERT_TRUE(ask(1));
  EXPECT_FALSE(of_group.asks(2, above));  // one at a time
  of_group.take(block);
  EXPECT_TRUE(of_group.deal(1, hungry, given));
  EXPECT_EQ(given.chunks, 1U);
  EXPECT_EQ(given.what, hand::more);
  EXPECT_FALSE(of_group.deal(0, hungry, given));
  ASSERT_TRUE(ask(3));
  of_group.take(block);
  EXPECT_TRUE(of_group.is_settled());
  EXPECT_TRUE(of_group.deal(0, hungry, given));
  EXPECT_EQ(given.what, hand::last);
  EXPECT_FALSE(of_group.asks(1'000'000'000, above));
  // A rank that gives up is answered when that is known above.
  EXPECT_FALSE(of_group.deal(1, {.gives_up = 1}, given));
  ASSERT_TRUE(ask(4));
  of_group.take(block);
  EXPECT_TRUE(to_groups.was_ended());
  EXPECT_TRUE(of_group.deal(1, {.gives_up = 1}, given));
  EXPECT_EQ(given.what, hand::ended);
}

// A chunk's costs are looked up where the loop's are: so these must be there for each iteration.
TEST(MpiCosts, OfAnotherNumberOfIterationsAreRefused) {
  constexpr u64 iterations = 50'000;
  const std::vector<u64> few(513);
  const auto refused = [](const doall_costs& costs, u64 of) -> std::string {
    try {
      mpi::detail::check_costs(costs, of);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refused(doall_costs_of_weights(few.data(), 512, 0), iterations),
            "doall::mpi: costs of 512 iterations, expected the loop's 50000; the loop was not run");
  EXPECT_EQ(refused(doall_costs_of_weights(nullptr, 0, 0), iterations),
            "doall::mpi: costs of 0 iterations, expected the loop's 50000; the loop was not run");
  EXPECT_NE(refused(doall_costs_of_sums(few.data(), 512, 0), iterations), "");
  EXPECT_NE(refused(doall_costs_of_sums(nullptr, iterations, 0), iterations), "");
  EXPECT_EQ(refused(doall_costs_of_sums(few.data(), 512, 0), 512), "");
  doall_costs any = doall_costs_of_function([](void*, u64 i) { return i; }, nullptr, 0);
  EXPECT_EQ(refused(any, iterations), "");
  any.write = nullptr;
  EXPECT_NE(refused(any, iterations), "");
}

TEST(MpiGroups, AreEven) {
  // Five nodes, of ranks {0, 5}, {1, 6}, 2, 3, {4, 7}, in groups of at most two.
  const std::vector<std::uint32_t> first_of{0, 1, 2, 3, 4, 0, 1, 4};
  const auto of = [&](std::uint32_t rank) { return mpi::detail::groups::of(first_of, rank, 2); };
  EXPECT_EQ(of(0).heads, (std::vector<std::uint32_t>{0, 2, 4}));
  EXPECT_EQ(of(6).members, (std::vector<std::uint32_t>{0, 1, 5, 6}));
  EXPECT_EQ(of(3).head, 2U);
  EXPECT_EQ(of(7).members, (std::vector<std::uint32_t>{4, 7}));
  EXPECT_TRUE(of(7).is_one_node);
  EXPECT_FALSE(of(3).is_one_node);
  EXPECT_FALSE(mpi::detail::groups::of(first_of, 3, 64).is_tree());
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
