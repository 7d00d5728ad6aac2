// The barrier of a team whose threads execute tasks while they wait.
//
// A thread arrives when all that its implicit task has made is complete, descendants too. So when
// all have arrived there are no tasks: each is a descendant of one of the implicit tasks, and these
// make none while they wait. Nothing has to be counted for the team. A thread that has arrived
// executes the others' tasks until it is released.
//
// task_barrier.hpp has the steps.
#include <utility>

#include "base/clock.hpp"
#include "base/tsan.hpp"
#include "observe/ledger.hpp"
#include "observe/record.hpp"
#include "observe/trace.hpp"
#include "omp/cancellation.hpp"
#include "omp/loops.hpp"
#include "omp/region.hpp"
#include "tasks/task_run.hpp"

namespace doall::omp {
namespace {

// Waits until each thread has come as far as this one, or has left.
void wait_for_all(task_state& me) {
  task_team& team = *me.team->tasks;
  // This deque could hide what another thread needs before it can come.
  if (me.at != nullptr) execute_own(me);
  team.meeting.wait_for_all(
      team.at(me.index).met, me.team->size,
      [&](std::uint32_t i) -> const meetings::count& { return team.at(i).met; }, me.team->spin());
}

// The thread has waited in a barrier since then.
void count_wait(task_state& me, std::uint64_t arrived_ticks) {
  const std::uint64_t now_ticks = base::ticks();
  me.waited_ticks += now_ticks - arrived_ticks;
  if (const observe::site* const of = me.team->counted)
    observe::trace::add_waiting(observe::look_of(*of), me.index, arrived_ticks, now_ticks);
}

}  // namespace

void forget_meetings(region& r) {
  if (!may_cancel()) return;
  for (std::uint32_t i = 0; i < r.size; ++i) {
    meetings::forget(r.tasks->at(i).met);
  }
}

bool meet_all(task_state& me) {
  me.meets_all = true;
  return team_barrier(me);
}

void region::wake_barrier() {
  barrier.wake();
  if (!meeting.is_flat()) tree_barrier.wake();
}

void region::help(std::uint32_t index) {
  const team::helping::chance before = team::helping::here();
  team::helping::set_here({});
  {
    task_state me(*this, index, task_state::helper{});
    execute_all(me);
  }
  team::helping::set_here(before);
}

namespace {

// Apart, so that the usual barrier of one thread saves no registers.
[[gnu::noinline]] bool full_barrier_of(task_state& me) {
  region& r = *me.team;
  task_team& team = *r.tasks;
  const std::uint64_t arrived_ticks = r.timed || observe::enabled() ? base::ticks() : 0;
  leave_dispatched(me);
  me.blocks_open = false;
  if (me.node != nullptr) [[unlikely]]
    complete_tasks(me);
  base::tsan_gives(&r.barrier);
  const bool is_met_by_all = std::exchange(me.meets_all, false);
  if (r.size > 1 && may_cancel()) team.meeting.come(team.at(me.index).met);
  const auto last = [&] {
    if (may_cancel()) team.meeting.uncancel(meetings::cancelled_share);
  };
  if (r.size == 1 || r.forked) {
    last();
  } else if (is_given_up(r)) [[unlikely]] {
  } else if (r.meeting.is_flat()) {
    task_barrier::arrive(r.barrier, r.size, waiting_thread(me, nullptr), last);
  } else {
    const std::uint32_t first = r.first_slot;
    const auto waits = [&](park::gate& at, auto ready) {
      return task_barrier::wait(waiting_thread(me, nullptr), at, false, ready);
    };
    r.tree_barrier.arrive(r.meeting, {first, first + r.size}, first + me.index, waits, last);
  }
  const bool is_cancelled = (team.meeting.cancelled() & meetings::cancelled_parallel) != 0;
  if (is_cancelled && is_met_by_all && r.size > 1 && !r.forked) wait_for_all(me);
  base::tsan_takes(&r.barrier);
  if (arrived_ticks != 0) count_wait(me, arrived_ticks);
  return is_cancelled;
}

}  // namespace

bool team_barrier(task_state& me) {
  const region& r = *me.team;
  if (r.size != 1 || me.node != nullptr || me.loop.dispatched || may_cancel() || r.timed ||
      observe::enabled()) {
    return full_barrier_of(me);
  }
  me.blocks_open = me.meets_all = false;
  return false;
}

void end_part(task_state& me) {
  leave_dispatched(me);
  leave_turn(me);
  task_team& team = *me.team->tasks;
  if (me.team->size > 1 && may_cancel()) team.meeting.leave(team.at(me.index).met);
  if (me.node == nullptr) [[likely]]
    return;
  complete_tasks(me);
  // A cancelled region is left in the middle of its groups.
  while (me.node->kind == task_kind::group) end_group(me);
  // What is left in the deque belongs to other threads' branches. Nobody may be at this slot later
  // to take it, and it could hide what a waiting thread needs.
  execute_own(me);
}

bool is_given_up(const region& r) { return r.tasks->is_given_up(); }

}  // namespace doall::omp
