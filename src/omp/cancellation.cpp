#include "omp/cancellation.hpp"

#include "omp/icv.hpp"
#include "omp/loops.hpp"
#include "omp/ompt/hooks.hpp"
#include "omp/task_run.hpp"

namespace doall::omp {
namespace {

// The group that `cancel taskgroup` means; null: none.
task_group* group_of(const task_state& me) {
  task_group* g = me.group;
  while (g != nullptr && g->is_construct) g = g->outer;
  return g;
}

// The tasks of a cancelled group's tasks are in that group, too.
bool is_in_cancelled(const task_state& me, const task_group* g) {
  // (3) relaxed; alone: what follows the cancellation sees it, as it would the flag
  if (me.team->tasks->cancelled_groups.load(sync::relaxed) == 0) return false;
  for (; g != nullptr; g = g->outer) {
    // (1) acquire; pairs with (2): what the canceller did
    if (g->cancelled.load(sync::acquire)) return true;
  }
  return false;
}

}  // namespace

bool may_cancel() { return process().cancellation; }

bool cancel(task_state& me, cancelled_construct what) {
  if (!may_cancel()) return false;
  ompt::cancelled(static_cast<int>(what));
  task_team& team = *me.team->tasks;
  switch (what) {
    case cancelled_construct::parallel:
      team.meeting.cancel(meetings::cancelled_parallel);
      wake_barrier(*me.team);
      team.wake_members();
      wake_loops(*me.team);
      break;
    case cancelled_construct::loop:
    case cancelled_construct::sections: team.meeting.cancel(meetings::cancelled_share); break;
    case cancelled_construct::taskgroup:
      if (task_group* const g = group_of(me)) {
        // (4) relaxed; alone: as (3)
        team.cancelled_groups.fetch_add(1, sync::relaxed);
        // (2) release; pairs with (1): what this thread did
        if (g->cancelled.exchange(true, sync::release)) {
          // (5) relaxed; alone: as (3): it is counted once
          team.cancelled_groups.fetch_sub(1, sync::relaxed);
        }
      }
      break;
  }
  return true;
}

bool is_cancelled(const task_state& me, cancelled_construct what) {
  if (!may_cancel()) return false;
  const std::uint32_t bits = me.team->tasks->meeting.cancelled();
  if ((bits & meetings::cancelled_parallel) != 0) return true;
  switch (what) {
    case cancelled_construct::parallel: return false;
    case cancelled_construct::loop:
    case cancelled_construct::sections: return (bits & meetings::cancelled_share) != 0;
    case cancelled_construct::taskgroup: return is_in_cancelled(me, me.group);
  }
  return false;
}

bool is_discarded(const task_state& me, const task* t) {
  if (!may_cancel() || t->must_run) return false;
  return (me.team->tasks->meeting.cancelled() & meetings::cancelled_parallel) != 0 ||
         is_in_cancelled(me, t->group);
}

bool is_discarded(const task_state& me) {
  if (!may_cancel()) [[likely]]
    return false;
  return (me.team->tasks->meeting.cancelled() & meetings::cancelled_parallel) != 0 ||
         is_in_cancelled(me, me.group);
}

void forget_cancelled_group(const task_state& me) {
  // (6) relaxed; alone: as (3)
  me.team->tasks->cancelled_groups.fetch_sub(1, sync::relaxed);
}

bool forget_cancellation(region& r) {
  const std::uint32_t bits = r.tasks->meeting.cancelled();
  if (bits == 0) return false;
  r.tasks->meeting.uncancel(bits);
  if ((bits & meetings::cancelled_parallel) == 0) return false;
  r.barrier.forget();
  r.tree_barrier.forget();
  if (!r.meeting.is_flat()) r.tree_barrier.make_room(r.size);
  abandon_loops(r);
  return true;
}

}  // namespace doall::omp
