#include "omp/ompt/records.hpp"

#include <utility>

#include "base/thread_end.hpp"
#include "omp/ompt/tool.hpp"
#include "omp/state.hpp"

namespace doall::omp::ompt {
namespace {

constinit thread_local thread_record* mine = nullptr;

// The numbers that the standard has for an initial task outside of a league.
constexpr unsigned one_thread = 1;
constexpr unsigned initial_index = 1;

void end_initial_task(thread_record& me) {
  if (!me.initial) return;
  tell<ompt_callback_implicit_task_t>(me, ompt_callback_implicit_task, ompt_scope_end,
                                      me.initial->parallel_data(), &me.initial->data, at_the_end,
                                      initial_index, ompt_task_initial);
}

void tell_end(thread_record& me) {
  // A callback may end the tool, which tells of this end.
  if (!has_tool() || std::exchange(me.end_is_told, true)) return;
  leave_last_part(me);
  end_initial_task(me);
  me.state = ompt_state_undefined;
  tell<ompt_callback_thread_end_t>(me, ompt_callback_thread_end, &me.data);
}

const base::thread_end ends([](void*) {
  if (mine != nullptr) tell_end(*mine);
  delete std::exchange(mine, nullptr);
});

thread_record& make_thread(ompt_thread_t type) {
  mine = new thread_record;
  mine->type = type;
  ends.watch_this_thread(&mine);
  tell<ompt_callback_thread_begin_t>(*mine, ompt_callback_thread_begin, type, &mine->data);
  return *mine;
}

void make_initial_task(thread_record& me) {
  me.initial = std::make_unique<task_record>();
  task_record& t = *me.initial;
  t.in = std::make_shared<parallel_record>();
  t.flags = ompt_task_initial;
  me.current = &t;
  me.state = ompt_state_work_serial;
  tell<ompt_callback_implicit_task_t>(me, ompt_callback_implicit_task, ompt_scope_begin,
                                      t.parallel_data(), &t.data, one_thread, initial_index,
                                      ompt_task_initial);
}

}  // namespace

thread_record* known_thread() { return mine; }

thread_record* observed_in_part() {
  if (!has_tool()) return nullptr;
  if (mine != nullptr && mine->telling != 0) return nullptr;
  thread_record& me = mine != nullptr ? *mine : make_thread(ompt_thread_initial);
  if (me.current == nullptr) make_initial_task(me);
  return &me;
}

thread_record* observed() {
  thread_record* me = observed_in_part();
  if (me == nullptr || !me->current->part_has_ended) return me;
  leave_last_part(*me);
  return observed_in_part();
}

thread_record* observed_worker() {
  if (!has_tool()) return nullptr;
  if (mine == nullptr) return &make_thread(ompt_thread_worker);
  if (mine->telling != 0) return nullptr;
  leave_last_part(*mine);
  return mine;
}

// The region may be over, so its data are not the tool's any more.
void leave_last_part(thread_record& me) {
  if (!me.part || me.current != me.part.get() || !me.part->part_has_ended) return;
  task_record& t = *me.part;
  ompt_data_t* const nothing = nullptr;
  const void* const nowhere = nullptr;
  tell<ompt_callback_sync_region_t>(me, ompt_callback_sync_region_wait,
                                    ompt_sync_region_barrier_implicit_parallel, ompt_scope_end,
                                    nothing, &t.data, nowhere);
  tell<ompt_callback_sync_region_t>(me, ompt_callback_sync_region,
                                    ompt_sync_region_barrier_implicit_parallel, ompt_scope_end,
                                    nothing, &t.data, nowhere);
  me.state = ompt_state_overhead;
  tell<ompt_callback_implicit_task_t>(me, ompt_callback_implicit_task, ompt_scope_end, nothing,
                                      &t.data, at_the_end, t.thread_num, ompt_task_implicit);
  me.current = t.below;
  me.state = ompt_state_idle;
  me.part.reset();
}

// The record stays until the thread ends: a callback, or a wait, that has led here still has it.
void end_this_thread() {
  if (mine != nullptr) tell_end(*mine);
}

ompt_state_t working_state(const task_record& t) {
  return t.in && t.in->size > 1 ? ompt_state_work_parallel : ompt_state_work_serial;
}

}  // namespace doall::omp::ompt
