// When others may change a thread's CPUs: while it rests, between two tasks, and runs no code of
// the program. So the program's code sees no CPUs but its own.
//
// Two words, and a fence between them on both sides. The thread that goes to work stores that it no
// longer rests, and then looks whether anyone has the lock; who wants to move it takes the lock,
// and then looks whether it rests. One of the two sees the other (src/park/README.md). The fence is
// light for the thread, which passes at each task, and heavy for who moves it.
//
// State: whether the thread rests, and a lock on its CPUs, held for a few system calls.
// Callers: rest(), rise(), the thread itself; `hold`, any thread; the thread itself needs no look
// at stays_at_rest(). Terminates: rise() waits for the holder of the lock, which waits for nobody;
// a hold only tries. Checked by tests/model/model_resting.cpp.
#pragma once

#include "base/asymmetric_fence.hpp"
#include "base/sync.hpp"

namespace doall::team {

class resting {
 public:
  void rest() {
    // (1) release; pairs with (6): what the thread has set of its CPUs
    rests_.store(true, sync::release);
  }

  // The thread's CPUs are its own when it returns.
  void rise() {
    // (2) relaxed; pairs with (6): see (3)
    rests_.store(false, sync::relaxed);
    // (3) seq_cst fence; pairs with (5): light; (6) sees (2), or (4) sees (7)
    sync::light_fence();
    // (4) acquire; pairs with (8): the CPUs that the last holder left
    while (held_.load(sync::acquire)) [[unlikely]]
      sync::yield();
  }

  // Keeps others from the thread's CPUs, if none keeps this one from them.
  class hold {
   public:
    // (7) acquire; pairs with (8): the CPUs that the last holder left
    explicit hold(resting& of) : of_(of), has_(!of.held_.exchange(true, sync::acquire)) {}
    ~hold() {
      // (8) release; pairs with (4), (7): the thread's CPUs
      if (has_) of_.held_.store(false, sync::release);
    }
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;

    bool allowed() const { return has_; }

    // Of another thread that has the lock: whether the thread rests until the lock is free.
    bool stays_at_rest() const {
      // (5) seq_cst fence; pairs with (3): heavy
      sync::heavy_fence();
      // (6) acquire; pairs with (1), (2): see (3)
      return of_.rests_.load(sync::acquire);
    }

   private:
    resting& of_;
    bool has_;
  };

 private:
  sync::atomic<bool> rests_{false};
  sync::atomic<bool> held_{false};
};

}  // namespace doall::team
