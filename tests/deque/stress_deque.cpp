// src/deque under real threads: an owner and one to four thieves. Every item is taken once and
// whole, and what its owner wrote before it pushed it is there. Built with seeded delays
// before atomics (src/base/sync_delays.hpp, DOALL_SYNC_SEED).
#include <gtest/gtest.h>

#include <barrier>
#include <thread>
#include <vector>

#include "deque/chase_lev.hpp"
#include "deque/single.hpp"
#include "support/ledger.hpp"
#include "support/sealed_item.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using deque::theft;

constexpr u64 usual_cases = 100;
constexpr u64 most_ns = 5'000'000'000;  // a test

std::uint32_t any_thieves(base::rng& random) {
  return static_cast<std::uint32_t>(1 + random.below(4));
}

// Runs part(0) on this thread and part(1) to part(others) on threads of their own.
template <class Part>
void together(std::uint32_t others, Part part) {
  std::barrier start(others + 1);
  std::vector<std::jthread> threads;
  for (std::uint32_t i = 1; i <= others; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      part(i);
    });
  }
  start.arrive_and_wait();
  part(0);
}

template <std::uint32_t Capacity>
class stolen_from_owner {
 public:
  stolen_from_owner(base::rng& random, u64 items)
      : random_(random), written_(items), taken_(items), thieves_(any_thieves(random)) {}

  void run() {
    // By parts of this: how often the owner pushes rather than pops, and thieves want an item.
    constexpr u64 parts = 8;
    const u64 pushes = 1 + random_.below(parts - 1);
    const u64 picky = random_.below(3);
    std::vector<u64> seeds(thieves_ + 1);
    for (u64& seed : seeds) seed = random_.next();
    together(thieves_, [&](std::uint32_t who) {
      base::rng mine(seeds[who]);
      if (who != 0) {
        while (!over_.load()) steal_from(mine, picky);
      } else {
        own(mine, pushes, parts);
        over_.store(true);
      }
    });
    taken_.expect_exactly_once();
  }

  u64 kept() const { return kept_; }
  u64 stolen() const { return stolen_.load(); }

 private:
  using type = deque::chase_lev<sealed_item, Capacity>;

  void own(base::rng& mine, u64 pushes, u64 parts) {
    typename type::owner me(deque_);
    sealed_item got;
    for (u64 next = 0; next < written_.size();) {
      if (mine.below(parts) >= pushes) {
        if (me.pop(got)) take(got);
        continue;
      }
      written_[next] = ~next;
      const sealed_item made(next++);
      if (me.push(made)) continue;
      take(made);
      ++kept_;
    }
    while (me.pop(got)) take(got);
  }

  void steal_from(base::rng& mine, u64 picky) {
    typename type::thief me(deque_);
    sealed_item got;
    // It may be shown a mixture; whatever is in there has been written.
    const auto wants = [&](const sealed_item& seen) {
      EXPECT_EQ(written_[seen.number()], ~seen.number());
      return mine.below(picky + 1) == 0;
    };
    if (me.looks_empty() || me.steal(got, wants) != theft::done) return;
    take(got);
    stolen_.fetch_add(1);
  }

  void take(const sealed_item& got) {
    ASSERT_TRUE(got.is_whole()) << got.number();
    ASSERT_EQ(written_[got.number()], ~got.number());
    taken_.record({got.number(), got.number() + 1});
  }

  base::rng& random_;
  type deque_;
  std::vector<u64> written_;  // before the item is pushed
  ledger taken_;
  std::uint32_t thieves_;
  sync::atomic<bool> over_{false};
  u64 kept_ = 0;  // of a full deque
  sync::atomic<u64> stolen_{0};
};

struct totals {
  u64 kept = 0;
  u64 stolen = 0;
};

template <std::uint32_t Capacity>
totals rob_owners() {
  constexpr u64 items = 2000;
  totals of;
  for_each_case(
      usual_cases,
      [&](base::rng& random) {
        stolen_from_owner<Capacity> owner(random, items);
        owner.run();
        of.kept += owner.kept();
        of.stolen += owner.stolen();
      },
      most_ns);
  return of;
}

TEST(ChaseLevStressed, GivesEachItemOnceWhenItIsOftenFull) {
  const totals of = rob_owners<2>();
  EXPECT_GT(of.kept, 0U);
  EXPECT_GT(of.stolen, 0U);
}

TEST(ChaseLevStressed, GivesEachItemOnceWhenItIsSeldomFull) {
  EXPECT_GT(rob_owners<64>().stolen, 0U);
}

using deque::single;
using run = single::run;

// A loop of lbs without a join: each worker splits, runs one, takes back half, steals.
class lazily_split_loop {
 public:
  lazily_split_loop(std::uint32_t workers, std::uint32_t iterations)
      : lines_(workers), dealt_(iterations), iterations_(iterations) {
    lines_[0].hand = {0, iterations};
  }

  void work(std::uint32_t who, base::rng& mine) {
    while (run_.load() < iterations_) {
      run& hand = lines_[who].hand;
      if (hand.empty()) {
        take(who, mine);
      } else {
        split_or_run(who);
      }
    }
  }

  void expect_exactly_once() const { dealt_.expect_exactly_once(); }
  u64 stolen() const { return stolen_.load(); }

 private:
  struct alignas(base::apart_bytes) line {
    single::word word{0};
    run hand;
  };

  void split_or_run(std::uint32_t who) {
    run& hand = lines_[who].hand;
    single::owner own(lines_[who].word);
    if (hand.size() > 1 && own.is_empty()) {
      const std::uint32_t middle = hand.first + hand.size() / 2;
      own.push({middle, hand.end});
      hand.end = middle;
    }
    dealt_.record({hand.first, u64{hand.first} + 1});
    ++hand.first;
    for (int spins = 20; spins > 0; --spins) sync::relax();
    run_.fetch_add(1);
  }

  void take(std::uint32_t who, base::rng& mine) {
    line& own = lines_[who];
    const auto keep = static_cast<std::uint32_t>(1 + mine.below(8));
    own.hand = single::owner(own.word).pop_part(keep);
    if (!own.hand.empty()) return;
    single::thief thief(lines_[mine.below(lines_.size())].word);
    if (thief.steal(own.hand) == theft::done) stolen_.fetch_add(1);
  }

  std::vector<line> lines_;
  ledger dealt_;
  u64 iterations_;
  sync::atomic<u64> run_{0};
  sync::atomic<u64> stolen_{0};
};

TEST(SingleStressed, GivesEachIterationToOneWorker) {
  u64 stolen = 0;
  for_each_case(
      usual_cases,
      [&](base::rng& random) {
        const std::uint32_t thieves = any_thieves(random);
        lazily_split_loop loop(thieves + 1, static_cast<std::uint32_t>(1 + random.below(2000)));
        const u64 seed = random.next();
        together(thieves, [&](std::uint32_t who) {
          base::rng mine(seed + who);
          loop.work(who, mine);
        });
        loop.expect_exactly_once();
        stolen += loop.stolen();
      },
      most_ns);
  EXPECT_GT(stolen, 0U);
}

}  // namespace
}  // namespace doall::tests
