// A run of tickets [first, end) in one word: its owner takes tickets off the front, thieves cut
// some off the back. What static-steal and hybrid keep for each worker.
//
//   - The owner takes by adding one to `first`, without a look before. If first >= end
//     was in the word, nothing was taken and the word is as empty as it was.
//   - Where several are taken at a time, they are swapped off.
//   - A thief swaps [first, end) for [first, middle). It runs ticket `middle`, perhaps some more,
//     and may put the others in its own word, where it can be robbed in its turn.
//   - An empty word is written by its owner alone. Tickets that come from elsewhere are put
//     there but for the first of them, which is run.
//
// A ticket is in one run at a time, and may be in another later. There are at most
// tickets_most of them: each half of a word has room for two more, since an owner may ask
// twice more after the last ticket before it puts others there.
//
// Exactly once: addition and swap are atomic on the same word, so a ticket leaves it once, to
// be run or into one other word. No swap takes a later word for the one that it has read
// (ABA): as long as a ticket is the first of a word, `end` only falls; it leaves that place
// only to be run, by its owner or by a thief that takes all, who runs the first that it steals.
// So no word comes back unless it is empty, and no swap expects an empty one.
//
// Terminates: a swap fails because another worker took a ticket.
// Cost: take: one fetch_add, or a compare-and-swap for several, on a line that only thieves
// share; cut: a compare-and-swap, after O(log n) of which nothing is left of n tickets whose
// owner has stopped.
#pragma once

#include <algorithm>

#include "schedule/schedule.hpp"

namespace doall::schedules {

class stealable_run {
 public:
  static constexpr u64 tickets_most = 0xffff'fffd;

  enum class portion { last_ticket, back_half };

  explicit stealable_run(sync::atomic<u64>& word) : word_(word) {}

  // The owner, of an empty run; or who initialises it, to be published by first_touch.
  void put(share tickets) {
    // (1) relaxed; alone: as (2); the word is empty, so nobody else writes it
    word_.store(pack(tickets.begin, tickets.end), sync::relaxed);
  }

  // The owner: the first ticket alone, or none.
  share take() {
    // (2) relaxed; alone: the run itself is all that is communicated
    const u64 run = word_.fetch_add(1, sync::relaxed);
    const u64 first = first_of(run);
    return {first, first < end_of(run) ? first + 1 : first};
  }

  // A thief: tickets off the back, at least one; none when there is none. So many, or fewer,
  // are not halved.
  share cut(portion part, u64 whole = 1) {
    // (3) relaxed; alone: only a guess for (4), which decides
    u64 run = word_.load(sync::relaxed);
    for (;;) {
      const u64 first = first_of(run);
      const u64 end = end_of(run);
      if (first >= end) return {end, end};
      const u64 kept = end - first <= whole ? 0 : (end - first) / 2;
      const u64 middle = part == portion::back_half ? first + kept : end - 1;
      // (4) relaxed; alone: as (2)
      if (word_.compare_exchange_weak(run, pack(first, middle), sync::relaxed, sync::relaxed)) {
        return {middle, end};
      }
    }
  }

  // Anybody: the first tickets, up to so many, or none.
  share take(u64 most) {
    // (5) relaxed; alone: only a guess for (6), which decides
    u64 run = word_.load(sync::relaxed);
    for (;;) {
      const u64 first = first_of(run);
      const u64 end = end_of(run);
      if (first >= end) return {end, end};
      const u64 middle = first + std::min(most, end - first);
      // (6) relaxed; alone: as (2)
      if (word_.compare_exchange_weak(run, pack(middle, end), sync::relaxed, sync::relaxed)) {
        return {first, middle};
      }
    }
  }

 private:
  static u64 pack(u64 first, u64 end) { return end << 32 | first; }
  static u64 first_of(u64 run) { return run & 0xffff'ffff; }
  static u64 end_of(u64 run) { return run >> 32; }

  sync::atomic<u64>& word_;
};

}  // namespace doall::schedules
