// Loops, sections, single, scope, masked.
//
// A task is in one worksharing construct at a time, but a single construct may hold a taskloop. In
// GCC's ABI nothing tells the end of a single construct to the thread that executes it. Neither a
// barrier nor another worksharing construct may lie inside of one: so its end is told before the
// task's next barrier or worksharing construct, or at the end of the task's part of the region.
#include "omp/loops.hpp"
#include "omp/ompt/events.hpp"
#include "omp/ompt/hooks.hpp"

namespace doall::omp::ompt {

void begin_work(thread_record& me, ompt_work_t kind, std::uint64_t count, const void* code) {
  close_single(me);
  me.current->work = {kind, count, code};
  tell_work(me, kind, ompt_scope_begin, count, code);
}

void end_work(thread_record& me) {
  open_work& w = me.current->work;
  if (w.kind == 0) return;
  tell_work(me, w.kind, ompt_scope_end, w.count, w.code);
  w = {};
}

void close_single(thread_record& me) {
  if (!me.current->single) return;
  me.current->single = false;
  tell_work(me, ompt_work_single_executor, ompt_scope_end, 1, me.current->single_code);
}

void watched_work(ompt_work_t kind, ompt_scope_endpoint_t end, std::uint64_t count,
                  const call& from) {
  thread_record* const me = observed();
  if (me == nullptr) return;
  const void* const code = call_from_outside(from).code;
  if (kind == ompt_work_taskloop) {  // may be inside of single
    tell_work(*me, kind, end, count, code);
  } else if (end == ompt_scope_begin) {
    begin_work(*me, kind, count, code);
  } else {
    end_work(*me);
  }
}

void watched_loop_begins(task_state& me, loop_kind loop, std::uint64_t iterations,
                         const void* code) {
  thread_record* const mine = observed();
  if (mine == nullptr) return;
  // The bounds of a block were asked for by static_init(), which has told of the loop.
  if (loop == loop_kind::block) return;
  const bool is_sections = loop == loop_kind::sections;
  if (is_sections && iterations == 0) {  // GOMP_scope_start()
    tell_work(*mine, ompt_work_scope, ompt_scope_beginend, 1, code);
    return;
  }
  begin_work(*mine, is_sections ? ompt_work_sections : ompt_work_loop, iterations, code);
  me.loop.cursor.go_by_pieces();
}

void watched_static_loop(ompt_work_t kind, std::uint64_t iterations, const void* code) {
  if (thread_record* const me = observed()) begin_work(*me, kind, iterations, code);
}

void watched_static_chunk(ompt_work_t kind, std::uint64_t first, std::uint64_t iterations) {
  thread_record* const me = iterations != 0 ? observed() : nullptr;
  if (me == nullptr || kind == ompt_work_sections) return;
  task_record& t = *me->current;
  ompt_dispatch_chunk_t chunk{first, iterations};
  ompt_data_t instance;
  instance.ptr = &chunk;
  tell<ompt_callback_dispatch_t>(
      *me, ompt_callback_dispatch, t.parallel_data(), &t.data,
      kind == ompt_work_distribute ? ompt_dispatch_distribute_chunk : ompt_dispatch_ws_loop_chunk,
      instance);
}

void watched_loop_ends() {
  if (thread_record* const me = observed()) end_work(*me);
}

void watched_chunk(const task_state& me, std::uint64_t first, std::uint64_t last) {
  thread_record* const mine = observed();
  if (mine == nullptr) return;
  task_record& t = *mine->current;
  const auto say = [&](ompt_dispatch_t kind, ompt_data_t instance) {
    tell<ompt_callback_dispatch_t>(*mine, ompt_callback_dispatch, t.parallel_data(), &t.data, kind,
                                   instance);
  };
  if (t.work.kind == ompt_work_sections) {
    ompt_data_t section;
    section.value = first;
    say(ompt_dispatch_section, section);
    return;
  }
  const std::uint64_t step = me.loop.cursor.increment();
  const bool up = static_cast<std::int64_t>(step) > 0;
  const std::uint64_t span = up ? last - first : first - last;
  const std::uint64_t each = up ? step : -step;
  ompt_dispatch_chunk_t chunk{first, span / each + (span % each != 0 ? 1 : 0)};
  ompt_data_t instance;
  instance.ptr = &chunk;
  say(ompt_dispatch_ws_loop_chunk, instance);
}

bool watched_single(const call& from) {
  const bool executes = begin_single(self());
  thread_record* const me = observed();
  if (me == nullptr) return executes;
  close_single(*me);
  const void* const code = call_from_outside(from).code;
  tell_work(*me, executes ? ompt_work_single_executor : ompt_work_single_other, ompt_scope_begin, 1,
            code);
  if (!executes) {
    tell_work(*me, ompt_work_single_other, ompt_scope_end, 1, code);
    return false;
  }
  me->current->single = true;
  me->current->single_code = code;
  return true;
}

void watched_single_ends() {
  if (thread_record* const me = observed()) close_single(*me);
}

void watched_masked(ompt_scope_endpoint_t end, const call& from) {
  thread_record* const me = observed();
  if (me == nullptr) return;
  task_record& t = *me->current;
  tell<ompt_callback_masked_t>(*me, ompt_callback_masked, end, t.parallel_data(), &t.data,
                               call_from_outside(from).code);
}

}  // namespace doall::omp::ompt
