/* A tool as a library: counts what happens and prints it at the end. With REFUSES it does not want
 * to be used, with FAILS its start fails. */
#include <omp-tools.h>
#include <stdio.h>

static int threads, regions, parts, waits;

static void on_thread(ompt_thread_t type, ompt_data_t* thread) {
  (void)type;
  (void)thread;
  __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
}
static void on_region(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel,
                      unsigned requested, int flags, const void* code) {
  (void)task;
  (void)frame;
  (void)parallel;
  (void)requested;
  (void)flags;
  (void)code;
  __atomic_fetch_add(&regions, 1, __ATOMIC_RELAXED);
}
static void on_part(ompt_scope_endpoint_t end, ompt_data_t* parallel, ompt_data_t* task,
                    unsigned parallelism, unsigned index, int flags) {
  (void)parallel;
  (void)task;
  (void)parallelism;
  (void)index;
  if (flags == ompt_task_implicit) {
    __atomic_fetch_add(end == ompt_scope_begin ? &parts : &waits, 1, __ATOMIC_RELAXED);
  }
}

static int start(ompt_function_lookup_t look_up, int device, ompt_data_t* data) {
  (void)device;
  (void)data;
  const ompt_set_callback_t set = (ompt_set_callback_t)look_up("ompt_set_callback");
  set(ompt_callback_thread_begin, (ompt_callback_t)on_thread);
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_region);
  set(ompt_callback_implicit_task, (ompt_callback_t)on_part);
#ifdef FAILS
  return 0;
#else
  return 1;
#endif
}
static void finish(ompt_data_t* data) {
  (void)data;
  printf("tool: %d threads, %d regions, %d parts begun, %d ended\n", threads, regions, parts,
         waits);
  fflush(stdout);
}

__attribute__((visibility("default"))) ompt_start_tool_result_t* ompt_start_tool(
    unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {start, finish, ompt_data_none};
  (void)version;
  (void)runtime;
#ifdef REFUSES
  result.initialize = NULL;
  return NULL;
#endif
  return &result;
}
