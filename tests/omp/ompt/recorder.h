/* A tool that counts events and checks each against what it knows of its thread: pairs, nesting,
 * whose data are handed on, where code and frames lie. Compiled with the program that it watches.
 *
 * Length: one callback for each event. */
#ifndef RECORDER_H
#define RECORDER_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { most_events = 40, most_kinds = 16, most_ends = 4, most_depth = 64 };

/* counts[event][kind][endpoint]; where an event has no kind or endpoint, 0. */
static int counts[most_events][most_kinds][most_ends];
static int statuses[16]; /* of task_schedule */
static int task_flags;   /* of all tasks that were made */
static int dependences_seen[64];
static int cancel_flags;
static uint64_t chunk_iterations; /* of loops' chunks */
static uint64_t last_id;

static ompt_set_callback_t set_callback;
static ompt_get_callback_t get_callback;
static ompt_get_thread_data_t get_thread_data;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_state_t get_state;
static ompt_get_unique_id_t get_unique_id;
static ompt_finalize_tool_t finalize_tool;
static ompt_function_lookup_t look_up;

/* What the calling thread is in, from the outside in. */
static __thread uint64_t thread_id;
static __thread struct open_scope {
  int event;
  int kind;
  uint64_t task;
} scopes[most_depth];
static __thread int depth;
static __thread ompt_data_t* tasks[most_depth]; /* the last one runs */
static __thread int tasks_here;

static void count(int event, int kind, int end) {
  __atomic_fetch_add(&counts[event][kind][end], 1, __ATOMIC_RELAXED);
}
static int counted(int event, int kind, int end) {
  return __atomic_load_n(&counts[event][kind][end], __ATOMIC_RELAXED);
}

static uint64_t new_id(void) { return __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED); }

static ompt_data_t* task_now(void) { return tasks_here > 0 ? tasks[tasks_here - 1] : NULL; }

static void push_task(ompt_data_t* task) {
  CHECK(tasks_here < most_depth);
  tasks[tasks_here++] = task;
}

static void open_scope(int event, int kind, ompt_data_t* task) {
  CHECK(depth < most_depth);
  scopes[depth++] = (struct open_scope){event, kind, task != NULL ? task->value : 0};
}
static void close_scope(int event, int kind, ompt_data_t* task) {
  CHECK(depth > 0);
  if (depth == 0) return;
  const struct open_scope last = scopes[--depth];
  CHECK(last.event == event);
  CHECK(last.kind == kind);
  CHECK(last.task == (task != NULL ? task->value : 0));
}
static void note_scope(int event, int kind, int end, ompt_data_t* task) {
  count(event, kind, end);
  if (end == ompt_scope_begin) open_scope(event, kind, task);
  if (end == ompt_scope_end) close_scope(event, kind, task);
}

/* In the code of the program or its libraries that are no runtime. */
static void check_code(const void* code) {
  Dl_info info;
  CHECK(code != NULL);
  CHECK(dladdr(code, &info) != 0);
  CHECK(strstr(info.dli_fname, "libdoall") == NULL);
  CHECK(strstr(info.dli_fname, "libc.so") == NULL);
}

/* The thread's task, as it is given and as the runtime says when it is asked. */
static void check_task(ompt_data_t* task) {
  CHECK(task != NULL);
  CHECK(task == task_now());
  CHECK(task->value != 0);
  ompt_data_t* asked = NULL;
  CHECK(get_task_info(0, NULL, &asked, NULL, NULL, NULL) == 2);
  CHECK(asked == task);
  CHECK(get_thread_data() != NULL && get_thread_data()->value == thread_id);
}

static void on_thread_begin(ompt_thread_t type, ompt_data_t* thread) {
  count(ompt_callback_thread_begin, type, 0);
  CHECK(thread->value == 0);
  CHECK(thread_id == 0);
  thread->value = thread_id = new_id();
}
static void on_thread_end(ompt_data_t* thread) {
  count(ompt_callback_thread_end, 0, 0);
  CHECK(thread->value == thread_id);
  CHECK(depth == 0);
  CHECK(tasks_here == 0);
  thread_id = 0;
}

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel,
                              unsigned requested, int flags, const void* code) {
  count(ompt_callback_parallel_begin, 0, 0);
  check_task(task);
  check_code(code);
  CHECK(parallel->value == 0);
  CHECK(requested > 0);
  const int is_league = (flags & ompt_parallel_league) != 0;
  const int is_team = (flags & (int)ompt_parallel_team) != 0;
  CHECK(is_league != is_team);
  /* The program's frame is above, the callback's below. */
  CHECK((char*)frame->enter_frame.ptr > (char*)__builtin_frame_address(0));
  parallel->value = new_id();
  open_scope(ompt_callback_parallel_begin, 0, task);
}
static void on_parallel_end(ompt_data_t* parallel, ompt_data_t* task, int flags, const void* code) {
  count(ompt_callback_parallel_end, 0, 0);
  check_task(task);
  check_code(code);
  CHECK(parallel->value != 0);
  CHECK(flags != 0);
  close_scope(ompt_callback_parallel_begin, 0, task);
}

static void on_implicit_task(ompt_scope_endpoint_t end, ompt_data_t* parallel, ompt_data_t* task,
                             unsigned parallelism, unsigned index, int flags) {
  const int kind = (flags & ompt_task_initial) != 0 ? 1 : 2;
  CHECK(kind == 1 || (flags & ompt_task_implicit) != 0);
  if (end == ompt_scope_begin) {
    CHECK(parallel != NULL);
    CHECK(kind == 1 || parallel->value != 0);
    CHECK(task->value == 0);
    CHECK(parallelism >= 1);
    CHECK(kind == 1 || index < parallelism);
    task->value = new_id();
    push_task(task);
    note_scope(ompt_callback_implicit_task, kind, end, task);
  } else {
    CHECK(task == task_now());
    --tasks_here;
    note_scope(ompt_callback_implicit_task, kind, end, task);
  }
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t end, ompt_data_t* parallel,
                    ompt_data_t* task, uint64_t iterations, const void* code) {
  note_scope(ompt_callback_work, kind, end, task);
  check_task(task);
  CHECK(parallel != NULL);
  check_code(code);
  (void)iterations;
}
static void on_dispatch(ompt_data_t* parallel, ompt_data_t* task, ompt_dispatch_t kind,
                        ompt_data_t instance) {
  count(ompt_callback_dispatch, kind, 0);
  check_task(task);
  CHECK(parallel != NULL);
  CHECK(depth > 0 && scopes[depth - 1].event == ompt_callback_work);
  if (kind == ompt_dispatch_ws_loop_chunk) {
    const ompt_dispatch_chunk_t* chunk = instance.ptr;
    __atomic_fetch_add(&chunk_iterations, chunk->iterations, __ATOMIC_RELAXED);
  }
}
static void on_masked(ompt_scope_endpoint_t end, ompt_data_t* parallel, ompt_data_t* task,
                      const void* code) {
  note_scope(ompt_callback_masked, 0, end, task);
  check_task(task);
  CHECK(parallel != NULL);
  check_code(code);
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t* parallel,
                    ompt_data_t* task, const void* code) {
  note_scope(ompt_callback_sync_region, kind, end, task);
  check_task(task);
  CHECK(parallel != NULL || end == ompt_scope_end);
  CHECK(code != NULL || end == ompt_scope_end);
}
static void on_sync_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t* parallel,
                         ompt_data_t* task, const void* code) {
  note_scope(ompt_callback_sync_region_wait, kind, end, task);
  check_task(task);
  CHECK(parallel != NULL || end == ompt_scope_end);
  (void)code;
  const int state = get_state(NULL);
  CHECK(end == ompt_scope_end || (state >= 0x10 && state < 0x40));
}
static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t end, ompt_data_t* parallel,
                         ompt_data_t* task, const void* code) {
  note_scope(ompt_callback_reduction, kind, end, task);
  CHECK(kind == ompt_sync_region_reduction);
  check_task(task);
  CHECK(parallel != NULL);
  check_code(code);
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id,
                             const void* code) {
  count(ompt_callback_mutex_acquire, kind, 0);
  CHECK(id != 0);
  CHECK(impl != 0);
  check_code(code);
  (void)hint;
}
static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void* code) {
  count(ompt_callback_mutex_acquired, kind, 0);
  CHECK(id != 0);
  check_code(code);
}
static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void* code) {
  count(ompt_callback_mutex_released, kind, 0);
  CHECK(id != 0);
  check_code(code);
}
static void on_nest_lock(ompt_scope_endpoint_t end, ompt_wait_id_t id, const void* code) {
  count(ompt_callback_nest_lock, 0, end);
  CHECK(id != 0);
  check_code(code);
}
static void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id,
                         const void* code) {
  count(ompt_callback_lock_init, kind, 0);
  CHECK(id != 0);
  check_code(code);
  (void)hint;
  (void)impl;
}
static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void* code) {
  count(ompt_callback_lock_destroy, kind, 0);
  CHECK(id != 0);
  check_code(code);
}

static void on_task_create(ompt_data_t* maker, const ompt_frame_t* frame, ompt_data_t* task,
                           int flags, int has_dependences, const void* code) {
  count(ompt_callback_task_create, (flags & ompt_task_taskwait) != 0, has_dependences);
  __atomic_fetch_or(&task_flags, flags, __ATOMIC_RELAXED);
  check_task(maker);
  check_code(code);
  CHECK((char*)frame->enter_frame.ptr > (char*)__builtin_frame_address(0));
  CHECK(task->value == 0);
  task->value = new_id();
}
static void on_dependences(ompt_data_t* task, const ompt_dependence_t* all, int number) {
  count(ompt_callback_dependences, 0, 0);
  CHECK(task->value != 0);
  CHECK(number > 0);
  for (int i = 0; i < number; ++i) {
    const int is_iteration = all[i].dependence_type == ompt_dependence_type_source ||
                             all[i].dependence_type == ompt_dependence_type_sink;
    CHECK(is_iteration || all[i].variable.ptr != NULL);
    __atomic_fetch_add(&dependences_seen[all[i].dependence_type], 1, __ATOMIC_RELAXED);
  }
}
static void on_task_dependence(ompt_data_t* earlier, ompt_data_t* later) {
  count(ompt_callback_task_dependence, 0, 0);
  CHECK(earlier->value != 0 && later->value != 0);
  CHECK(earlier->value < later->value); /* made earlier */
}
static void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  count(ompt_callback_task_schedule, 0, 0);
  __atomic_fetch_add(&statuses[status], 1, __ATOMIC_RELAXED);
  CHECK(prior->value != 0);
  if (status == ompt_task_early_fulfill || status == ompt_task_late_fulfill ||
      status == ompt_taskwait_complete) {
    CHECK(next == NULL);
    return;
  }
  CHECK(prior == task_now());
  CHECK(next != NULL && next->value != 0);
  if (status == ompt_task_switch || status == ompt_task_yield) {
    push_task(next);
    open_scope(ompt_callback_task_schedule, 0, next);
    return;
  }
  close_scope(ompt_callback_task_schedule, 0, prior);
  --tasks_here;
  CHECK(next == task_now());
}

static void on_flush(ompt_data_t* thread, const void* code) {
  count(ompt_callback_flush, 0, 0);
  CHECK(thread->value == thread_id);
  check_code(code);
}
static void on_cancel(ompt_data_t* task, int flags, const void* code) {
  count(ompt_callback_cancel, 0, 0);
  __atomic_fetch_or(&cancel_flags, flags, __ATOMIC_RELAXED);
  CHECK(task->value != 0);
  CHECK((flags & ompt_cancel_discarded_task) != 0 || code != NULL);
}
static void on_error(ompt_severity_t severity, const char* message, size_t length,
                     const void* code) {
  count(ompt_callback_error, severity, 0);
  CHECK(message != NULL && length > 0);
  check_code(code);
}
static int on_control(uint64_t command, uint64_t modifier, void* argument, const void* code) {
  count(ompt_callback_control_tool, 0, 0);
  CHECK(modifier == 7);
  CHECK(argument == (void*)&last_id);
  check_code(code);
  const uint64_t end = 4;  // omp_control_tool_end
  if (command == end) finalize_tool();
  return (int)command * 10;
}

#define LOOK_UP(name)                               \
  do {                                              \
    name = (ompt_##name##_t)look_up("ompt_" #name); \
    CHECK(name != NULL);                            \
  } while (0)
#define WATCH(event, function)                                               \
  do {                                                                       \
    const ompt_set_result_t result =                                         \
        set_callback(ompt_callback_##event, (ompt_callback_t)(function));    \
    CHECK(result == ompt_set_always || result == ompt_set_sometimes_paired); \
  } while (0)

static int on_start(ompt_function_lookup_t look, int device, ompt_data_t* data) {
  look_up = look;
  CHECK(device == 0);
  data->value = 42;
  LOOK_UP(set_callback);
  LOOK_UP(get_callback);
  LOOK_UP(get_thread_data);
  LOOK_UP(get_task_info);
  LOOK_UP(get_parallel_info);
  LOOK_UP(get_state);
  LOOK_UP(get_unique_id);
  LOOK_UP(finalize_tool);
  WATCH(thread_begin, on_thread_begin);
  WATCH(thread_end, on_thread_end);
  WATCH(parallel_begin, on_parallel_begin);
  WATCH(parallel_end, on_parallel_end);
  WATCH(implicit_task, on_implicit_task);
  WATCH(work, on_work);
  WATCH(dispatch, on_dispatch);
  WATCH(masked, on_masked);
  WATCH(sync_region, on_sync);
  WATCH(sync_region_wait, on_sync_wait);
  WATCH(reduction, on_reduction);
  WATCH(mutex_acquire, on_mutex_acquire);
  WATCH(mutex_acquired, on_mutex_acquired);
  WATCH(mutex_released, on_mutex_released);
  WATCH(nest_lock, on_nest_lock);
  WATCH(lock_init, on_lock_init);
  WATCH(lock_destroy, on_lock_destroy);
  WATCH(task_create, on_task_create);
  WATCH(dependences, on_dependences);
  WATCH(task_dependence, on_task_dependence);
  WATCH(task_schedule, on_task_schedule);
  WATCH(flush, on_flush);
  WATCH(cancel, on_cancel);
  WATCH(error, on_error);
  WATCH(control_tool, on_control);
  return 1;
}

static int same(int event, int kind) {
  return counted(event, kind, ompt_scope_begin) == counted(event, kind, ompt_scope_end);
}

/* When all is over each begin has its end. */
static void check_pairs(void) {
  static const int paired[] = {ompt_callback_implicit_task, ompt_callback_work,
                               ompt_callback_masked,        ompt_callback_sync_region,
                               ompt_callback_reduction,     ompt_callback_sync_region_wait};
  for (size_t i = 0; i < sizeof paired / sizeof *paired; ++i) {
    for (int kind = 0; kind < most_kinds; ++kind) {
      if (same(paired[i], kind)) continue;
      fprintf(stderr, "event %d of kind %d: %d begins, %d ends\n", paired[i], kind,
              counted(paired[i], kind, ompt_scope_begin), counted(paired[i], kind, ompt_scope_end));
      CHECK(!"pairs");
    }
  }
  CHECK(counted(ompt_callback_parallel_begin, 0, 0) == counted(ompt_callback_parallel_end, 0, 0));
  const int threads = counted(ompt_callback_thread_begin, ompt_thread_initial, 0) +
                      counted(ompt_callback_thread_begin, ompt_thread_worker, 0);
  CHECK(counted(ompt_callback_thread_end, 0, 0) == threads);
  const int tasks_made =
      counted(ompt_callback_task_create, 0, 0) + counted(ompt_callback_task_create, 0, 1);
  CHECK(statuses[ompt_task_switch] + statuses[ompt_task_yield] == tasks_made);
  CHECK(statuses[ompt_task_complete] + statuses[ompt_task_cancel] + statuses[ompt_task_detach] ==
        tasks_made);
  for (int kind = 0; kind < most_kinds; ++kind) {
    CHECK(counted(ompt_callback_mutex_acquired, kind, 0) <=
          counted(ompt_callback_mutex_acquire, kind, 0));
  }
}

/* The program's exit status is decided here: this is called by exit(). */
static void on_finalize(ompt_data_t* data) {
  CHECK(data->value == 42);
  check_pairs();
  if (check_result() != 0) _Exit(1);
  puts("finalized");
  fflush(stdout);
}

ompt_start_tool_result_t* ompt_start_tool(unsigned omp_version, const char* runtime_version) {
  static ompt_start_tool_result_t result = {on_start, on_finalize, ompt_data_none};
  CHECK(omp_version >= 202011);
  CHECK(strncmp(runtime_version, "doall ", 6) == 0);
  return &result;
}

#endif
