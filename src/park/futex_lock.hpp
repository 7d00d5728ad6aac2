// A lock of one futex word, after the third mutex of Drepper's "Futexes Are Tricky" (2011), with a
// spin before the sleep. All zero bytes are a free lock: a program's static storage can be one.
//
// State of the word: free, held, or held with perhaps a sleeper (contended). A thread that gives up
// spinning marks the word contended before it sleeps, and again when it gets the lock, since others
// may still sleep. So a holder that finds the mark wakes one sleeper, and none is forgotten.
//
// Callers: any thread, OpenMP's or not; a thread may unlock what another has locked. Not fair.
// Terminates when the holders unlock: every unlock of a contended word wakes a sleeper, and a word
// is contended while one sleeps.
// Cost: one compare-and-swap and one exchange without contention.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/sync.hpp"
#include "base/tsan.hpp"
#include "park/gate.hpp"

namespace doall::park {

class futex_lock {
 public:
  bool try_lock() {
    int expected = free;
    // (1) acquire; pairs with (4): what the last holder did is visible
    const bool taken = word_.compare_exchange_strong(expected, held, sync::acquire, sync::relaxed);
    if (taken) base::tsan_takes(this);
    return taken;
  }

  void lock(spin_bound bound) {
    if (try_lock()) return;
    const auto taken = [&, pauses = 1]() mutable {
      // (2) relaxed; alone: a look that saves the line's transfer; try_lock() decides
      if (word_.load(sync::relaxed) == free && try_lock()) return true;
      // Look ever less often, up to about a microsecond: each look takes the holder's line away.
      for (int i = 0; i < pauses; ++i) sync::relax();
      pauses = std::min(2 * pauses, most_pauses);
      return false;
    };
    if (spin(taken, bound)) return;
    // (3) acquire; pairs with (4): what the last holder did is visible
    while (word_.exchange(contended, sync::acquire) != free) sync::futex_wait(word_, contended);
    base::tsan_takes(this);
  }

  void unlock() {
    if (base::tsan_listens()) [[unlikely]] {
      unlock_watched();
    } else {
      release();
    }
  }

 private:
  void release() {
    // (4) release; pairs with (1), (3): what was done under the lock
    if (word_.exchange(free, sync::release) == contended) [[unlikely]]
      wake_one();
  }

  // Not inlined, so that an unlock without waiters needs no stack.
  [[gnu::noinline, gnu::cold]] void wake_one() { sync::futex_wake_one(word_); }
  [[gnu::noinline, gnu::cold]] void unlock_watched() {
    base::tsan_gives(this);
    release();
  }

  enum state : int { free = 0, held = 1, contended = 2 };

  static constexpr int most_pauses = 32;

  sync::atomic<int> word_{free};
};

}  // namespace doall::park
