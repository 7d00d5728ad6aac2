// A gate (event count), where threads wait for another: they spin for a bounded time, then sleep.
//
// A gate belongs to a condition that some thread makes true by a release store. Any number of
// threads may wait at it, any thread may open it. src/park/README.md has the protocol step by step,
// with the numbers used here, and the argument that no wake-up is lost. Checked by
// tests/model/model_gate.cpp, with both fences real ones, and tests/model/model_asymmetric.cpp.
//
// A gate must outlive every open() that has begun: a waiter may return before its opener has looked
// for sleepers.
//
// Cost: open() with no sleeper, two loads and no fence; wait(), see README.md.
#pragma once

#include <cstdint>

#include "base/arith.hpp"
#include "base/asymmetric_fence.hpp"
#include "base/clock.hpp"
#include "base/sync.hpp"
#include "park/spin.hpp"

namespace doall::park {

// How a wait ended.
enum class wait_end {
  at_once,   // ready at the first look
  spinning,  // ready while it spun
  asleep,    // ready only after it had gone, or nearly gone, to sleep
};

struct waited {
  wait_end end = wait_end::at_once;
  std::uint64_t ns = 0;  // how long; 0: a few microseconds at most
};

class gate {
 public:
  // Returns once ready() holds. ready() loads, with acquire, what the opener stored with release
  // before it called open(). Spins at first, as `bound` says.
  template <class Ready>
  waited wait(Ready ready, spin_bound bound) {
    return wait(ready, bound, no_bed{});
  }

  // The same for a thread that may also be called by threads that do not know its condition: they
  // look for any sleeper. bed.lie_down() announces, before the sleep, that it sleeps;
  // bed.is_called() says that it should wake though ready() may not hold; bed.get_up() announces
  // that it has woken.
  template <class Ready, class Bed>
  waited wait(Ready ready, spin_bound bound, const Bed& bed) {
    if (ready()) return {};
    const spun before = spin(ready, bound);
    if (before) return {wait_end::spinning, before.ns};
    const std::uint64_t lay_down_ns = base::now_ns();
    bed.lie_down();
    sleep([&] { return ready() || bed.is_called(); });
    bed.get_up();
    return {wait_end::asleep, before.ns + base::now_ns() - lay_down_ns};
  }

  // The same for about `ns` at most, spinning or asleep. Returns whether ready() held.
  template <class Ready>
  bool wait_at_most(Ready ready, spin_bound bound, std::uint64_t ns) {
    if (ns == 0) return ready();
    const std::uint64_t until_ns = base::saturating_add(base::now_ns(), ns);
    if (spin(ready, bound.at_most(ns))) return true;
    bool done = false;
    sleep(
        [&] {
          done = ready();
          return done || base::now_ns() >= until_ns;
        },
        [&](int seen) {
          const std::uint64_t now_ns = base::now_ns();
          if (now_ns < until_ns) sync::futex_wait_for(openings_, seen, until_ns - now_ns);
        });
    return done;
  }

  // Called after the store that makes ready() true. No system call unless a thread sleeps.
  void open() {
    // (5) seq_cst fence; pairs with (3): light, for the kernel makes it when (3) asks
    sync::light_fence();
    // (6) relaxed; alone: (5) orders it after the store that makes ready() true
    if (sleepers_.load(sync::relaxed) == 0) return;
    // (7) relaxed; alone: the system call orders it before the wake-up
    openings_.fetch_add(1, sync::relaxed);
    sync::futex_wake_all(openings_);
  }

 private:
  struct no_bed {
    void lie_down() const {}
    bool is_called() const { return false; }
    void get_up() const {}
  };

  template <class Ready>
  void sleep(Ready ready) {
    sleep(ready, [&](int seen) { sync::futex_wait(openings_, seen); });
  }

  template <class Ready, class Wait>
  void sleep(Ready ready, Wait wait) {
    for (;;) {
      // (1) relaxed; alone: (3) orders it before the look at ready()
      const int seen = openings_.load(sync::relaxed);
      // (2) relaxed; alone: (3) orders it before the look at ready()
      sleepers_.fetch_add(1, sync::relaxed);
      // (3) seq_cst fence; pairs with (5): one of the two sides sees the other's store
      sync::heavy_fence();
      const bool done = ready();
      if (!done) wait(seen);
      // (4) relaxed; alone: an opener that misses it makes one needless system call
      sleepers_.fetch_sub(1, sync::relaxed);
      if (done || ready()) return;
    }
  }

  sync::atomic<int> openings_{0};  // the futex word; changes with every wake-up
  sync::atomic<int> sleepers_{0};  // threads between (2) and (4)
};

}  // namespace doall::park
