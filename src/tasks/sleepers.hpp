// How threads of a team that find no task sleep, and how whoever hands a task over calls one.
//
//   sleeper                                      who hands over a task
//   (a) says within which task it waits; its     (d) pushes it
//       mark: it is asleep, at that gate;        (e) light fence
//       counts itself                            (f) looks at the count; 0: done
//   (b) heavy fence (the gate's)                 (g) unless one is already called: finds a mark
//   (c) looks whether it is called, and for          of a sleeper that may take the task, makes
//       tasks; sleeps if there are none              it called by a swap, and opens its gate
//   (h) awake; called: a heavy fence
//   (i) called: as (g) for the oldest task
//       of each deque, until one is called
//
// As in steal/wake_up.hpp, either (c) sees the task or (f) and (g) see the sleeper. One thread at a
// time is called, for a system call a task would cost more than the task. That is enough: a pusher
// that finds one called has pushed before its fence, so that (i) sees the task.
//
// A mark belongs to a thread number of the team, and the gate in it tells whose it is. A thread
// that has run its part of a region may still lie there when that number is another thread's, in a
// later region: its worker slot has moved meanwhile (threads/inner_pools.cpp). Four rules keep them
// apart:
// - A thread that finds a foreign mark lies down in its place, unless its own region is over.
//   is_current() says so; it is right once the thread has read the mark of a later region's thread.
// - If the foreign mark was called, the new one is, too: its thread does (i) instead.
// - A thread that gets up clears the mark only if it is its own.
// - A thread whose region is over does (i) like any other if it is called: it passes the call on.
//
// State: for each thread number a `sleeper`; how many sleep; a hint who was called last.
// Callers: lie_down(), was_called(), get_up(), the sleeper's thread; the others, any thread.
// Terminates: no step waits; a swap in (a) fails only when another thread has changed the mark.
// Cost of a push: one light fence and one load if no thread sleeps.
// Checked by tests/model/model_sleepers.cpp.
#pragma once

#include <cstdint>

#include "base/sync.hpp"
#include "park/gate.hpp"

namespace doall::tasks {

struct task;

class sleeper {
 public:
  enum state : std::uintptr_t { asleep = 1, asleep_for_any = 2, called = 3, states = 3 };

  // A gate's address, and the state of the thread that sleeps there; 0: the thread is awake.
  using mark = std::uintptr_t;
  static mark mark_of(park::gate& at, state is) {
    static_assert(alignof(park::gate) > states);
    return reinterpret_cast<mark>(&at) + is;
  }
  static state state_in(mark m) { return static_cast<state>(m & states); }
  static park::gate* gate_in(mark m) { return reinterpret_cast<park::gate*>(m & ~mark{states}); }

 private:
  friend class sleepers;
  sync::atomic<mark> rest_{0};
  sync::atomic<task*> within_{nullptr};  // not to const: the model checker's atomics take none
};

class sleepers {
 public:
  // Step (a). The thread may take tasks that descend from `within`; null: any. is_current(): its
  // region is the team's present one. False: it is not, and the thread cannot be called.
  template <class IsCurrent>
  bool lie_down(sleeper& me, const task* within, park::gate& at, IsCurrent is_current) {
    const sleeper::state mine = within != nullptr ? sleeper::asleep : sleeper::asleep_for_any;
    // (2) relaxed; alone: (4) publishes it
    if (within != nullptr) me.within_.store(const_cast<task*>(within), sync::relaxed);
    for (;;) {
      // (3) acquire; pairs with (4): a later region, if its thread lies here
      sleeper::mark seen = me.rest_.load(sync::acquire);
      if (!is_current()) return false;
      const bool is_called = sleeper::state_in(seen) == sleeper::called;
      const sleeper::mark next = sleeper::mark_of(at, is_called ? sleeper::called : mine);
      // (4) release; pairs with (3), (9): within which task it sleeps, in which region
      if (me.rest_.compare_exchange_strong(seen, next, sync::release, sync::relaxed)) break;
    }
    // (1) relaxed; alone: the gate's fence comes next
    count_.fetch_add(1, sync::relaxed);
    return true;
  }

  static bool was_called(const sleeper& me, park::gate& at) {
    // (5) relaxed; alone: a called sleeper looks at all deques again before it sleeps again
    return me.rest_.load(sync::relaxed) == sleeper::mark_of(at, sleeper::called);
  }

  // Step (h), after lie_down() with that gate. True: the thread was called. Then it calls for the
  // oldest tasks, step (i).
  bool get_up(sleeper& me, park::gate& at) {
    // (6) relaxed; alone: a pusher that misses it looks for a sleeper in vain
    count_.fetch_sub(1, sync::relaxed);
    // (16) relaxed; alone: (7) reads it again
    sleeper::mark seen = me.rest_.load(sync::relaxed);
    do {
      if (sleeper::gate_in(seen) != &at) return false;
      // (7) relaxed; alone: the fence orders it
    } while (!me.rest_.compare_exchange_strong(seen, 0, sync::relaxed, sync::relaxed));
    if (sleeper::state_in(seen) != sleeper::called) return false;
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
      // (9) acquire; pairs with (4): within which task it sleeps
      sleeper::mark now = s->rest_.load(sync::acquire);
      if (now == 0) continue;
      const sleeper::state is = sleeper::state_in(now);
      if (is == sleeper::called) return true;
      // (13) relaxed; alone: (9) has acquired it
      if (is == sleeper::asleep && !may_take(s->within_.load(sync::relaxed))) continue;
      park::gate* const bed = sleeper::gate_in(now);
      // (11) relaxed; alone: the mark is the whole message
      if (!s->rest_.compare_exchange_strong(now, sleeper::mark_of(*bed, sleeper::called),
                                            sync::relaxed, sync::relaxed)) {
        continue;
      }
      // (12) relaxed; alone: as (10)
      last_called_.store(i, sync::relaxed);
      bed->open();
      return true;
    }
    return false;
  }

 private:
  sync::atomic<std::uint32_t> count_{0};
  sync::atomic<std::uint32_t> last_called_{0};
};

}  // namespace doall::tasks
