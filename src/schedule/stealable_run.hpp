// A run of tickets [first, end) in one word: its owner takes tickets off the front, thieves cut
// some off the back. static-steal, hybrid, the flat splitting schedules and COWS's three keep one
// for each worker.
//
//   - The owner takes by adding one to `first`, without a look before. If first >= end was in the
//     word, nothing was taken and the word is as empty as it was.
//   - Several tickets at a time are taken by a swap; or by an addition, if the owner knows that the
//     run had them when it last looked. Then a thief may have cut them: the owner has what is left
//     of them, perhaps none. `first` does not go beyond where the run ended then.
//   - A thief swaps [first, end) for [first, middle). It runs ticket `middle`, perhaps some more,
//     and may put the others in its own word, where it can be stolen from in its turn. The thief
//     chooses `middle`, again each time that it finds another run in the word.
//   - Only the owner writes an empty word. It puts tickets from elsewhere there, but for the first
//     of them, which it runs.
//
// A ticket is in one run at a time, and may be in another later. There are at most tickets_most of
// them: each half of a word has room for two more, since an owner may ask twice more after the last
// ticket before it writes the word anew, with others or without any.
//
// Exactly once: additions and swaps are atomic on the same word, so a ticket leaves it once, to be
// run or into one other word. No swap takes a later word for the one that it has read (ABA): as
// long as a ticket is the first of a word, `end` only falls. It leaves that place only to be run:
// by its owner, alone or as the first of several, or by a thief that takes all and runs the first
// that it steals. So no word comes back unless it is empty, and no swap expects an empty one.
//
// Orders: dealing tickets needs only the word. The orders are for cows.hpp, which concludes from
// several words that there is nothing to steal: a worker that sees what a theft has left behind, in
// this word or in what its owner puts there later, sees that the theft had begun.
//
// Terminates: a swap fails because another worker took a ticket.
// Cost: take: one fetch_add, or a compare-and-swap for several that were not seen, on a line that
// only thieves share; cut: a compare-and-swap, after O(log n) of which nothing is left of n tickets
// whose owner has stopped.
#pragma once

#include <algorithm>

#include "schedule/schedule.hpp"

namespace doall::schedules {

class stealable_run {
 public:
  static constexpr u64 tickets_most = 0xffff'fffd;

  explicit stealable_run(sync::atomic<u64>& word) : word_(word) {}

  // Called by the owner of an empty run; or by its initialiser, and first_touch publishes it.
  void put(range tickets) {
    // (1) release; pairs with (7): passes on what (2) or (5) saw; the word is empty, so no other
    // thread writes it
    word_.store(pack(tickets.begin, tickets.end), sync::release);
  }

  // Takes the first ticket alone, or none. Called by the owner.
  range take() {
    // (2) acquire; pairs with (4): an owner that finds nothing sees the thief that cut it, for (1)
    const u64 run = word_.fetch_add(1, sync::acquire);
    const u64 first = first_of(run);
    return {first, first < end_of(run) ? first + 1 : first};
  }

  // Cuts off the back half, rounded up; none when there is none. Does not halve `whole` tickets or
  // fewer. Called by a thief.
  range cut(u64 whole = 1) {
    return cut_at(
        [=](range run) { return run.begin + (run.size() <= whole ? 0 : run.size() / 2); });
  }

  // Cuts off the tickets from place(run) on, of a run that has some; none if that is its end. If it
  // is the run's begin, the first ticket must be run before any of them is put anywhere. Called by
  // a thief.
  template <class Place>
  range cut_at(Place place) {
    // (3) relaxed; alone: only a guess for (4), which decides
    u64 run = word_.load(sync::relaxed);
    for (;;) {
      const u64 first = first_of(run);
      const u64 end = end_of(run);
      if (first >= end) return {end, end};
      const u64 middle = place(range{first, end});
      if (middle == end) return {end, end};
      // (4) release; pairs with (2), (5), (6), (7): a look that sees the rest sees the theft begun
      if (word_.compare_exchange_weak(run, pack(first, middle), sync::release, sync::relaxed)) {
        return {middle, end};
      }
    }
  }

  // Takes the first tickets, up to `most`, or none. Any thread.
  range take(u64 most) {
    return take_some([=](range run) { return std::min(most, run.size()); });
  }

  // Takes the first some(run) tickets, 1 or more, of a run that has any; else none. Any thread.
  template <class Some>
  [[gnu::always_inline]] range take_some(Some some) {
    // (5) acquire; pairs with (4): as (2); the value is only a guess for (6), which decides
    u64 run = word_.load(sync::acquire);
    for (;;) {
      const u64 first = first_of(run);
      const u64 end = end_of(run);
      if (first >= end) return {end, end};
      const u64 middle = first + some(range{first, end});
      // (6) acquire; pairs with (4): as (5), which it repeats when it fails
      if (word_.compare_exchange_weak(run, pack(middle, end), sync::acquire, sync::acquire)) {
        return {first, middle};
      }
    }
  }

  // The run's tickets. Any thread.
  range look() const {
    // (7) acquire; pairs with (1), (4): as they say
    return in(word_.load(sync::acquire));
  }

  // The run's tickets, for take_seen(). Called by the owner.
  range seen() const {
    // (8) relaxed; alone: only a guess for (9), which decides
    return in(word_.load(sync::relaxed));
  }

  // Takes the first tickets, as many as the owner has seen and has not taken since, or those of
  // them that thieves have left. Returns the word as it was. Called by the owner.
  [[gnu::always_inline]] u64 take_seen(u64 tickets) {
    // (9) relaxed; alone: an owner that gets fewer, or none, goes on with (2) or (5)
    return word_.fetch_add(tickets, sync::relaxed);
  }

  // The tickets in a word.
  static range in(u64 run) { return {std::min(first_of(run), end_of(run)), end_of(run)}; }

 private:
  static u64 pack(u64 first, u64 end) { return end << 32 | first; }
  static u64 first_of(u64 run) { return run & 0xffff'ffff; }
  static u64 end_of(u64 run) { return run >> 32; }

  sync::atomic<u64>& word_;
};

}  // namespace doall::schedules
