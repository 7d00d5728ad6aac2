// src/deque: what each operation of the two deques does, one thread and one call at a time.
#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "deque/chase_lev.hpp"
#include "deque/single.hpp"

namespace doall::deque {
namespace {

struct item {
  std::uint64_t number = 0;
  std::uint64_t twice = 0;
  bool operator==(const item&) const = default;
};

item make(std::uint64_t number) { return {number, 2 * number}; }

bool any(const item&) { return true; }

// A deque, and its ends with the items as results.
template <std::uint32_t Capacity>
struct tried {
  using type = chase_lev<item, Capacity>;
  type deque;
  typename type::owner owner{deque};
  typename type::thief thief{deque};

  bool push(std::uint64_t number) { return owner.push(make(number)); }
  std::optional<item> pop() {
    item got;
    return owner.pop(got) ? std::optional(got) : std::nullopt;
  }
  std::optional<item> steal() {
    item got;
    return thief.steal(got, any) == theft::done ? std::optional(got) : std::nullopt;
  }
};

TEST(ChaseLev, BeginsEmpty) {
  tried<4> t;
  EXPECT_TRUE(t.owner.is_empty());
  EXPECT_TRUE(t.thief.looks_empty());
  EXPECT_EQ(t.pop(), std::nullopt);
  item untouched = make(7);
  EXPECT_EQ(t.thief.steal(untouched, any), theft::empty);
  EXPECT_EQ(untouched, make(7));
}

TEST(ChaseLev, OwnerTakesTheNewestThiefTheOldest) {
  tried<4> t;
  for (std::uint64_t number = 1; number <= 4; ++number) EXPECT_TRUE(t.push(number));
  EXPECT_EQ(t.pop(), make(4));
  EXPECT_EQ(t.steal(), make(1));
  EXPECT_EQ(t.pop(), make(3));
  EXPECT_EQ(t.steal(), make(2));
  EXPECT_TRUE(t.owner.is_empty());
  EXPECT_EQ(t.pop(), std::nullopt);
  EXPECT_EQ(t.steal(), std::nullopt);
}

TEST(ChaseLev, RefusesWhenFullAndHasRoomAgainAfterATheftOrAPop) {
  tried<2> t;
  EXPECT_TRUE(t.push(1));
  EXPECT_TRUE(t.push(2));
  EXPECT_FALSE(t.push(3));
  EXPECT_EQ(t.owner.position(), 2) << "nothing has happened";
  EXPECT_EQ(t.steal(), make(1));
  EXPECT_TRUE(t.push(4));
  EXPECT_FALSE(t.push(5));
  EXPECT_EQ(t.pop(), make(4));
  EXPECT_TRUE(t.push(6));
  EXPECT_EQ(t.steal(), make(2));
  EXPECT_EQ(t.steal(), make(6));
}

TEST(ChaseLev, HoldsOneItemIfItsCapacityIsOne) {
  tried<1> t;
  for (std::uint64_t number = 0; number < 10; ++number) {
    EXPECT_TRUE(t.push(number));
    EXPECT_FALSE(t.push(99));
    EXPECT_EQ(number % 2 == 0 ? t.pop() : t.steal(), make(number));
  }
}

TEST(ChaseLev, PlacesAreUsedAgainAndAgain) {
  tried<4> t;
  std::uint64_t oldest = 0;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    if (!t.push(number)) {
      EXPECT_EQ(t.steal(), make(oldest++));
      EXPECT_TRUE(t.push(number));
    }
  }
  EXPECT_EQ(oldest, 996);
}

TEST(ChaseLev, ADeclinedItemStays) {
  tried<4> t;
  t.push(1);
  item untouched = make(7);
  const auto wants_two = [](const item& seen) { return seen == make(2); };
  EXPECT_EQ(t.thief.steal(untouched, wants_two), theft::declined);
  EXPECT_EQ(untouched, make(7));
  EXPECT_EQ(t.pop(), make(1));
}

// A thief that is held up between its look at the item and its swap.
TEST(ChaseLev, AThiefLosesAnItemThatOthersHaveTakenMeanwhile) {
  tried<4> t;
  const auto steal_while = [&](auto others) {
    item untouched = make(7);
    const theft how = t.thief.steal(untouched, [&](const item&) {
      others();
      return true;
    });
    EXPECT_EQ(how == theft::lost_race, untouched == make(7));
    return how;
  };
  t.push(1);
  EXPECT_EQ(steal_while([&] { EXPECT_EQ(t.pop(), make(1)); }), theft::lost_race);
  t.push(2);
  EXPECT_EQ(steal_while([&] { EXPECT_EQ(t.steal(), make(2)); }), theft::lost_race);
  t.push(3);
  const auto pop_and_push = [&] {
    EXPECT_EQ(t.pop(), make(3));
    t.push(4);
  };
  EXPECT_EQ(steal_while(pop_and_push), theft::lost_race);
  EXPECT_EQ(t.steal(), make(4)) << "what lay elsewhere then is still there";
  t.push(5);
  t.push(6);
  EXPECT_EQ(steal_while([&] { EXPECT_EQ(t.pop(), make(6)); }), theft::done);
}

TEST(ChaseLev, PositionTellsItemsBelowFromItemsAbove) {
  tried<4> t;
  t.push(1);
  const std::int64_t mark = t.owner.position();
  t.push(2);
  EXPECT_GT(t.owner.position(), mark);
  t.pop();
  EXPECT_EQ(t.owner.position(), mark);
  t.steal();
  EXPECT_EQ(t.pop(), std::nullopt);
  EXPECT_EQ(t.owner.position(), mark) << "a pop of nothing leaves it";
}

TEST(ChaseLev, ForgetsAll) {
  tried<4> t;
  for (std::uint64_t number = 1; number <= 3; ++number) t.push(number);
  t.owner.forget();
  EXPECT_TRUE(t.owner.is_empty());
  EXPECT_EQ(t.steal(), std::nullopt);
  for (std::uint64_t number = 4; number <= 7; ++number) EXPECT_TRUE(t.push(number));
  EXPECT_EQ(t.steal(), make(4));
  EXPECT_EQ(t.pop(), make(7));
}

using run = single::run;

struct tried_single {
  single::word word{0};
  single::owner owner{word};
  single::thief thief{word};
};

TEST(Single, AZeroWordIsEmpty) {
  tried_single t;
  EXPECT_TRUE(t.owner.is_empty());
  EXPECT_TRUE(t.thief.looks_empty());
  EXPECT_TRUE(t.owner.pop().empty());
  EXPECT_TRUE(t.owner.pop_part(3).empty());
  run untouched = {1, 2};
  EXPECT_EQ(t.thief.steal(untouched), theft::empty);
  EXPECT_EQ(untouched, (run{1, 2}));
}

TEST(Single, ARunIsTakenBackOrStolenWhole) {
  tried_single t;
  t.owner.push({3, 10});
  EXPECT_FALSE(t.owner.is_empty());
  EXPECT_FALSE(t.thief.looks_empty());
  EXPECT_EQ(t.owner.pop(), (run{3, 10}));
  EXPECT_TRUE(t.owner.is_empty());
  t.owner.push({4, 9});
  run taken;
  EXPECT_EQ(t.thief.steal(taken), theft::done);
  EXPECT_EQ(taken, (run{4, 9}));
  EXPECT_TRUE(t.owner.is_empty());
  EXPECT_TRUE(t.owner.pop().empty());
}

TEST(Single, PopPartTakesTheFront) {
  tried_single t;
  t.owner.push({3, 10});
  EXPECT_EQ(t.owner.pop_part(2), (run{3, 5}));
  EXPECT_FALSE(t.owner.is_empty());
  EXPECT_EQ(t.owner.pop_part(4), (run{5, 9}));
  EXPECT_EQ(t.owner.pop_part(4), (run{9, 10})) << "what there is";
  EXPECT_TRUE(t.owner.is_empty());
}

TEST(Single, HoldsTheLargestNumbers) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  tried_single t;
  t.owner.push({0, most});
  EXPECT_EQ(t.owner.pop_part(most - 1), (run{0, most - 1}));
  EXPECT_EQ(t.owner.pop_part(most), (run{most - 1, most}));
  EXPECT_TRUE(t.owner.is_empty());
}

// LBS, Table 1, intermediate case: N iterations, the deque empty at first, no thefts; ppt t.
TEST(Single, CostsLbsLogNTransactionsWithoutThieves) {
  for (const std::uint32_t ppt : {1U, 4U}) {
    for (std::uint32_t doublings = 1; doublings < 20; ++doublings) {
      const std::uint32_t iterations = ppt << doublings;
      tried_single t;
      std::uint32_t transactions = 1;
      t.owner.push({iterations / 2, iterations});
      std::uint32_t next = iterations / 2;  // the front half has been run
      for (std::uint32_t left = iterations / 2; !t.owner.is_empty(); left = iterations - next) {
        const run part = t.owner.pop_part(left > ppt ? left / 2 : left);
        EXPECT_EQ(part.first, next);
        next = part.end;
        ++transactions;
      }
      EXPECT_EQ(next, iterations);
      EXPECT_EQ(transactions, doublings + 1);
    }
  }
}

}  // namespace
}  // namespace doall::deque
