// What the files of events share.
#pragma once

#include "omp/ompt/tool.hpp"
#include "omp/state.hpp"
#include "tasks/task_engine.hpp"

namespace doall::omp::ompt {

// While it lives the thread's task is in the runtime, called from there: enter_frame is set.
class inside_runtime {
 public:
  inside_runtime(thread_record& me, const call& from) : task_(*me.current) {
    task_.frame.enter_frame.ptr = const_cast<void*>(from.frame);
    task_.frame.enter_frame_flags = ompt_frame_runtime | ompt_frame_cfa;
  }
  ~inside_runtime() { task_.frame.enter_frame.ptr = nullptr; }
  inside_runtime(const inside_runtime&) = delete;
  inside_runtime& operator=(const inside_runtime&) = delete;

 private:
  task_record& task_;
};

// While it lives the thread is in that state.
class in_state {
 public:
  in_state(thread_record& me, ompt_state_t state, ompt_wait_id_t wait_id = 0)
      : me_(me), before_(me.state) {
    me.wait_id = wait_id;
    me.state = state;
  }
  ~in_state() {
    me_.state = before_;
    me_.wait_id = 0;
  }
  in_state(const in_state&) = delete;
  in_state& operator=(const in_state&) = delete;

 private:
  thread_record& me_;
  ompt_state_t before_;
};

inline void set_exit_frame(task_record& t, const void* frame, int flags) {
  t.frame.exit_frame.ptr = const_cast<void*>(frame);
  t.frame.exit_frame_flags = ompt_frame_runtime | flags;
}

inline void tell_work(thread_record& me, ompt_work_t kind, ompt_scope_endpoint_t end,
                      std::uint64_t count, const void* code) {
  task_record& t = *me.current;
  tell<ompt_callback_work_t>(me, ompt_callback_work, kind, end, t.parallel_data(), &t.data, count,
                             code);
}

inline void tell_sync(thread_record& me, ompt_callbacks_t event, ompt_sync_region_t kind,
                      ompt_scope_endpoint_t end, const void* code) {
  task_record& t = *me.current;
  tell<ompt_callback_sync_region_t>(me, event, kind, end, t.parallel_data(), &t.data, code);
}

// The task enters a worksharing construct, and leaves the one that it is in, if any.
void begin_work(thread_record& me, ompt_work_t kind, std::uint64_t count, const void* code);
void end_work(thread_record& me);

void tell_dependences(thread_record& me, task_record& of, dependences on);

// Tells of the end of a single construct that nothing ends.
void close_single(thread_record& me);

}  // namespace doall::omp::ompt
