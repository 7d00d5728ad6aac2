// Threads, parallel regions, implicit tasks, leagues.
//
// With a tool a region's threads run run_part() in place of the program's function, so the engine's
// own path for workers has no hook.
//
// A worker's part of a region ends with a wait for the region's end, during which the worker may
// execute explicit tasks, but nothing tells it of that end: it waits for its next task already. So
// the ends of its barrier and of its implicit task are told before the next event that concerns it,
// or when it ends itself. The region may be gone then, and the events have no parallel data, as the
// standard allows for.
#include <utility>

#include "omp/ompt/events.hpp"
#include "omp/ompt/hooks.hpp"

namespace doall::omp::ompt {
namespace {

void tell_implicit(thread_record& me, ompt_scope_endpoint_t end, unsigned parallelism) {
  task_record& t = *me.current;
  tell<ompt_callback_implicit_task_t>(me, ompt_callback_implicit_task, end, t.parallel_data(),
                                      &t.data, parallelism, t.thread_num, t.flags);
}

void begin_part(thread_record& me, task_record& t) {
  parallel_record& p = *t.in;
  t.flags = ompt_task_implicit;
  t.below = me.current;
  me.current = &t;
  me.state = working_state(t);
  tell_implicit(me, ompt_scope_begin, p.size);
  if (p.loop == 0) return;
  begin_work(me, p.loop, p.iterations, p.code);
  self().loop.cursor.go_by_pieces();
}

void end_part(thread_record& me) {
  close_single(me);
  end_work(me);
  const void* const code = me.current->in->code;
  tell_sync(me, ompt_callback_sync_region, ompt_sync_region_barrier_implicit_parallel,
            ompt_scope_begin, code);
  me.state = ompt_state_wait_barrier_implicit_parallel;
  tell_sync(me, ompt_callback_sync_region_wait, ompt_sync_region_barrier_implicit_parallel,
            ompt_scope_begin, code);
}

// What a worker runs. The region's end waits for its return.
[[gnu::noinline]] void run_part(void* of) {
  auto& p = *static_cast<parallel_record*>(of);
  thread_record* me = observed_worker();
  if (me == nullptr) {  // the tool has been ended meanwhile
    p.function(p.argument);
    return;
  }
  me->part = std::make_unique<task_record>();
  task_record& t = *me->part;
  t.in = p.shared_from_this();
  t.thread_num = self().index;
  set_exit_frame(t, __builtin_frame_address(0), ompt_frame_framepointer);
  begin_part(*me, t);
  p.function(p.argument);
  me = observed_in_part();
  if (me == nullptr || me->current != &t) return;
  end_part(*me);
  t.frame.exit_frame.ptr = nullptr;
  t.part_has_ended = true;
}

// That task enters the runtime to begin a region or a league of that size.
std::shared_ptr<parallel_record> encounter(task_record& outer, std::uint32_t size, int what) {
  const call from = call_from_outside();
  outer.frame.enter_frame.ptr = const_cast<void*>(from.frame);
  outer.frame.enter_frame_flags = ompt_frame_runtime | ompt_frame_cfa;
  auto begun = std::make_shared<parallel_record>();
  begun->size = size;
  begun->flags = what | ompt_parallel_invoker_runtime;
  begun->encountering = &outer;
  begun->code = from.code;
  return begun;
}

}  // namespace

void watched_thread() { observed(); }

void watched_region_begins(barrier::task& work, const region& r, const void* frame,
                           std::uint32_t wished, const whole_region_loop* loop) {
  thread_record* const me = observed();
  if (me == nullptr) return;
  task_record& outer = *me->current;
  const auto p = encounter(outer, r.size, ompt_parallel_team);
  // The code of a region of one thread may run when the function that began it has returned
  // (__kmpc_serialized_parallel).
  p->frame = r.size == 1 ? outer.frame.enter_frame.ptr : frame;
  p->function = std::exchange(work.function, run_part);
  p->argument = std::exchange(work.argument, p.get());
  if (loop != nullptr) {
    p->loop = me->next_is_sections ? ompt_work_sections : ompt_work_loop;
    p->iterations = loop->iterations;
  }
  me->next_is_sections = false;
  const unsigned requested = wished != 0 ? wished : r.parent->settings().threads;
  tell<ompt_callback_parallel_begin_t>(*me, ompt_callback_parallel_begin, &outer.data, &outer.frame,
                                       &p->data, requested, p->flags, p->code);
  me->begun = p;
}

void watched_part_begins() {
  thread_record* const me = observed_in_part();
  if (me == nullptr || !me->begun) return;
  auto* const t = new task_record;
  t->in = std::exchange(me->begun, nullptr);
  t->leads = true;
  t->state_below = me->state;
  set_exit_frame(*t, t->in->frame, ompt_frame_stackaddress);
  begin_part(*me, *t);
}

void watched_part_ends() {
  thread_record* const me = observed_in_part();
  if (me != nullptr && me->current->leads) end_part(*me);
}

void watched_region_ends() {
  thread_record* const me = observed_in_part();
  if (me == nullptr || !me->current->leads) return;
  const std::unique_ptr<task_record> t(me->current);
  const std::shared_ptr<parallel_record> p = t->in;
  tell_sync(*me, ompt_callback_sync_region_wait, ompt_sync_region_barrier_implicit_parallel,
            ompt_scope_end, p->code);
  tell_sync(*me, ompt_callback_sync_region, ompt_sync_region_barrier_implicit_parallel,
            ompt_scope_end, p->code);
  me->state = ompt_state_overhead;
  tell_implicit(*me, ompt_scope_end, at_the_end);
  task_record& outer = *t->below;
  me->current = &outer;
  me->state = t->state_below;
  tell<ompt_callback_parallel_end_t>(*me, ompt_callback_parallel_end, &p->data, &outer.data,
                                     p->flags, p->code);
  outer.frame.enter_frame.ptr = nullptr;
}

void watched_next_is_sections() {
  if (thread_record* const me = observed()) me->next_is_sections = true;
}

void league::begin(std::uint32_t teams) {
  thread_record* const me = observed();
  if (me == nullptr) return;
  task_record& outer = *me->current;
  record_ = encounter(outer, teams, ompt_parallel_league);
  tell<ompt_callback_parallel_begin_t>(*me, ompt_callback_parallel_begin, &outer.data, &outer.frame,
                                       &record_->data, teams, record_->flags, record_->code);
}

void league::end() {
  thread_record* const me = observed_in_part();
  if (me == nullptr) return;
  const parallel_record& p = *record_;
  task_record& outer = *me->current;
  tell<ompt_callback_parallel_end_t>(*me, ompt_callback_parallel_end, &record_->data, &outer.data,
                                     p.flags, p.code);
  outer.frame.enter_frame.ptr = nullptr;
}

void league::begin_team(std::uint32_t number) {
  thread_record* const me = observed_in_part();
  if (me == nullptr) return;
  auto* const t = new task_record;
  t->in = record_;
  t->flags = ompt_task_initial;
  t->thread_num = number;
  t->below = me->current;
  t->state_below = me->state;
  set_exit_frame(*t, __builtin_dwarf_cfa(), ompt_frame_stackaddress);
  me->current = t;
  me->state = ompt_state_work_serial;
  tell<ompt_callback_implicit_task_t>(*me, ompt_callback_implicit_task, ompt_scope_begin,
                                      &record_->data, &t->data, record_->size, number,
                                      ompt_task_initial);
}

void league::end_team(std::uint32_t number) {
  thread_record* const me = observed_in_part();
  if (me == nullptr) return;
  const std::unique_ptr<task_record> t(me->current);
  close_single(*me);
  end_work(*me);
  tell<ompt_callback_implicit_task_t>(*me, ompt_callback_implicit_task, ompt_scope_end,
                                      &record_->data, &t->data, at_the_end, number,
                                      ompt_task_initial);
  me->current = t->below;
  me->state = t->state_below;
}

}  // namespace doall::omp::ompt
