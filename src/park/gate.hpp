// How threads wait for another: they spin for a bounded time, then sleep.
//
// A gate stands beside a condition that some thread makes true by a release
// store. Any number of threads may wait at it, any thread may open it.
// src/park/README.md has the protocol step by step and the argument that no
// wake-up is lost; its numbers are the ones used here. Checked by
// tests/model/model_gate.cpp.
//
// A gate must outlive every open() that has begun: a waiter may return before
// its opener has looked for sleepers.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "base/sync.hpp"

namespace doall::park {

// Spins until ready() or for about spin_ns; returns the last ready().
template <class Ready>
bool spin(Ready ready, std::uint64_t spin_ns) {
  if (ready()) return true;
  if (spin_ns == 0) return false;
  // The clock is read once in a while: a pause takes 10 to 50 ns, reading 25.
  constexpr int pauses_a_look = 64;
  const std::uint64_t deadline_ns = base::now_ns() + spin_ns;
  do {
    for (int i = 0; i < pauses_a_look; ++i) {
      sync::relax();
      if (ready()) return true;
    }
  } while (base::now_ns() < deadline_ns);
  return false;
}

class gate {
 public:
  // Returns once ready() holds. ready() loads, with acquire, what the opener
  // stored with release before it called open().
  template <class Ready>
  void wait(Ready ready, std::uint64_t spin_ns) {
    if (spin(ready, spin_ns)) return;
    for (;;) {
      // (1) relaxed; alone: (3) orders it before the look at ready()
      const int seen = openings_.load(sync::relaxed);
      // (2) relaxed; alone: (3) orders it before the look at ready()
      sleepers_.fetch_add(1, sync::relaxed);
      // (3) seq_cst fence; pairs with (5): one of the two sides sees the other's store
      sync::fence();
      const bool done = ready();
      if (!done) sync::futex_wait(openings_, seen);
      // (4) relaxed; alone: an opener that misses it makes a system call too many
      sleepers_.fetch_sub(1, sync::relaxed);
      if (done || ready()) return;
    }
  }

  // After the store that makes ready() true. No system call unless a thread sleeps.
  void open() {
    // (5) seq_cst fence; pairs with (3)
    sync::fence();
    open_after_fence();
  }

  // For an opener that made several conditions true and fenced once for all.
  void open_after_fence() {
    // (6) relaxed; alone: (5) orders it after the store that makes ready() true
    if (sleepers_.load(sync::relaxed) == 0) return;
    // (7) relaxed; alone: the system call orders it before the wake-up
    openings_.fetch_add(1, sync::relaxed);
    sync::futex_wake_all(openings_);
  }

 private:
  sync::atomic<int> openings_{0};  // the futex word; changes with every wake-up
  sync::atomic<int> sleepers_{0};  // threads between (2) and (4)
};

}  // namespace doall::park
