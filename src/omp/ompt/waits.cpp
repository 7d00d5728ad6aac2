// Barriers, taskwait, taskgroup, and reductions.
//
// Each is a region of synchronisation, inside of which the thread waits. The thread may execute
// explicit tasks while it waits: their events come in between.
#include <array>
#include <memory>
#include <vector>

#include "omp/ompt/events.hpp"
#include "omp/ompt/hooks.hpp"

namespace doall::omp::ompt {
namespace {

ompt_state_t state_of(ompt_sync_region_t kind) {
  switch (kind) {
    case ompt_sync_region_barrier_implicit_workshare:
      return ompt_state_wait_barrier_implicit_workshare;
    case ompt_sync_region_barrier_implementation: return ompt_state_wait_barrier_implementation;
    case ompt_sync_region_taskwait: return ompt_state_wait_taskwait;
    case ompt_sync_region_taskgroup: return ompt_state_wait_taskgroup;
    default: return ompt_state_wait_barrier_explicit;
  }
}

// A wait; with `whole`, the region of synchronisation around it, too.
template <class Action>
auto wait(thread_record& me, ompt_sync_region_t kind, const call& from, bool whole, Action action) {
  const call outside = call_from_outside(from);
  struct ends {
    thread_record& me;
    ompt_sync_region_t kind;
    const void* code;
    ~ends() {
      tell_sync(me, ompt_callback_sync_region_wait, kind, ompt_scope_end, code);
      tell_sync(me, ompt_callback_sync_region, kind, ompt_scope_end, code);
    }
  };
  const inside_runtime inside(me, outside);
  if (whole) tell_sync(me, ompt_callback_sync_region, kind, ompt_scope_begin, outside.code);
  const in_state waiting(me, state_of(kind));
  tell_sync(me, ompt_callback_sync_region_wait, kind, ompt_scope_begin, outside.code);
  const ends at_return{me, kind, outside.code};
  return action();
}

// taskwait with a depend clause is an empty undeferred task with these dependences.
void tell_empty_task(thread_record& me, task_record& empty, dependences on, const call& from) {
  const call outside = call_from_outside(from);
  const inside_runtime inside(me, outside);
  constexpr int flags = ompt_task_taskwait | ompt_task_undeferred | ompt_task_mergeable;
  empty.flags = flags;
  tell<ompt_callback_task_create_t>(me, ompt_callback_task_create, &me.current->data,
                                    &me.current->frame, &empty.data, flags, 1, outside.code);
  tell_dependences(me, empty, on);
}

}  // namespace

bool watched_barrier(ompt_sync_region_t kind, const call& from) {
  task_state& task = self();
  thread_record* const me = observed();
  if (me == nullptr) return team_barrier(task);
  close_single(*me);
  return wait(*me, kind, from, true, [&] { return team_barrier(task); });
}

void watched_taskwait(const dependences* on, const call& from) {
  task_state& task = self();
  std::shared_ptr<task_record> empty;
  const auto act = [&] {
    if (on == nullptr) {
      wait_for_children(task);
    } else {
      wait_for_dependences(task, *on, empty);
    }
  };
  thread_record* const me = observed();
  if (me == nullptr) {
    act();
    return;
  }
  if (on != nullptr) {
    empty = std::make_shared<task_record>();
    tell_empty_task(*me, *empty, *on, from);
  }
  wait(*me, ompt_sync_region_taskwait, from, true, act);
  if (on != nullptr) {
    ompt_data_t* const nothing = nullptr;
    tell<ompt_callback_task_schedule_t>(*me, ompt_callback_task_schedule, &empty->data,
                                        ompt_taskwait_complete, nothing);
  }
}

void watched_group(ompt_scope_endpoint_t end, task_state& task, const call& from) {
  thread_record* const me = observed();
  if (end == ompt_scope_begin) {
    if (me != nullptr) {
      tell_sync(*me, ompt_callback_sync_region, ompt_sync_region_taskgroup, end,
                call_from_outside(from).code);
    }
    begin_group(task);
  } else if (me != nullptr) {
    wait(*me, ompt_sync_region_taskgroup, from, false, [&] { end_group(task); });
  } else {
    end_group(task);
  }
}

void watched_reduction(ompt_scope_endpoint_t end, const call& from) {
  thread_record* const me = observed();
  if (me == nullptr) return;
  if (end == ompt_scope_begin) {
    me->state = ompt_state_work_reduction;
  } else {
    me->state = working_state(*me->current);
  }
  tell_sync(*me, ompt_callback_reduction, ompt_sync_region_reduction, end,
            call_from_outside(from).code);
}

}  // namespace doall::omp::ompt
