// src/deque against the obvious deque, on random steps of an owner and thieves. One thread makes
// all steps, so a case is a function of its seed; a theft is two of them: between a thief's
// look at an item and its swap others make theirs, thieves who are held up in turn too.
#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "deque/chase_lev.hpp"
#include "deque/single.hpp"
#include "support/ledger.hpp"
#include "support/sealed_item.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using deque::theft;

// A deque and what should be in it.
template <std::uint32_t Capacity>
class compared {
 public:
  explicit compared(base::rng& random) : random_(random), taste_(1 + random.below(6)) {}

  void steps(u64 count) {
    for (; count > 0 && !testing::Test::HasFailure(); --count) step();
  }

 private:
  using type = deque::chase_lev<sealed_item, Capacity>;
  static constexpr int held_up_most = 3;  // thieves within thieves

  void step() {
    const u64 kind = random_.below(2 * taste_ + 3);
    if (kind < taste_) {
      push();
    } else if (kind < 2 * taste_) {
      pop();
    } else if (kind < 2 * taste_ + 2) {
      steal();
    } else if (random_.below(50) == 0) {
      owner_.forget();
      gone_ += expected_.size();
      expected_.clear();
    }
    ASSERT_EQ(owner_.is_empty(), expected_.empty());
    ASSERT_EQ(thief_.looks_empty(), expected_.empty());
    ASSERT_EQ(static_cast<u64>(owner_.position()), gone_ + expected_.size());
  }

  void push() {
    const sealed_item made(random_.next());
    const bool room = expected_.size() < Capacity;
    ASSERT_EQ(owner_.push(made), room);
    if (room) expected_.push_back(made);
  }

  void pop() {
    sealed_item got;
    ASSERT_EQ(owner_.pop(got), !expected_.empty());
    if (expected_.empty()) return;
    ASSERT_EQ(got, expected_.back());
    expected_.pop_back();
    // The last one is taken from the top.
    gone_ += expected_.empty() ? 1 : 0;
  }

  void steal() {
    const bool was_empty = expected_.empty();
    const u64 gone_before = gone_;
    const bool wanted = random_.below(5) != 0;
    sealed_item shown;
    sealed_item got;
    const theft how = thief_.steal(got, [&](const sealed_item& seen) {
      EXPECT_EQ(seen, expected_.front());
      shown = seen;
      if (++held_up_ <= held_up_most) steps(random_.below(4));
      --held_up_;
      return wanted;
    });
    if (was_empty) {
      ASSERT_EQ(how, theft::empty);
    } else if (!wanted) {
      ASSERT_EQ(how, theft::declined);
    } else if (gone_ != gone_before) {
      ASSERT_EQ(how, theft::lost_race);
    } else {
      ASSERT_EQ(how, theft::done);
      ASSERT_EQ(got, shown);
      ASSERT_EQ(got, expected_.front());
      expected_.pop_front();
      ++gone_;
    }
  }

  base::rng& random_;
  u64 taste_;  // the more, the fewer thefts
  type deque_;
  typename type::owner owner_{deque_};
  typename type::thief thief_{deque_};
  std::deque<sealed_item> expected_;  // the oldest in front
  u64 gone_ = 0;                      // from the top
  int held_up_ = 0;
};

TEST(ChaseLev, IsADequeWhateverOthersDoMeanwhile) {
  for_each_case(3000, [](base::rng& random) {
    const u64 count = 1 + random.below(400);
    switch (random.below(4)) {
      case 0: return compared<1>(random).steps(count);
      case 1: return compared<2>(random).steps(count);
      case 2: return compared<8>(random).steps(count);
      default: return compared<64>(random).steps(count);
    }
  });
}

using deque::single;
using run = single::run;

// A worker's deque and what it has in hand.
struct lazy_worker {
  single::word word{0};
  run hand;
};

// A loop whose workers run, push, pop and steal as they like. What runs is taken off the front of
// what is in hand.
class lazily_split_loop {
 public:
  lazily_split_loop(base::rng& random, std::uint32_t iterations, std::size_t workers)
      : random_(random), dealt_(iterations), left_(iterations), workers_(workers) {
    workers_[0].hand = {0, iterations};
  }

  void run_to_the_end() {
    while (left_ > 0 && !testing::Test::HasFailure())
      step(workers_[random_.below(workers_.size())]);
    dealt_.expect_exactly_once();
    for (lazy_worker& w : workers_) EXPECT_TRUE(single::owner(w.word).is_empty());
  }

 private:
  void step(lazy_worker& w) {
    single::owner own(w.word);
    if (w.hand.empty()) {
      take(w);
    } else if (w.hand.size() > 1 && own.is_empty() && random_.below(2) == 0) {
      const std::uint32_t keep = below(w.hand.size() - 1);
      own.push({w.hand.first + 1 + keep, w.hand.end});
      w.hand.end = w.hand.first + 1 + keep;
    } else {
      const std::uint32_t size = 1 + below(w.hand.size());
      dealt_.record({w.hand.first, w.hand.first + size});
      w.hand.first += size;
      left_ -= size;
    }
  }

  // From its own deque, and else from anybody's.
  void take(lazy_worker& w) {
    single::owner own(w.word);
    const bool had = !own.is_empty();
    const std::uint32_t keep = 1 + below(8);
    const bool part = random_.below(3) != 0;
    w.hand = part ? own.pop_part(keep) : own.pop();
    EXPECT_EQ(w.hand.empty(), !had);
    if (part) {
      EXPECT_LE(w.hand.size(), keep);
    }
    if (had) return;
    single::thief thief(workers_[random_.below(workers_.size())].word);
    const bool taken = !thief.looks_empty();
    EXPECT_EQ(thief.steal(w.hand), taken ? theft::done : theft::empty);
    EXPECT_TRUE(thief.looks_empty());
  }

  std::uint32_t below(std::uint32_t bound) {
    return bound == 0 ? 0 : static_cast<std::uint32_t>(random_.below(bound));
  }

  base::rng& random_;
  ledger dealt_;
  u64 left_;
  std::vector<lazy_worker> workers_;
};

TEST(Single, GivesEachIterationToOneWorker) {
  for_each_case(3000, [](base::rng& random) {
    const auto iterations = static_cast<std::uint32_t>(1 + random.below(500));
    lazily_split_loop(random, iterations, 1 + random.below(9)).run_to_the_end();
  });
}

}  // namespace
}  // namespace doall::tests
