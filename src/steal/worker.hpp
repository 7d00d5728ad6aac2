// A thread that takes part in stealing: its deque, and how it finds somebody else's work.
//
// Victims are drawn at random, with a bias to the near: one that is not of the thief's
// NUMA domain is drawn again three times out of four. After as many draws as there are workers
// a thief looks at all of them once, so that "nothing found" means that every deque
// was empty, or not to be taken from, at some moment of the round.
//
// Whose work. An idle worker takes anything of loops that may have so many workers. One that waits
// for the end of a loop (stint.hpp) takes only parts that descend from that loop: other work may
// want a lock that its body holds. It looks at the oldest part alone, for only that can be stolen.
// Parts lie in a deque as their loops lie around each other, the outermost oldest, so a part that
// it might take can lie above one that it may not; then it passes by, which costs time and no
// more: the deque's owner comes to both. The thief looks at the part's loop before it takes it, in
// a frame that may be another loop's by then; but if so the part is gone too, and the theft fails.
#pragma once

#include <algorithm>
#include <array>

#include "base/cache_line.hpp"
#include "base/rng.hpp"
#include "base/sync.hpp"
#include "deque/chase_lev.hpp"
#include "steal/counts.hpp"
#include "steal/frame.hpp"

namespace doall::steal {

class stint;

class alignas(base::apart_bytes) worker {
 public:
  // So many parts wait in a deque at most. Halving leaves one for each doubling of
  // a loop's length: 64, of loops of any length, and the loops around them have theirs.
  // (A model pays for each word of it in every interleaving.)
#if defined(DOALL_SYNC_MODEL)
  static constexpr std::uint32_t capacity = 4;
#else
  static constexpr std::uint32_t capacity = 256;
#endif
  using deque_type = deque::chase_lev<descriptor, capacity>;

  worker(std::uint32_t number_, std::uint32_t domain_, u64 seed)
      : number(number_), domain(domain_), dice(seed) {}
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  deque_type::owner own() { return deque_type::owner(deque_); }
  deque_type::thief stealable() { return deque_type::thief(deque_); }

  const std::uint32_t number;  // that bodies are told
  const std::uint32_t domain;
  base::rng dice;
  counts done;               // written by the worker alone
  frame* current = nullptr;  // the innermost loop in whose iteration the thread is
  stint* stay = nullptr;     // the innermost of its stays with loops
  unsigned groups = 0;       // of tasks that it has begun and not ended
  frame_stack frames;

 private:
  deque_type deque_;
};

// Whether the thief may take a part of that loop: it is one of its workers, and the loop
// descends from the one that the thief waits for, if any.
inline bool may_take(const worker& thief, const frame& loop, const frame* within) {
  // (7) relaxed; alone: as in descends_from()
  if (thief.number >= loop.workers.load(sync::relaxed)) return false;
  return within == nullptr || loop.descends_from(*within);
}

// Whether it would find something there.
inline bool has_loot(worker& victim, const worker& thief, const frame* within) {
  worker::deque_type::thief from = victim.stealable();
  if (from.looks_empty()) return false;
  bool there = false;
  descriptor none;
  from.steal(none, [&](const descriptor& seen) {
    there = may_take(thief, *seen.loop, within);
    return false;
  });
  return there;
}

// All workers that may have something. They are added and never taken away.
class roster {
 public:
  static constexpr std::uint32_t most = 2048;

  // False when it is full. Any thread.
  bool add(worker& w) {
    // (1) relaxed; alone: a place is this thread's; (2) publishes what is in it
    const std::uint32_t place = size_.fetch_add(1, sync::relaxed);
    if (place >= most) return false;
    // (2) release; pairs with (4): the worker
    all_[place].store(&w, sync::release);
    return true;
  }

  // Without all but one, when there is no other thread: in the child of a fork.
  void forget_but(worker* mine) {
    for (std::uint32_t i = 0; i < size(); ++i) {
      // (5) relaxed; alone: there is no other thread
      all_[i].store(nullptr, sync::relaxed);
    }
    // (6) relaxed; alone: as (5)
    size_.store(0, sync::relaxed);
    if (mine != nullptr) add(*mine);
  }

  // (3) relaxed; alone: at() looks whether somebody is there
  std::uint32_t size() const { return std::min(size_.load(sync::relaxed), most); }

  // Null: that one is just being added.
  worker* at(std::uint32_t i) const {
    // (4) acquire; pairs with (2): the worker
    return all_[i].load(sync::acquire);
  }

  // Whether somebody has a part that the thief may take. O(workers).
  bool has_loot(const worker& thief, const frame* within) const {
    const std::uint32_t n = size();
    for (std::uint32_t i = 0; i < n; ++i) {
      worker* const w = at(i);
      if (w != nullptr && w != &thief && steal::has_loot(*w, thief, within)) return true;
    }
    return false;
  }

  // One of the others; null if there is none.
  worker* draw_victim(worker& thief) const {
    const std::uint32_t n = size();
    worker* drawn = draw(thief, n);
    constexpr u64 odds_of_far = 4;
    if (drawn != nullptr && drawn->domain != thief.domain && thief.dice.below(odds_of_far) != 0) {
      drawn = draw(thief, n);
    }
    return drawn;
  }

  // Steals a part of any loop, or, if `within` is not null, of one that descends from
  // that. False when nothing was found in a round. O(workers).
  bool steal(worker& thief, const frame* within, descriptor& loot) const {
    const std::uint32_t n = size();
    for (std::uint32_t i = 0; i < n; ++i) {
      if (steal_from(thief, draw_victim(thief), within, loot)) return true;
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      if (steal_from(thief, at(i), within, loot)) return true;
    }
    return false;
  }

  // From that one alone. False also when it is null, or the thief.
  static bool steal_from(worker& thief, worker* victim, const frame* within, descriptor& loot) {
    if (victim == nullptr || victim == &thief || victim->stealable().looks_empty()) return false;
    const deque::theft how = victim->stealable().steal(
        loot, [&](const descriptor& seen) { return may_take(thief, *seen.loop, within); });
    thief.done.tried += 1;
    thief.done.lost += how == deque::theft::lost_race ? 1 : 0;
    thief.done.stolen += how == deque::theft::done ? 1 : 0;
    return how == deque::theft::done;
  }

 private:
  worker* draw(worker& thief, std::uint32_t n) const {
    if (n < 2) return nullptr;
    const auto i = static_cast<std::uint32_t>(thief.dice.below(n));
    worker* const drawn = at(i);
    return drawn != &thief ? drawn : at(i + 1 == n ? 0 : i + 1);
  }

  sync::atomic<std::uint32_t> size_{0};
  std::array<sync::atomic<worker*>, most> all_{};
};

}  // namespace doall::steal
