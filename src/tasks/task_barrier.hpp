// The barrier of a team whose threads execute tasks while they wait, and how they wait.
//
// Steps. A thread arrives when all that its implicit task has made is complete.
//
//   a thread that waits                          one that hands over a task
//   (a) counts itself in (full_barrier.hpp)      (e) pushes it
//   (b) no tasks in the region: sleeps at the    (f) notes that the region has tasks; if these are
//       barrier's gate; tasks wake it, too           the first, opens the barrier's gate
//   (c) tasks: executes those that it may take   (g) calls a sleeper, if there is one
//   (d) none that it may take: sleeps in its         (sleepers.hpp)
//       bed, where it can be called
//                                                the last thread to arrive
//                                                (h) begins the next generation, and opens the
//                                                    barrier's gate
//                                                (i) tasks: opens the bed of every member
//
// README.md ("The barrier, step by step") argues that no thread sleeps on, and that all tasks are
// complete when a thread leaves. Along a tree (tree_barrier.hpp) each thread has a gate of its own,
// and sleeps there in (d), too; (i) falls away.
//
// State: none of its own. `Thread` is a thread's view of its team:
//   take()            a task that it may begin, or null
//   may_take()        whether it is worth trying, now or soon
//   execute(t)
//   has_tasks()       whether the region has had tasks
//   is_over()         whether the wait is given up
//   is_alone()        whether nobody else will end what it waits for (the child of a fork)
//   bed()             its own gate
//   bed_at(gate)      how it can be called there (park/gate.hpp)
//   spin()            for how long it waits awake
//   wake_members()    opens the beds of all members of the team
// Callers: the threads of a team; tell(), any thread, after it has pushed a task.
// Terminates: README.md. Cost: tell(), a light fence and two loads if no thread sleeps.
// Checked by tests/model/model_task_barrier.cpp.
#pragma once

#include <cstdint>

#include "barrier/full_barrier.hpp"
#include "park/gate.hpp"
#include "tasks/open_region.hpp"
#include "tasks/sleepers.hpp"

namespace doall::tasks::task_barrier {

// Executes tasks until ready(); asleep at that gate when there are none. Returns before that if
// the thread is alone and has nothing to execute.
template <class Thread, class Ready>
void execute_until(const Thread& me, park::gate& at, Ready ready) {
  const auto ready_or_task = [&] { return ready() || me.may_take(); };
  while (!ready()) {
    if (auto* const t = me.take()) {
      me.execute(t);
      continue;
    }
    if (me.is_alone()) [[unlikely]]
      return;
    at.wait(ready_or_task, me.spin(), me.bed_at(at));
  }
}

// Steps (b) to (d), at a gate that the barrier opens when ready() holds. False: given up.
// `one_gate`: all threads have that one. Then a thread that takes tasks sleeps in its own bed,
// where it is called alone.
template <class Thread, class Ready>
bool wait(const Thread& me, park::gate& at, bool one_gate, Ready ready) {
  const auto over = [&] { return ready() || me.is_over(); };
  while (!over()) {
    if (me.has_tasks()) {
      execute_until(me, one_gate ? me.bed() : at, over);
    } else {
      at.wait([&] { return over() || me.has_tasks(); }, me.spin());
    }
  }
  return ready();
}

// Steps (a) to (d), (h) and (i). The last to arrive calls last() before it lets the others go.
template <class Thread, class Last>
void arrive(barrier::full_barrier& all, std::uint32_t size, const Thread& me, Last last) {
  const auto waits = [&](park::gate& at, auto ready) { wait(me, at, true, ready); };
  const bool was_last = all.arrive(size, waits, last);
  if (was_last && me.has_tasks()) me.wake_members();
}

// Steps (f) and (g). wake(): opens the barrier's gates; call(): calls one of the sleepers.
template <class Wake, class Call>
void tell(open_region& region, const sleepers& asleep, Wake wake, Call call) {
  // A hint, which only spares the slow path.
  if (!region.has_tasks() && region.note()) [[unlikely]]
    wake();
  if (asleep.any()) [[unlikely]]
    call();
}

}  // namespace doall::tasks::task_barrier
