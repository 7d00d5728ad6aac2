// Whether a worker is at its slot, and which threads may be waited for.
//
// A region for everyone waits for the thread at each worker's slot. An idle worker that steals may
// stay for long in a body that waits for anything, even for that region's leader. So it leaves its
// slot first, and no thread waits for a worker that is away. A leader that calls everyone and finds
// a slot empty has a thread of the reserve in its place, until its lease ends. README.md has the
// protocol step by step, and why it is right; tests/model/model_presence.cpp checks it.
//
// State: a word for each pool (lease_word), a word for each slot (presence).
// Invariant: while everyone is called no worker leaves a slot: one that was not empty has a thread
// that answers, or certainly comes to.
//
// Callers: see each function. Nothing waits.
// Cost: for a region, one load and a branch as long as no thread has ever stolen, else a load for
// each slot; for an idle worker's attempt to steal, a store with a fence and a compare-and-swap.
#pragma once

#include <cstdint>

#include "barrier/half_barrier.hpp"
#include "base/cache_line.hpp"
#include "base/sync.hpp"

namespace doall::team {

// Whether the pool is leased, and how many holders of the pool, or of a domain of it, are about to
// call everyone. A call is short, as long as a leader takes to make its offers, or held for as long
// as the lease. A worker that wants to steal waits for the end of short calls awake; while one is
// held it sleeps, and the holder wakes it.
class lease_word {
 public:
  static constexpr std::uint32_t most_calls = (1 << 15) - 1;  // short ones at a time

  // Any thread.
  bool try_take(barrier::attendance who) {
    // (1) relaxed; alone: only spares (2) its attempt
    if (word_.load(sync::relaxed) != 0) return false;
    std::uint32_t nobody = 0;
    const std::uint32_t taken = who == barrier::attendance::everyone ? leased + one_call : leased;
    // (2) seq_cst; pairs with (3), (31): what the last holder left; see calls_everyone()
    return word_.compare_exchange_strong(nobody, taken, sync::seq_cst, sync::relaxed);
  }

  // (3) release; pairs with (2), (4): the next holder sees what this one left
  void give_back() { word_.store(0, sync::release); }

  bool is_taken() const {
    // (4) acquire; pairs with (3): what the last holder has started
    return word_.load(sync::acquire) != 0;
  }

  // Called by the holder of the pool, or of a domain of it: from now on no worker leaves its slot.
  // Called by a thread that has a call: adds `calls` more, for the members that pass the release
  // on. seq_cst, as (2).
  void call_everyone(std::uint32_t calls = 1) { word_.fetch_add(calls * one_call); }

  // All offers of one call are made. When no call is left, a worker that sees no offer may leave.
  void has_called() {
    // (5) release; pairs with (31): a thread that sees this sees the offers
    word_.fetch_sub(one_call, sync::release);
  }
  // The same while no domain of the pool is leased.
  void has_called_alone() {
    // (32) release; pairs with (31): as (5)
    word_.store(leased, sync::release);
  }

  // Called by a thread that has a call: it lasts until end_held_call().
  void hold_call() {
    // (34) relaxed; alone: it is a call before and after
    word_.fetch_add(held_call - one_call, sync::relaxed);
  }
  // As has_called(). The caller then makes a light fence, looks whether a worker has ever wanted to
  // steal, and if so opens the gates where these sleep.
  void end_held_call() {
    // (35) release; pairs with (31), (36): as (5)
    word_.fetch_sub(held_call, sync::release);
  }
  bool is_held() const {
    // (36) acquire; pairs with (35): the offers
    return word_.load(sync::acquire) >= held_call;
  }

  // seq_cst: a worker leaves (8) and then looks here; a leader calls (2) and then looks at the slot
  // (9). At least one sees what the other has written.
  bool calls_everyone() const {
    // (31) seq_cst; pairs with (2), (5), (32), (35): as said; the offers
    return word_.load(sync::seq_cst) >= one_call;
  }

 private:
  static constexpr std::uint32_t leased = 1;
  static constexpr std::uint32_t one_call = 2;
  static constexpr std::uint32_t held_call = 1 << 16;

  static_assert(leased + one_call * most_calls < held_call);

  sync::atomic<std::uint32_t> word_{0};
};

class presence {
 public:
  // -- Called by the slot's worker.

  // Leaves home, before it steals. The worker then asks lease_word::calls_everyone().
  void leave() {
    // (7) relaxed; alone: no other thread writes while it is at home
    const std::uint64_t word = word_.load(sync::relaxed);
    // (8) seq_cst; pairs with (9), (25): see lease_word::calls_everyone()
    word_.store(word + one_stay + away, sync::seq_cst);
  }

  // Changes from away to coming. The worker runs no foreign code from here on, so a thread that
  // waits for it waits for the system alone. Called before the worker reports what it has run: a
  // thread that knows of the report finds it coming.
  void is_coming() {
    // (10) relaxed; alone: the report publishes it
    word_.fetch_add(coming - away, sync::relaxed);
  }

  // Ends a stay. False: the worker was told to go.
  bool come_home() {
    // (11) relaxed; alone: the swap reads it again
    std::uint64_t word = word_.load(sync::relaxed);
    for (;;) {
      const bool stays = (word & told_to_go) == 0;
      // What comes to the slot is published by its offer; a thread that goes is joined before
      // another begins there.
      if (swap(word, with_worker(word, stays ? home : gone))) return stays;
    }
  }

  // -- Called by the holder of the pool, or of the slot's domain.

  // Whether no thread would answer an offer. Called after call_everyone(), or a lease for everyone:
  // the answer "no" holds until has_called().
  bool is_empty() const {
    // (9) seq_cst; pairs with (8): as there
    return worker_in(word_.load(sync::seq_cst)) == away;
  }

  // The number of the worker's last stay.
  std::uint64_t stay() const {
    // (13) relaxed; alone: a hint
    return word_.load(sync::relaxed) / one_stay;
  }

  // Tells the worker, if it is away, to end when it comes back: it may be in a foreign body, so it
  // is not waited for. Called after a lease for everyone. False: it is at home, or certainly comes
  // there.
  bool tell_to_go() {
    // (25) seq_cst; pairs with (8): as (9)
    std::uint64_t word = word_.load(sync::seq_cst);
    while (worker_in(word) == away) {
      if (swap(word, word | told_to_go)) return true;
    }
    return false;
  }

  // Tells a worker that was told to go to stay. False: it has gone.
  bool keep() {
    // (28) relaxed; alone: the swap reads it again
    std::uint64_t word = word_.load(sync::relaxed);
    while (worker_in(word) != gone) {
      if (swap(word, word & ~told_to_go)) return true;
    }
    return false;
  }

  bool has_gone() const {
    // (33) relaxed; alone: a caller that needs more than this joins the thread
    return worker_in(word_.load(sync::relaxed)) == gone;
  }

  // Called before a thread begins at a slot that has none.
  void begin() {
    // (29) relaxed; alone: there is no thread; the start of the thread publishes it
    const std::uint64_t word = word_.load(sync::relaxed);
    // (30) relaxed; alone: as (29)
    word_.store(with_worker(word & ~told_to_go, home), sync::relaxed);
  }

 private:
  // Where the worker is, in the lowest bits.
  static constexpr std::uint64_t home = 0;
  static constexpr std::uint64_t away = 1;    // in a stay that it began while it was idle
  static constexpr std::uint64_t coming = 2;  // its foreign code has ended
  static constexpr std::uint64_t gone = 3;    // its thread ends, or has ended
  static constexpr std::uint64_t told_to_go = 4;
  static constexpr std::uint64_t one_stay = 8;

  static constexpr std::uint64_t worker_in(std::uint64_t word) { return word & 3; }
  static constexpr std::uint64_t with_worker(std::uint64_t word, std::uint64_t where) {
    return (word & ~std::uint64_t{3}) + where;
  }

  // If it fails, `word` becomes the current value.
  bool swap(std::uint64_t& word, std::uint64_t next) {
    // (6) relaxed; alone: the word says nothing more than itself
    return word_.compare_exchange_strong(word, next, sync::relaxed, sync::relaxed);
  }

  alignas(base::apart_bytes) sync::atomic<std::uint64_t> word_{home};
};

}  // namespace doall::team
