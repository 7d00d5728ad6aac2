// The full barrier inside a parallel region, by a counter: each worker waits for all others. For
// small teams; large ones meet along a tree (tree_barrier.hpp).
//
// A central counter and a generation: the last worker to arrive resets the counter and begins the
// next generation, for which the others wait. OpenMP's `barrier` and the end of a worksharing
// construct need this; a loop's own fork and join do not (half_barrier.hpp).
//
// State: arrivals of this generation, 0 to P - 1; the generation, which only grows. Any of the P
// workers may call arrive(); none twice in a generation, because it returns only when the
// generation has ended.
// Cost: one read-modify-write for each worker, on one line: O(P) transfers.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "park/gate.hpp"

namespace doall::barrier {

class full_barrier {
 public:
  // Returns when `size` workers have arrived. What each did before is visible to all after.
  void arrive(std::uint32_t size, std::uint64_t spin_ns) {
    arrive(size, [&](park::gate& at, auto ready) { at.wait(ready, spin_ns); }, [] {});
  }

  // The same for workers that do other things while they wait: wait(gate, ready) returns when
  // ready() holds, or, if the barrier is given up, at any time. The last to arrive calls last()
  // before it lets the others go. Returns whether it was this worker.
  template <class Wait, class Last>
  bool arrive(std::uint32_t size, Wait wait, Last last) {
    if (size == 1) return false;
    // (1) relaxed; alone: the generation cannot end before this worker arrives
    const std::uint64_t current = generation_.load(sync::relaxed);
    // (2) acq_rel; pairs with (2): the last to arrive has seen what the others did
    if (arrived_.fetch_add(1, sync::acq_rel) + 1 == size) {
      last();
      // (3) relaxed; alone: (4) publishes it
      arrived_.store(0, sync::relaxed);
      // (4) release; pairs with (5): publishes what all did
      generation_.store(current + 1, sync::release);
      waiting_.open();
      return true;
    }
    // (5) acquire; pairs with (4): what all did is visible
    wait(waiting_, [&] { return generation_.load(sync::acquire) != current; });
    return false;
  }

  // Has waiting workers look again.
  void wake() { waiting_.open(); }

  // After the barrier was given up: forgets who has arrived. Called while no worker is in it.
  void forget() {
    // (6) relaxed; alone: no worker is in the barrier
    arrived_.store(0, sync::relaxed);
  }

 private:
  alignas(base::apart_bytes) sync::atomic<std::uint32_t> arrived_{0};
  alignas(base::apart_bytes) sync::atomic<std::uint64_t> generation_{0};
  park::gate waiting_;
};

}  // namespace doall::barrier
