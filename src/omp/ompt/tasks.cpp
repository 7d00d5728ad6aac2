// Explicit tasks: made, begun, ended; their dependences and events.
//
// A task that a tool knows has a record in its descriptor (task_extra). A task that was made while
// no tool was there has none, and is never told of.
#include <vector>

#include "omp/ompt/events.hpp"
#include "omp/ompt/hooks.hpp"
#include "tasks/task_run.hpp"

namespace doall::omp::ompt {
namespace {

task_record* record_of(const task* t) {
  return t != nullptr && t->extra != nullptr ? static_cast<task_record*>(t->extra->record.get())
                                             : nullptr;
}

ompt_dependence_type_t type_of(const dependence& d) {
  switch (d.kind) {
    case dependence_kind::in: return ompt_dependence_type_in;
    case dependence_kind::mutexinoutset: return ompt_dependence_type_mutexinoutset;
    case dependence_kind::inoutset: return ompt_dependence_type_inoutset;
    case dependence_kind::out: break;
  }
  // Both ABIs pass out and inout as one kind.
  return d.address == nullptr ? ompt_dependence_type_inout_all_memory : ompt_dependence_type_inout;
}

void tell_schedule(thread_record& me, task_record& prior, ompt_task_status_t status,
                   task_record& next) {
  tell<ompt_callback_task_schedule_t>(me, ompt_callback_task_schedule, &prior.data, status,
                                      &next.data);
}

}  // namespace

void tell_dependences(thread_record& me, task_record& of, dependences on) {
  std::vector<ompt_dependence_t> all;
  for (const dependence& one : on) {
    ompt_dependence_t d{};
    d.variable.ptr = one.address;
    d.dependence_type = type_of(one);
    all.push_back(d);
  }
  tell<ompt_callback_dependences_t>(me, ompt_callback_dependences, &of.data, all.data(),
                                    static_cast<int>(all.size()));
}

void watched_doacross(ompt_dependence_type_t kind, std::span<const std::uint64_t> iteration) {
  thread_record* const me = observed();
  if (me == nullptr) return;
  std::vector<ompt_dependence_t> all;
  for (const std::uint64_t index : iteration) {
    ompt_dependence_t d{};
    d.variable.value = index;
    d.dependence_type = kind;
    all.push_back(d);
  }
  tell<ompt_callback_dependences_t>(*me, ompt_callback_dependences, &me->current->data, all.data(),
                                    static_cast<int>(all.size()));
}

void watched_yield(task_state& task) {
  thread_record* const me = observed();
  if (me != nullptr) me->yields = true;
  yield_task(task);
  if (me != nullptr) me->yields = false;
}

}  // namespace doall::omp::ompt

// What the engine tells (watch.hpp).
namespace doall::tasks::watch {

using namespace omp::ompt;

void told_made(task* t, bool deferrable, dependences on) {
  if (t->kind != task_kind::explicit_) return;
  thread_record* const me = observed();
  if (me == nullptr) return;
  task_record& maker = *me->current;
  const call from = call_from_outside();
  const inside_runtime inside(*me, from);
  task_extra& extra = extra_of(t);
  const auto made = std::make_shared<task_record>();
  extra.record = made;
  task_record& r = *made;
  r.in = maker.in;
  r.flags = t->function == empty_task ? int{ompt_task_taskwait}
                                      : ompt_task_explicit | (t->is_final ? ompt_task_final : 0) |
                                            (deferrable ? 0 : ompt_task_undeferred);
  tell<ompt_callback_task_create_t>(*me, ompt_callback_task_create, &maker.data, &maker.frame,
                                    &r.data, r.flags, on.empty() ? 0 : 1, from.code);
  if (!on.empty()) tell_dependences(*me, r, on);
}

void told_dependence(void* earlier, void* later) {
  thread_record* const me = earlier != nullptr && later != nullptr ? observed() : nullptr;
  if (me == nullptr) return;
  tell<ompt_callback_task_dependence_t>(*me, ompt_callback_task_dependence,
                                        &static_cast<task_record*>(earlier)->data,
                                        &static_cast<task_record*>(later)->data);
}

// A taskwait with nowait has no code that a thread could be seen to switch to.
void told_begins(executor& by_whom, task* t, caller by) {
  task_record* const r = t->function == empty_task ? nullptr : record_of(t);
  thread_record* const me = r != nullptr ? observed_in_part() : nullptr;
  if (me == nullptr) return;
  r->below = me->current;
  r->state_below = me->state;
  r->thread_num = by_whom.index;
  r->discarded = is_discarded(by_whom, t);
  // The frame of what calls the task ends where that of this function begins.
  const void* const frame =
      by == caller::program ? call_from_outside().frame : __builtin_dwarf_cfa();
  set_exit_frame(*r, frame, ompt_frame_stackaddress);
  tell_schedule(*me, *me->current, me->yields ? ompt_task_yield : ompt_task_switch, *r);
  me->yields = false;
  me->current = r;
  me->state = working_state(*r);
}

void told_ends(task* t) {
  task_record* const r = record_of(t);
  thread_record* const me = r != nullptr ? observed_in_part() : nullptr;
  if (me != nullptr && t->function == empty_task) {
    ompt_data_t* const nothing = nullptr;
    tell<ompt_callback_task_schedule_t>(*me, ompt_callback_task_schedule, &r->data,
                                        ompt_taskwait_complete, nothing);
    return;
  }
  if (me == nullptr || me->current != r) return;
  ompt_task_status_t status = ompt_task_complete;
  if (r->discarded) {
    status = ompt_task_cancel;
    tell<ompt_callback_cancel_t>(*me, ompt_callback_cancel, &r->data,
                                 static_cast<int>(ompt_cancel_discarded_task),
                                 static_cast<const void*>(nullptr));
  } else if (t->extra->detached) {
    // (1) acq_rel; pairs with (2): which came first
    const int first = r->ended_first.exchange(task_record::code, sync::acq_rel);
    if (first != task_record::event) status = ompt_task_detach;
  }
  r->frame.exit_frame.ptr = nullptr;
  me->current = r->below;
  me->state = r->state_below;
  tell_schedule(*me, *r, status, *me->current);
}

// The task may be freed as soon as the event is fulfilled, which comes after.
void told_fulfilled(task* t) {
  task_record* const r = record_of(t);
  thread_record* const me = r != nullptr ? observed_in_part() : nullptr;
  if (me == nullptr) return;
  // (2) acq_rel; pairs with (1): which came first
  const int first = r->ended_first.exchange(task_record::event, sync::acq_rel);
  ompt_data_t* const nothing = nullptr;
  tell<ompt_callback_task_schedule_t>(
      *me, ompt_callback_task_schedule, &r->data,
      first == task_record::code ? ompt_task_late_fulfill : ompt_task_early_fulfill, nothing);
}

}  // namespace doall::tasks::watch
