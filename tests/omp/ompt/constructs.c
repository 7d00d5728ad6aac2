/* Each construct, and the events that the tool in this program (recorder.h) gets of it: the same
 * through GCC's ABI and LLVM's, but where GCC compiles a construct without a call.
 *
 * Length: one function for each construct. */
#include "recorder.h"

#include <omp.h>
#include <stdint.h>

#ifdef __clang__
enum { is_llvm = 1 };
#else
enum { is_llvm = 0 };
#endif

enum { threads = 4 };

static int before[most_events][most_kinds][most_ends];
static void begin(void) { memcpy(before, counts, sizeof counts); }
static int since(int event, int kind, int end) {
  return counted(event, kind, end) - before[event][kind][end];
}
#define EXPECT(number, event, kind, end)                                                     \
  do {                                                                                       \
    const int found = since(ompt_callback_##event, kind, end);                               \
    if (found != (number)) {                                                                 \
      fprintf(stderr, "%s:%d: " #event "(" #kind ", " #end "): %d, expected %d\n", __FILE__, \
              __LINE__, found, (int)(number));                                               \
    }                                                                                        \
    CHECK(found == (number));                                                                \
  } while (0)

static void test_start(void) {
  CHECK(omp_get_num_threads() == 1); /* the first use of OpenMP */
  CHECK(counted(ompt_callback_thread_begin, ompt_thread_initial, 0) == 1);
  CHECK(counted(ompt_callback_implicit_task, 1, ompt_scope_begin) == 1);
  CHECK(get_state(NULL) == ompt_state_work_serial);
  int flags = 0, size = 0, number = -1;
  ompt_data_t *task = NULL, *parallel = NULL;
  ompt_frame_t* frame = NULL;
  CHECK(get_task_info(0, &flags, &task, &frame, &parallel, &number) == 2);
  CHECK((flags & ompt_task_initial) != 0);
  CHECK(number == 0);
  CHECK(frame->enter_frame.ptr == NULL);
  CHECK(get_task_info(1, &flags, &task, &frame, &parallel, &number) == 0);
  CHECK(get_parallel_info(0, &parallel, &size) == 2);
  CHECK(size == 1);
  CHECK(get_parallel_info(1, &parallel, &size) == 0);
  ompt_callback_t there = NULL;
  CHECK(get_callback(ompt_callback_work, &there) == 1 && there == (ompt_callback_t)on_work);
  CHECK(get_callback(ompt_callback_target, &there) == 0);
  CHECK(set_callback(ompt_callback_target, (ompt_callback_t)on_work) == ompt_set_never);
  CHECK(set_callback((ompt_callbacks_t)99, (ompt_callback_t)on_work) == ompt_set_error);
  CHECK(get_unique_id() != get_unique_id());
  CHECK(look_up("ompt_no_such_function") == NULL);
}

static void test_inquiries(void) {
  int state = ompt_state_undefined, states = 0;
  const char* name = NULL;
  ompt_enumerate_states_t next_state = (ompt_enumerate_states_t)look_up("ompt_enumerate_states");
  while (next_state(state, &state, &name)) {
    CHECK(name != NULL && strncmp(name, "ompt_state_", 11) == 0);
    if (++states > 100) break;
  }
  CHECK(states > 10 && states < 100);
  int impl = ompt_mutex_impl_none, impls = 0;
  ompt_enumerate_mutex_impls_t next_impl =
      (ompt_enumerate_mutex_impls_t)look_up("ompt_enumerate_mutex_impls");
  while (next_impl(impl, &impl, &name)) {
    CHECK(name != NULL && impl != 0);
    if (++impls > 10) break;
  }
  CHECK(impls == 1);
  CHECK(((ompt_get_num_procs_t)look_up("ompt_get_num_procs"))() == omp_get_num_procs());
  CHECK(((ompt_get_num_places_t)look_up("ompt_get_num_places"))() == omp_get_num_places());
  CHECK(((ompt_get_place_num_t)look_up("ompt_get_place_num"))() == omp_get_place_num());
  CHECK(((ompt_get_num_devices_t)look_up("ompt_get_num_devices"))() == 1);
  CHECK(((ompt_get_proc_id_t)look_up("ompt_get_proc_id"))() >= 0);
  CHECK(((ompt_get_target_info_t)look_up("ompt_get_target_info"))(NULL, NULL, NULL) == 0);
  CHECK(((ompt_get_task_memory_t)look_up("ompt_get_task_memory"))(NULL, NULL, 0) == 0);
  ompt_get_place_proc_ids_t ids = (ompt_get_place_proc_ids_t)look_up("ompt_get_place_proc_ids");
  CHECK(ids(0, 0, NULL) == omp_get_place_num_procs(0));
  ompt_get_partition_place_nums_t nums =
      (ompt_get_partition_place_nums_t)look_up("ompt_get_partition_place_nums");
  CHECK(nums(0, NULL) == omp_get_partition_num_places());
}

/* In a region: what the runtime says of the thread's task, and of those around it. */
static void check_inside(int level, int size) {
  const char here = 0;
  int flags = 0, number = -1, found = 0;
  ompt_data_t *task = NULL, *parallel = NULL, *outer = NULL;
  ompt_frame_t *frame = NULL, *outer_frame = NULL;
  CHECK(get_state(NULL) == (size > 1 ? ompt_state_work_parallel : ompt_state_work_serial));
  CHECK(get_task_info(0, &flags, &task, &frame, &parallel, &number) == 2);
  CHECK((flags & ompt_task_implicit) != 0);
  CHECK(number == omp_get_thread_num());
  CHECK(parallel->value != 0);
  CHECK((const char*)frame->exit_frame.ptr > &here);
  CHECK(frame->enter_frame.ptr == NULL);
  CHECK(get_task_info(1, &flags, &outer, &outer_frame, NULL, NULL) == 2);
  CHECK(outer != task);
  CHECK(outer_frame->enter_frame.ptr != NULL);
  if (number == 0) {
    CHECK((char*)outer_frame->enter_frame.ptr >= (char*)frame->exit_frame.ptr);
  }
  CHECK(get_parallel_info(0, &outer, &found) == 2);
  CHECK(outer == parallel && found == size);
  for (int i = 1; i <= level; ++i) CHECK(get_parallel_info(i, &outer, &found) == 2);
  CHECK(found == 1);
  CHECK(get_parallel_info(level + 1, &outer, &found) == 0);
  CHECK(get_task_info(level, &flags, NULL, NULL, NULL, NULL) == 2);
  CHECK((flags & ompt_task_initial) != 0);
  CHECK(get_task_info(level + 1, &flags, NULL, NULL, NULL, NULL) == 0);
}

static void test_regions(void) {
  for (int size = 1; size <= threads; size += threads - 1) {
    begin();
#pragma omp parallel num_threads(size)
    check_inside(1, size);
    EXPECT(1, parallel_begin, 0, 0);
    EXPECT(1, parallel_end, 0, 0);
    EXPECT(size, implicit_task, 2, ompt_scope_begin);
    EXPECT(size, sync_region, ompt_sync_region_barrier_implicit_parallel, ompt_scope_begin);
    EXPECT(size, sync_region_wait, ompt_sync_region_barrier_implicit_parallel, ompt_scope_begin);
  }
  omp_set_max_active_levels(2);
  begin();
#pragma omp parallel num_threads(2)
  {
    check_inside(1, 2);
#pragma omp parallel num_threads(2)
    check_inside(2, omp_get_num_threads());
    check_inside(1, 2);
  }
  EXPECT(3, parallel_begin, 0, 0);
  EXPECT(3, parallel_end, 0, 0);
  omp_set_max_active_levels(1);
  begin();
#pragma omp parallel num_threads(2) if (0)
  check_inside(1, 1);
  EXPECT(1, parallel_begin, 0, 0);
  EXPECT(1, implicit_task, 2, ompt_scope_begin);
  EXPECT(1, implicit_task, 2, ompt_scope_end);
}

static void test_barriers(void) {
  begin();
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
#pragma omp barrier
  }
  EXPECT(2 * threads, sync_region, ompt_sync_region_barrier_explicit, ompt_scope_begin);
  EXPECT(2 * threads, sync_region, ompt_sync_region_barrier_explicit, ompt_scope_end);
  EXPECT(2 * threads, sync_region_wait, ompt_sync_region_barrier_explicit, ompt_scope_begin);
  EXPECT(2 * threads, sync_region_wait, ompt_sync_region_barrier_explicit, ompt_scope_end);
}

static void test_loops(void) {
  enum { n = 1000 };
  static int done[n];
  begin();
  chunk_iterations = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(dynamic, 7)
    for (int i = 0; i < n; i++) done[i]++;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < n; i++) done[i]++;
  }
  EXPECT(2 * threads, work, ompt_work_loop, ompt_scope_begin);
  EXPECT(2 * threads, work, ompt_work_loop, ompt_scope_end);
  EXPECT(threads, sync_region, ompt_sync_region_barrier_implicit_workshare, ompt_scope_begin);
  EXPECT(threads, sync_region, ompt_sync_region_barrier_implicit_workshare, ompt_scope_end);
  CHECK(since(ompt_callback_dispatch, ompt_dispatch_ws_loop_chunk, 0) >= (n + 6) / 7);
  CHECK(chunk_iterations == 2 * n);
  begin();
  chunk_iterations = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 10)
  for (int i = n - 1; i >= 0; i -= 3) done[i]++;
  EXPECT(threads, work, ompt_work_loop, ompt_scope_begin);
  EXPECT(threads, work, ompt_work_loop, ompt_scope_end);
  CHECK(chunk_iterations == (n + 2) / 3);
  begin();
  chunk_iterations = 0;
#pragma omp parallel for num_threads(threads) ordered schedule(dynamic, 10)
  for (int i = 0; i < 100; i++) {
#pragma omp ordered
    done[i]++;
  }
  EXPECT(100, mutex_acquire, ompt_mutex_ordered, 0);
  EXPECT(100, mutex_acquired, ompt_mutex_ordered, 0);
  EXPECT(100, mutex_released, ompt_mutex_ordered, 0);
  CHECK(chunk_iterations == 100);
  begin();
  chunk_iterations = 0;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int i = 0; i < n; i++) done[i]++;
  EXPECT(is_llvm ? threads : 0, dispatch, ompt_dispatch_ws_loop_chunk, 0);
  CHECK(chunk_iterations == (is_llvm ? n : 0));
  EXPECT(is_llvm ? threads : 0, work, ompt_work_loop, ompt_scope_begin);
  EXPECT(is_llvm ? threads : 0, work, ompt_work_loop, ompt_scope_end);
}

static void test_sections(void) {
  int sections[3] = {0};
  begin();
#pragma omp parallel num_threads(threads)
  {
#pragma omp sections
    {
#pragma omp section
      sections[0]++;
#pragma omp section
      sections[1]++;
#pragma omp section
      sections[2]++;
    }
  }
  EXPECT(threads, work, ompt_work_sections, ompt_scope_begin);
  EXPECT(threads, work, ompt_work_sections, ompt_scope_end);
  EXPECT(threads, sync_region, ompt_sync_region_barrier_implicit_workshare, ompt_scope_end);
  if (!is_llvm) EXPECT(3, dispatch, ompt_dispatch_section, 0);
  begin();
#pragma omp parallel sections num_threads(threads)
  {
#pragma omp section
    sections[0]++;
#pragma omp section
    sections[1]++;
  }
  EXPECT(threads, work, ompt_work_sections, ompt_scope_begin);
  EXPECT(threads, work, ompt_work_sections, ompt_scope_end);
  CHECK(sections[0] == 2 && sections[1] == 2 && sections[2] == 1);
}

static void test_single(void) {
  int done = 0;
  begin();
#pragma omp parallel num_threads(threads)
  {
#pragma omp single
    done++;
#pragma omp single nowait
    done++;
#pragma omp barrier
    int given = 0;
#pragma omp single copyprivate(given)
    given = 5;
    CHECK(given == 5);
  }
  CHECK(done == 2);
  EXPECT(3, work, ompt_work_single_executor, ompt_scope_begin);
  EXPECT(3, work, ompt_work_single_executor, ompt_scope_end);
  EXPECT(3 * (threads - 1), work, ompt_work_single_other, ompt_scope_begin);
  EXPECT(3 * (threads - 1), work, ompt_work_single_other, ompt_scope_end);
}

static void test_masked(void) {
  int done = 0;
  begin();
#pragma omp parallel num_threads(threads)
  {
#pragma omp masked
    done++;
  }
  CHECK(done == 1);
  EXPECT(is_llvm ? 1 : 0, masked, 0, ompt_scope_begin);
  EXPECT(is_llvm ? 1 : 0, masked, 0, ompt_scope_end);
}

static void test_mutexes(void) {
  int sums[4] = {0}; /* each under one of them */
  omp_lock_t lock;
  omp_nest_lock_t nest;
  begin();
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(threads)
  {
#pragma omp critical
    sums[0]++;
#pragma omp critical(named)
    sums[1]++;
    omp_set_lock(&lock);
    sums[2]++;
    CHECK(!omp_test_lock(&lock));
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    CHECK(omp_test_nest_lock(&nest) == 3);
    sums[3]++;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  }
  for (int i = 0; i < 4; ++i) CHECK(sums[i] == threads);
  CHECK(omp_test_lock(&lock));
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  EXPECT(2 * threads, mutex_acquire, ompt_mutex_critical, 0);
  EXPECT(2 * threads, mutex_acquired, ompt_mutex_critical, 0);
  EXPECT(2 * threads, mutex_released, ompt_mutex_critical, 0);
  EXPECT(threads, mutex_acquire, ompt_mutex_lock, 0);
  EXPECT(threads, mutex_acquired, ompt_mutex_lock, 0);
  EXPECT(threads + 1, mutex_acquire, ompt_mutex_test_lock, 0);
  EXPECT(1, mutex_acquired, ompt_mutex_test_lock, 0);
  EXPECT(threads + 1, mutex_released, ompt_mutex_lock, 0);
  EXPECT(threads, mutex_acquired, ompt_mutex_nest_lock, 0);
  EXPECT(threads, mutex_released, ompt_mutex_nest_lock, 0);
  EXPECT(2 * threads, nest_lock, 0, ompt_scope_begin);
  EXPECT(2 * threads, nest_lock, 0, ompt_scope_end);
  EXPECT(1, lock_init, ompt_mutex_lock, 0);
  EXPECT(1, lock_init, ompt_mutex_nest_lock, 0);
  EXPECT(1, lock_destroy, ompt_mutex_lock, 0);
  EXPECT(1, lock_destroy, ompt_mutex_nest_lock, 0);
}

static void test_reduction(void) {
  int sum = 0, product = 1;
  begin();
#pragma omp parallel num_threads(threads) reduction(+ : sum) reduction(* : product)
  sum++, product *= 2;
  CHECK(sum == threads && product == 1 << threads);
  EXPECT(is_llvm ? threads : 0, reduction, ompt_sync_region_reduction, ompt_scope_begin);
  EXPECT(is_llvm ? threads : 0, reduction, ompt_sync_region_reduction, ompt_scope_end);
}

static void check_task_inside(void) {
  const char here = 0;
  int flags = 0;
  ompt_data_t* task = NULL;
  ompt_frame_t* frame = NULL;
  CHECK(get_task_info(0, &flags, &task, &frame, NULL, NULL) == 2);
  CHECK((flags & ompt_task_explicit) != 0);
  CHECK(task == task_now());
  CHECK((const char*)frame->exit_frame.ptr > &here);
  CHECK(frame->enter_frame.ptr == NULL);
}

static void test_tasks(void) {
  enum { n = 300 };
  int sum = 0;
  begin();
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    for (int i = 0; i < n; ++i) {
#pragma omp task
      {
        check_task_inside();
#pragma omp task
        __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
        if (i % 10 == 0) {
#pragma omp taskwait
        }
      }
    }
#pragma omp taskwait
#pragma omp taskgroup
    {
#pragma omp task
      check_task_inside();
#pragma omp taskyield
    }
#pragma omp task if (0)
    check_task_inside();
#pragma omp task final(1)
    {
      check_task_inside();
#pragma omp task
      check_task_inside();
    }
  }
  CHECK(sum == n);
  EXPECT(2 * n + 4, task_create, 0, 0);
  EXPECT(2 * (2 * n + 4), task_schedule, 0, 0);
  EXPECT(1 + n / 10, sync_region, ompt_sync_region_taskwait, ompt_scope_begin);
  EXPECT(1 + n / 10, sync_region, ompt_sync_region_taskwait, ompt_scope_end);
  EXPECT(1 + n / 10, sync_region_wait, ompt_sync_region_taskwait, ompt_scope_end);
  EXPECT(1, sync_region, ompt_sync_region_taskgroup, ompt_scope_begin);
  EXPECT(1, sync_region, ompt_sync_region_taskgroup, ompt_scope_end);
  EXPECT(1, sync_region_wait, ompt_sync_region_taskgroup, ompt_scope_begin);
  CHECK((task_flags & ompt_task_undeferred) != 0);
  CHECK((task_flags & ompt_task_final) != 0);
}

/* Two tasks wait for the first, and the last one for these. */
static void test_waiting_tasks(void) {
  int a = 0, is_made = 0;
  begin();
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp task depend(out : a) shared(is_made)
    while (!__atomic_load_n(&is_made, __ATOMIC_ACQUIRE)) {
    }
#pragma omp task depend(in : a)
    (void)a;
#pragma omp task depend(in : a)
    (void)a;
#pragma omp task depend(out : a)
    a = 1;
    __atomic_store_n(&is_made, 1, __ATOMIC_RELEASE);
  }
  EXPECT(4, task_dependence, 0, 0);
}

/* The task ends once the wait for it is told of, or after ten seconds: then it was not. */
static void test_waiting_for_a_task(void) {
  int a = 0;
  begin();
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp task depend(out : a)
    for (double ends = omp_get_wtime() + 10; omp_get_wtime() < ends;) {
      if (since(ompt_callback_task_dependence, 0, 0) != 0) break;
    }
#pragma omp taskwait depend(in : a)
  }
  EXPECT(1, task_dependence, 0, 0);
}

static void test_dependences(void) {
  int a = 0, b = 0;
  begin();
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp task depend(out : a)
    a = 1;
#pragma omp task depend(in : a) depend(inout : b)
    b = a + 1;
#pragma omp task depend(mutexinoutset : b)
    b++;
#pragma omp taskwait depend(in : b)
    CHECK(b == 3);
  }
  EXPECT(3, task_create, 0, 1);
  EXPECT(1, task_create, 1, 1);
  EXPECT(4, dependences, 0, 0);
  CHECK(dependences_seen[ompt_dependence_type_in] == 2);
  CHECK(dependences_seen[ompt_dependence_type_inout] == 2);
  CHECK(dependences_seen[ompt_dependence_type_mutexinoutset] == 1);
  CHECK(statuses[ompt_taskwait_complete] == 1);
}

/* taskwait with nowait. GCC 12 does not know it: what later ones call is called. */
static void test_join(void) {
  int a = 0, is_made = 0;
  const int completed = statuses[ompt_taskwait_complete];
  begin();
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp task depend(out : a) shared(is_made)
    while (!__atomic_load_n(&is_made, __ATOMIC_ACQUIRE)) {
    }
#ifdef __clang__
#pragma omp taskwait depend(inout : a) nowait
#else
    void (*const join)(void**) = dlsym(RTLD_DEFAULT, "GOMP_taskwait_depend_nowait");
    void* words[] = {NULL, (void*)1, (void*)1, NULL, NULL, &a};
    join(words);
#endif
#pragma omp task depend(in : a)
    (void)a;
    __atomic_store_n(&is_made, 1, __ATOMIC_RELEASE);
  }
  EXPECT(2, task_create, 0, 1);
  EXPECT(1, task_create, 1, 1);
  EXPECT(3, dependences, 0, 0);
  EXPECT(2, task_dependence, 0, 0);
  EXPECT(5, task_schedule, 0, 0);
  EXPECT(0, sync_region, ompt_sync_region_taskwait, ompt_scope_begin);
  CHECK(statuses[ompt_taskwait_complete] == completed + 1);
}

static void test_doacross(void) {
  enum { n = 8 };
  int a[n] = {0};
  begin();
#pragma omp parallel for num_threads(threads) ordered(1) schedule(static, 1)
  for (int i = 1; i < n; ++i) {
#pragma omp ordered depend(sink : i - 1)
    a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  CHECK(a[n - 1] == n - 1);
  CHECK(dependences_seen[ompt_dependence_type_source] == n - 1);
  CHECK(dependences_seen[ompt_dependence_type_sink] == n - 2); /* iteration 0 is none */
}

static void test_taskloop(void) {
  enum { n = 64 };
  int done[n] = {0};
  begin();
#pragma omp parallel num_threads(threads)
#pragma omp single
#pragma omp taskloop num_tasks(8)
  for (int i = 0; i < n; ++i) {
    check_task_inside();
    done[i]++;
  }
  for (int i = 0; i < n; ++i) CHECK(done[i] == 1);
  EXPECT(1, work, ompt_work_taskloop, ompt_scope_begin);
  EXPECT(1, work, ompt_work_taskloop, ompt_scope_end);
  EXPECT(8, task_create, 0, 0);
  EXPECT(1, sync_region, ompt_sync_region_taskgroup, ompt_scope_end);
}

static void test_detach(void) {
  begin();
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    omp_event_handle_t early, late;
    int ended = 0;
#pragma omp task detach(early) if (0)
    omp_fulfill_event(early);
#pragma omp task detach(late) shared(ended)
    ended = 1;
    omp_fulfill_event(late);
#pragma omp taskwait
    CHECK(ended == 1);
  }
  CHECK(statuses[ompt_task_early_fulfill] + statuses[ompt_task_late_fulfill] == 2);
  CHECK(statuses[ompt_task_early_fulfill] >= 1);
}

static void test_cancel(void) {
  if (!omp_get_cancellation()) return;
  begin();
#pragma omp parallel num_threads(threads)
  {
#pragma omp cancel parallel
  }
  CHECK(since(ompt_callback_cancel, 0, 0) >= 1);
  CHECK((cancel_flags & ompt_cancel_parallel) != 0);
  CHECK((cancel_flags & ompt_cancel_activated) != 0);
  cancel_flags = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task
    {
#pragma omp cancel taskgroup
    }
    for (int i = 0; i < 50; ++i) {
#pragma omp task
      ;
    }
  }
  CHECK((cancel_flags & ompt_cancel_taskgroup) != 0);
}

static void test_teams(void) {
  int teams_run = 0;
  begin();
#pragma omp teams num_teams(3)
  {
    __atomic_fetch_add(&teams_run, 1, __ATOMIC_RELAXED);
#pragma omp parallel num_threads(2)
    CHECK(omp_get_team_num() < 3);
  }
  CHECK(teams_run == 3);
  EXPECT(4, parallel_begin, 0, 0);
  EXPECT(4, parallel_end, 0, 0);
  EXPECT(3, implicit_task, 1, ompt_scope_begin);
  EXPECT(3, implicit_task, 1, ompt_scope_end);
}

static void test_others(void) {
  begin();
#pragma omp flush
  EXPECT(is_llvm ? 1 : 0, flush, 0, 0);
#pragma omp error at(execution) severity(warning) message("a message")
  EXPECT(1, error, ompt_warning, 0);
#ifdef __clang__
  CHECK(omp_control_tool((omp_control_tool_t)1, 7, &last_id) == 10);
  EXPECT(1, control_tool, 0, 0);
#endif
}

// The tool ends itself in a callback: what the runtime knows of the thread stays until it has left.
static void test_end(void) {
#ifdef __clang__
  int size = 0;
#pragma omp parallel num_threads(2) reduction(+ : size)
  size += 1;
  begin();
  CHECK(omp_control_tool(omp_control_tool_end, 7, &last_id) == 10 * omp_control_tool_end);
  CHECK(omp_control_tool(omp_control_tool_start, 7, &last_id) < 0);
#pragma omp parallel num_threads(2) reduction(+ : size)
  size += 1;
  CHECK(size == 4);
  EXPECT(0, parallel_begin, 0, 0);
#endif
}

static void* other_thread(void* unused) {
#pragma omp parallel num_threads(2)
  check_inside(1, omp_get_num_threads());
  return unused;
}

static void test_threads(void) {
  const int at_first = counted(ompt_callback_thread_begin, ompt_thread_initial, 0);
  const int ended = counted(ompt_callback_thread_end, 0, 0);
  pthread_t other;
  pthread_create(&other, NULL, other_thread, NULL);
  pthread_join(other, NULL);
  CHECK(counted(ompt_callback_thread_begin, ompt_thread_initial, 0) == at_first + 1);
  CHECK(counted(ompt_callback_thread_end, 0, 0) >= ended + 1);
}

int main(void) {
  test_start();
  test_inquiries();
  for (int i = 0; i < 3; ++i) {
    test_regions();
    test_barriers();
    test_loops();
    test_sections();
    test_single();
    test_masked();
    test_mutexes();
    test_reduction();
    test_tasks();
    test_taskloop();
    test_threads();
  }
  test_dependences();
  test_join();
  test_waiting_tasks();
  test_doacross();
  test_waiting_for_a_task();
  test_detach();
  test_cancel();
  test_teams();
  test_others();
  test_end();
  return check_result();
}
