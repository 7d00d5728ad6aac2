// Which tasks are not executed: those that have not begun when their taskgroup, or their region, is
// cancelled. One whose payload has objects (must_run) is the door's to leave out: the engine calls
// its function, which destroys them.
//   Clang  destructors come apart from the task's code: the door calls these alone.
//   GCC    the task's code destroys them at its end. So the door makes no such task after the
//          cancellation; one that has been made before is executed, but for a taskloop's last one,
//          which copies as it begins. (libgomp leaves its code out, and its objects undestroyed.)
#include "tasks/task_run.hpp"

namespace doall::tasks {

constinit task_limits limits_of_tasks;

namespace {

// The group that `cancel taskgroup` means; null: none.
task_group* group_of(const executor& me) {
  task_group* g = me.group;
  while (g != nullptr && g->is_construct) g = g->outer;
  return g;
}

// The tasks of a cancelled group's tasks are in that group, too.
bool is_in_cancelled(const executor& me, const task_group* g) {
  // (3) relaxed; alone: what follows the cancellation sees it, as it would the flag
  if (me.tasks_of->cancelled_groups.load(sync::relaxed) == 0) return false;
  for (; g != nullptr; g = g->outer) {
    // (1) acquire; pairs with (2): what the canceller did
    if (g->cancelled.load(sync::acquire)) return true;
  }
  return false;
}

bool is_in_cancelled_region(const executor& me) {
  return (me.tasks_of->meeting.cancelled() & meetings::cancelled_parallel) != 0;
}

}  // namespace

void cancel_group(executor& me) {
  task_group* const g = group_of(me);
  if (g == nullptr) return;
  // (4) relaxed; alone: as (3)
  me.tasks_of->cancelled_groups.fetch_add(1, sync::relaxed);
  // (2) release; pairs with (1): what this thread did
  if (g->cancelled.exchange(true, sync::release)) {
    // (5) relaxed; alone: as (3): it is counted once
    me.tasks_of->cancelled_groups.fetch_sub(1, sync::relaxed);
  }
}

bool is_group_cancelled(const executor& me) { return is_in_cancelled(me, me.group); }

bool is_discarded(const executor& me, const task* t) {
  if (!limits_of_tasks.may_cancel() || t->must_run) return false;
  return is_in_cancelled_region(me) || is_in_cancelled(me, t->group);
}

bool is_discarded(const executor& me) {
  if (!limits_of_tasks.may_cancel()) [[likely]]
    return false;
  return is_in_cancelled_region(me) || is_in_cancelled(me, me.group);
}

}  // namespace doall::tasks
