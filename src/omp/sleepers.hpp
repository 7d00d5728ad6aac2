// How threads of a team that find no task sleep, and how whoever hands a task over calls one.
//
//   sleeper                                      who hands over a task
//   (a) counts itself, says within which task    (d) pushes it
//       it waits and at which gate, is asleep    (e) light fence
//   (b) heavy fence (the gate's)                 (f) looks at the count; 0: done
//   (c) looks whether it is called, and for      (g) unless one is already called: finds a
//       tasks; sleeps if there are none              sleeper that may take the task, makes it
//   (h) awake; called: a heavy fence                 called by a swap, and opens its gate
//   (i) called: as (g) for the oldest task
//       of each deque, until one is called
//
// As in steal/wake_up.hpp, either (c) sees the task or (f) and (g) see the sleeper. One thread at a
// time is called, for a system call a task would cost more than the task. That is enough: a pusher
// that finds one called has pushed before its fence, so that (i) sees the task.
//
// State: for each thread a `sleeper`; how many sleep; a hint who was called last.
// Callers: lie_down(), was_called(), get_up(), the sleeper's thread; the others, any thread.
// Terminates: no step waits.
// Cost of a push: one light fence and one load if no thread sleeps.
// Checked by tests/model/model_sleepers.cpp.
#pragma once

#include <cstdint>

#include "base/sync.hpp"
#include "park/gate.hpp"

namespace doall::omp {

struct task;

struct sleeper {
  enum state : std::uint32_t { awake, asleep, called };
  sync::atomic<std::uint32_t> rest{awake};
  sync::atomic<task*> within{nullptr};  // not to const: the model checker's atomics take none
  sync::atomic<park::gate*> at{nullptr};
};

class sleepers {
 public:
  // Step (a). The thread may take tasks that descend from `within`; null: any.
  void lie_down(sleeper& me, const task* within, park::gate& at) {
    // (1) relaxed; alone: the gate's fence comes next
    count_.fetch_add(1, sync::relaxed);
    // (2) relaxed; alone: (4) publishes it
    me.within.store(const_cast<task*>(within), sync::relaxed);
    // (3) relaxed; alone: (4) publishes it
    me.at.store(&at, sync::relaxed);
    // (4) release; pairs with (9), (11): where it sleeps, and within which task
    me.rest.store(sleeper::asleep, sync::release);
  }

  static bool was_called(const sleeper& me) {
    // (5) relaxed; alone: a called sleeper looks at all deques again before it sleeps again
    return me.rest.load(sync::relaxed) == sleeper::called;
  }

  // Step (h). True: the thread was called. Then it calls for the oldest tasks, step (i).
  bool get_up(sleeper& me) {
    // (6) relaxed; alone: a pusher that misses it looks for a sleeper in vain
    count_.fetch_sub(1, sync::relaxed);
    // (7) relaxed; alone: the fence orders it
    if (me.rest.exchange(sleeper::awake, sync::relaxed) != sleeper::called) return false;
    // (8) seq_cst fence; pairs with (14): heavy
    sync::heavy_fence();
    return true;
  }

  // Steps (e) and (f), after the push. False: no thread sleeps.
  bool any() const {
    // (14) seq_cst fence; pairs with gate (3), (8): light
    sync::light_fence();
    // (15) relaxed; alone: (14) orders it after the push
    return count_.load(sync::relaxed) != 0;
  }

  // Step (g) for a task. at(i): the sleeper of thread i of `threads`, or null; may_take(within):
  // whether a thread that waits so may take the task. Returns whether a thread is on its way.
  template <class At, class MayTake>
  bool call(std::uint32_t threads, At at, MayTake may_take) {
    // (10) relaxed; alone: a hint where to begin
    std::uint32_t i = last_called_.load(sync::relaxed);
    for (std::uint32_t tried = 0; tried < threads; ++tried, ++i) {
      if (i >= threads) i = 0;
      sleeper* const s = at(i);
      if (s == nullptr) continue;
      // (9) acquire; pairs with (4): where it sleeps
      const std::uint32_t now = s->rest.load(sync::acquire);
      if (now == sleeper::called) return true;
      // (16) relaxed; alone: (9) has acquired it
      if (now == sleeper::awake || !may_take(s->within.load(sync::relaxed))) continue;
      std::uint32_t asleep = sleeper::asleep;
      // (11) acquire; pairs with (4): where it sleeps
      if (!s->rest.compare_exchange_strong(asleep, sleeper::called, sync::acquire, sync::relaxed)) {
        continue;
      }
      // (12) relaxed; alone: as (10)
      last_called_.store(i, sync::relaxed);
      // (13) relaxed; alone: (11) has acquired it
      s->at.load(sync::relaxed)->open();
      return true;
    }
    return false;
  }

 private:
  sync::atomic<std::uint32_t> count_{0};
  sync::atomic<std::uint32_t> last_called_{0};
};

}  // namespace doall::omp
