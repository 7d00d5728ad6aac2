// State that the first worker to need it brings up to date.
//
// A loop over 1,024 workers must not begin with one worker initialising 1,024 queues, and a thief
// must be able to take from a victim that has not arrived. So per-worker state carries the number
// of the loop that it was initialised for. A worker that finds an older number claims the
// initialisation by one compare-and-swap; a worker that finds it claimed by another does not wait.
//
// States of the word, for the loop with number `epoch`:
//   < 2 epoch      stale: left over from an earlier loop
//   2 epoch        initialising: claimed, not to be touched by others
//   2 epoch + 1    ready
//
// Epochs are unique and increasing within one piece of storage, and the word is zero in fresh
// storage, so epochs begin at 1. No program runs 2^63 loops.
//
// Cost: one acquire load when ready; one compare-and-swap once in each loop.
#pragma once

#include <cstdint>

#include "base/sync.hpp"

namespace doall::base {

class first_touch {
 public:
  enum class state { stale, initialising, ready };

  // Any worker, any time.
  state look(std::uint64_t epoch) const {
    // (1) acquire; pairs with (4): a worker that sees ready sees the initialised state
    const std::uint64_t word = word_.load(sync::acquire);
    if (word == 2 * epoch + 1) return state::ready;
    return word == 2 * epoch ? state::initialising : state::stale;
  }

  // Brings the state up to date by `initialise()` unless another worker has done so or is about to.
  // Returns whether it is ready. Never waits.
  template <class Initialise>
  bool ensure(std::uint64_t epoch, Initialise initialise) {
    // (2) acquire; pairs with (4): as (1)
    std::uint64_t word = word_.load(sync::acquire);
    if (word == 2 * epoch + 1) return true;
    if (word == 2 * epoch) return false;
    // (3) acquire; pairs with (4): a loser may find the state ready. A winner needs no order: its
    // writes of the state come after the claim by program order, and the users of the earlier loop
    // left before this loop's storage was handed out.
    if (!word_.compare_exchange_strong(word, 2 * epoch, sync::acquire, sync::acquire)) {
      return word == 2 * epoch + 1;
    }
    initialise();
    // (4) release; pairs with (1), (2), (3): publishes the initialised state
    word_.store(2 * epoch + 1, sync::release);
    return true;
  }

 private:
  sync::atomic<std::uint64_t> word_{0};
};

}  // namespace doall::base
