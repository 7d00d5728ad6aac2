// How far the threads of a region have come, and whether it is cancelled: for constructs in which a
// thread uses what lies on another's stack (copyprivate, reductions).
//
// A cancelled region is left from any barrier. So with cancellation each thread counts the barriers
// that it comes to. In a cancelled region it then waits, before it goes on, until each thread has
// come as far or has left the region:
//
//   a thread that waits                          a thread that comes, or leaves
//   (a) has seen that the region is cancelled    (d) counts it
//   (b) looks at each thread's count             (e) looks whether the region is cancelled: if so
//   (c) sleeps at the gate                           opens the gate
//
// The word that says so and the counts are sequentially consistent. If (e) does not see that the
// region is cancelled, (d) came before, and (b) sees it. Otherwise the gate wakes the waiter.
//
// State: a count for each thread, written by that thread alone; a word of bits.
// Callers: come(), leave() and wait_for_all(), a thread of the region; forget(), its leader before
// the region begins; the others, any thread of the region.
// Terminates: a thread of a cancelled region comes to a barrier or leaves; none of them waits for
// others before it has counted that.
// Cost: one store with a fence a barrier, and only if cancellation is possible.
// Checked by tests/model/model_meetings.cpp.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "park/gate.hpp"

namespace doall::tasks {

class meetings {
 public:
  // How many barriers of the region a thread has come to.
  class count {
    friend class meetings;
    sync::atomic<std::uint64_t> met_{0};
  };

  enum : std::uint32_t { cancelled_parallel = 1, cancelled_share = 2 };
  std::uint32_t cancelled() const {
    // (1) seq_cst; pairs with (2), (4): what the canceller did; see above
    return cancelled_.load(sync::seq_cst);
  }
  void cancel(std::uint32_t what) {
    // (2) seq_cst; pairs with (1): as there
    cancelled_.fetch_or(what, sync::seq_cst);
  }
  void uncancel(std::uint32_t what) {
    // (3) relaxed; alone: the barrier that follows, or the next release, publishes it
    cancelled_.fetch_and(~what, sync::relaxed);
  }

  void come(count& mine) {
    // (5) relaxed; alone: no other thread writes it
    note(mine, mine.met_.load(sync::relaxed) + 1);
  }
  void leave(count& mine) { note(mine, has_left); }
  static void forget(count& of) {
    // (6) relaxed; alone: the release publishes it
    of.met_.store(0, sync::relaxed);
  }

  // In a cancelled region, after come(): waits until each of `threads` has come as far, or has
  // left. count_of(i): that of thread i.
  template <class CountOf>
  void wait_for_all(const count& mine, std::uint32_t threads, CountOf count_of,
                    park::spin_bound spin) {
    // (7) relaxed; alone: this thread wrote it
    const std::uint64_t come = mine.met_.load(sync::relaxed);
    const auto have_come = [&] {
      for (std::uint32_t i = 0; i < threads; ++i) {
        // (8) seq_cst; pairs with (4): what the thread has left on its stack; see above
        if (count_of(i).met_.load(sync::seq_cst) < come) return false;
      }
      return true;
    };
    some_come_.wait(have_come, spin);
  }

 private:
  static constexpr std::uint64_t has_left = ~std::uint64_t{0};

  void note(count& mine, std::uint64_t met) {
    // (4) seq_cst; pairs with (1), (8): what this thread did with the others' data; see above
    mine.met_.store(met, sync::seq_cst);
    if ((cancelled() & cancelled_parallel) != 0) some_come_.open();
  }

  sync::atomic<std::uint32_t> cancelled_{0};
  park::gate some_come_;
};

}  // namespace doall::tasks
