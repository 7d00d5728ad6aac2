#include "omp/cancellation.hpp"

#include "omp/loops.hpp"
#include "omp/ompt/hooks.hpp"
#include "tasks/task_run.hpp"

namespace doall::omp {
bool cancel(task_state& me, cancelled_construct what) {
  if (!may_cancel()) return false;
  ompt::cancelled(static_cast<int>(what));
  task_team& team = *me.team->tasks;
  switch (what) {
    case cancelled_construct::parallel:
      team.meeting.cancel(meetings::cancelled_parallel);
      me.team->wake_barrier();
      team.wake_members();
      wake_loops(*me.team);
      break;
    case cancelled_construct::loop:
    case cancelled_construct::sections: team.meeting.cancel(meetings::cancelled_share); break;
    case cancelled_construct::taskgroup: cancel_group(me); break;
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
    case cancelled_construct::taskgroup: return is_group_cancelled(me);
  }
  return false;
}

bool forget_cancellation(region& r) {
  const std::uint32_t bits = r.tasks->meeting.cancelled();
  if (bits == 0) return false;
  r.tasks->meeting.uncancel(bits);
  if ((bits & meetings::cancelled_parallel) == 0) return false;
  r.barrier.forget();
  r.tree_barrier.forget();
  abandon_loops(r);
  return true;
}

}  // namespace doall::omp
