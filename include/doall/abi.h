/* The C ABI under doall's headers: plain descriptors that begin with their own
 * size and grow only at their end, so that a program built with one release runs
 * on the next. C++ programs include <doall/doall.hpp> instead, C programs
 * <doall/doall.h>.
 */
#ifndef DOALL_ABI_H
#define DOALL_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOALL_API __attribute__((visibility("default")))

/* A schedule, as doall_schedule_parse fills it. All zero: the runtime's default. */
typedef struct doall_schedule {
  uint64_t opaque[8];
} doall_schedule;

/* Runs iterations begin, begin + step, ... below end on worker `worker`.
 * Returns 0 to go on, anything else to stop the loop. Must not throw. */
typedef int (*doall_body)(void* context, uint64_t begin, uint64_t end, uint64_t step,
                          uint32_t worker);

/* A loop of `iterations` iterations, numbered from 0. */
typedef struct doall_loop {
  uint32_t size; /* sizeof(doall_loop) */
  uint32_t line; /* of the source, 0 when unknown */
  uint64_t iterations;
  doall_body body;
  void* context;
  const doall_schedule* schedule; /* null: the runtime's default */
  const char* file;               /* of the source, null when unknown */
  const char* function;           /* likewise */
  /* iterations + 1 numbers that never decrease: iteration i costs cost_sums[i + 1] -
   * cost_sums[i], in a unit of the caller's. For schedules that use costs. Null: unknown. */
  const uint64_t* cost_sums;
  /* Not null: the loop is dealt in blocks of neighbouring iterations, one a worker and
   * in the workers' order, whatever its schedule says, and body is called once for each
   * worker of the team, if its block is empty too; for worker 0 perhaps twice, the second
   * block following the first. As workers are joined, each is combined into one whose iterations
   * lie directly before its own (and those combined into it), until all is in worker
   * 0's: one combination fewer than workers. A body that stops the loop stops no other. */
  void (*combine)(void* context, uint32_t into, uint32_t from);
} doall_loop;

/* Runs the loop and returns when all of it has run: 0, or what the first body
 * to stop the loop returned; then at most one more chunk a worker was begun. */
DOALL_API int doall_run(const doall_loop* loop);

/* Reads a schedule from the grammar name[,number]...[,key=value]... Returns 0, or
 * -1 after writing why not to message, cut to message_size, terminated. */
DOALL_API int doall_schedule_parse(const char* text, doall_schedule* schedule, char* message,
                                   size_t message_size);

/* The schedule of that name, as the grammar's `name` or, when value is not null,
 * `name,*value`. Cheaper than doall_schedule_parse; otherwise the same. */
DOALL_API int doall_schedule_make(const char* name, const uint64_t* value, doall_schedule* schedule,
                                  char* message, size_t message_size);

/* Whether the schedule (null: the default) can deal a loop with `combine`: it names none, or
 * one that gives each worker one block. Not while a report counts what loops do. */
DOALL_API int doall_schedule_deals_blocks(const doall_schedule* schedule);

/* Runs part(context, domain, domains) once for each NUMA domain of the
 * team that a loop of this thread would have, at the same time, each on a worker of
 * that domain; loops that a part starts run on the workers of its domain. On a machine
 * with one domain, or inside of a loop: one part, on this thread. Parts must not throw. */
DOALL_API void doall_run_on_domains(void (*part)(void* context, uint32_t domain, uint32_t domains),
                                    void* context);

/* A group of tasks: each is run once, by the thread that gives it or by one that steals it,
 * and has ended when doall_group_wait() has returned. */
typedef struct doall_group doall_group;

/* A group whose tasks are pointers that run(task) runs. To be ended by the thread that began
 * it, in the iteration or task in which it did. Null: there is no memory, or nobody to
 * share with; then the caller runs its tasks itself. run must not throw. */
DOALL_API doall_group* doall_group_begin(void (*run)(void* task));

/* Gives the group a task. By the thread that began it, or from within its tasks. */
DOALL_API void doall_group_run(doall_group* group, void* task);

/* Runs tasks of the group until all have ended. By the thread that began it. */
DOALL_API void doall_group_wait(doall_group* group);

/* After doall_group_wait(). */
DOALL_API void doall_group_end(doall_group* group);

/* Sets what loops without a schedule of their own use: native ones, and OpenMP's
 * runtime, dynamic and guided ones, as DOALL_SCHEDULE does. Returns 0, or -1 after a warning on
 * standard error, with nothing changed. */
DOALL_API int doall_set_schedule(const char* text);

/* The most workers that a loop started by this thread could have. */
DOALL_API uint32_t doall_threads(void);

/* Sets how many workers the loops have that this thread starts from now on, at
 * most 1024; 0: as many as the environment says. Loops get no more than there are CPUs,
 * unless DOALL_OVERSUBSCRIBE=true, and fewer where threads cannot be had. Returns what was
 * set before, for who wants to restore it; 0 when nothing was. */
DOALL_API uint32_t doall_set_threads(uint32_t threads);

/* Memory for one loop's results, at least `bytes` large, aligned to `alignment`
 * (a power of two). The thread keeps what it once got, up to 1 MiB, and lends it
 * again: no allocation then. More than that, or while it is lent already, comes
 * from malloc and goes back to it. Null when there is no memory. */
DOALL_API void* doall_scratch_take(size_t bytes, size_t alignment);

/* Gives back what doall_scratch_take returned, on the same thread. */
DOALL_API void doall_scratch_give(void* memory);

DOALL_API const char* doall_version(void);

#ifdef __cplusplus
}
#endif

#endif
