// Whether tasks of a team wait for events, and what a thread that waits does then: it keeps no task
// back. Whatever is in its deque may bring an event, also what lies there for its own next task
// alone, or behind an older task that the thieves may not begin (README.md, "Events may come from
// anywhere").
//
//   a thread that makes a detached task          a thread that waits
//   (a) counts it                                (c) sleeps in its bed, behind its heavy fence
//   (b) if it is the first, opens the beds of    (d) looks at the count and at its deque; if there
//       all threads (each a light fence)             is both, it stays awake and queues all that
//                                                    is in the deque, where any thread finds it
//
// Either (d) sees the count, or (b) sees the sleeper: the gate's own argument (src/park/README.md).
// A thread that falls asleep later sees the count. One that makes a further task wakes nobody:
// whoever sleeps by then has an empty deque, or is being woken.
//
// State: how many detached tasks are not finished.
// Callers: add(), the maker; drop(), any thread; any(), any thread; queue_all(), the deque's owner.
// Terminates: queue_all() takes what is there; nobody else pushes.
// Cost: without detached tasks one load when a thread that waits finds nothing.
// Checked by tests/model/model_open_events.cpp.
#pragma once

#include <cstdint>

#include "base/sync.hpp"
#include "deque/theft.hpp"

namespace doall::tasks {

class open_events {
 public:
  // Steps (a) and (b). wake_all() opens the beds.
  template <class WakeAll>
  void add(WakeAll wake_all) {
    // (1) relaxed; alone: the gates' fences order it
    if (count_.fetch_add(1, sync::relaxed) == 0) wake_all();
  }

  // The task is finished, or discarded.
  void drop() {
    // (2) relaxed; alone: a thread that misses it shares tasks in vain
    count_.fetch_sub(1, sync::relaxed);
  }

  bool any() const {
    // (3) relaxed; alone: a hint; a thread that goes to sleep has had a fence
    return count_.load(sync::relaxed) != 0;
  }

  // Queues what is in the thread's own deque, from the top: the bottom stays, and so floors are
  // right.
  template <class Owner, class Thief, class Enqueue>
  static void queue_all(Owner mine, Thief victim, Enqueue enqueue) {
    while (!mine.is_empty()) {
      std::uintptr_t item = 0;
      if (victim.steal(item, [](std::uintptr_t) { return true; }) != deque::theft::done) continue;
      enqueue(item);
    }
  }

 private:
  sync::atomic<std::uint32_t> count_{0};
};

}  // namespace doall::tasks
