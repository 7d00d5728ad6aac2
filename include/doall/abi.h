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

/* What a doall_costs has. */
enum {
  DOALL_COSTS_NONE = 0,     /* nothing but hints */
  DOALL_COSTS_SUMS = 1,     /* running sums, uint64_t[iterations + 1], never decreasing, at data */
  DOALL_COSTS_UNSIGNED = 2, /* write() gives uint64_t */
  DOALL_COSTS_SIGNED = 3,   /* int64_t */
  DOALL_COSTS_REAL = 4      /* double */
};

/* What is known of costs besides. */
enum {
  DOALL_COSTS_UNIFORM = 1, /* all iterations cost the same */
  DOALL_COSTS_GUARDED = 2  /* the body does something in few iterations, so costs say little */
};

/* What the iterations of a loop cost, in any unit: each a number of 0 or more. */
typedef struct doall_costs {
  uint32_t size; /* sizeof(doall_costs) */
  uint32_t kind;
  uint32_t hints;
  uint32_t unused;     /* 0 */
  uint64_t iterations; /* how many have a cost; 0 with write(): as many as the loop has */
  /* Not 0: the costs are as they were when a loop last had this generation with this
   * identity. 0: nobody knows; 16 of them, spread over the loop, are compared. */
  uint64_t generation;
  const void* data;       /* running sums, or write()'s own */
  void (*function)(void); /* write()'s own */
  /* Writes the costs of iterations first, first + stride, ..., so many. Called by several threads
   * at once, before the loop or while no body runs. Must not throw. */
  void (*write)(const struct doall_costs* self, uint64_t first, uint64_t stride, uint64_t count,
                void* costs);
  /* By what the costs are known again. Null: not at all. */
  const void* identity;
} doall_costs;

/* What the runtime has found out about a place of the source where loops begin: zeros at first, of
 * static storage, one for each body. Written by the runtime alone, at any time, relaxed: a word of
 * one finding beside a word of another costs speed, never an answer. */
typedef struct doall_site {
  /* A loop of so many of the program's indices or fewer would be run by who meets it, whoever is
   * idle: it takes less than half a microsecond. One of so many or fewer would be, which takes some
   * microseconds, if doall_nobody_idle(). Whoever begins such a loop may as well run it without
   * doall_run(); but one of, say, 64 is to be given to doall_run(), which times it. */
  uint64_t alone;
  uint64_t alone_if_busy;
  uint64_t schedule; /* of a loop that names this one: the first word, the others being 0 */
} doall_site;

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
  /* In the place of cost_sums, any costs; null: unknown. A loop with either that names no schedule
   * runs by wsrw. */
  const doall_costs* costs;
  /* How many of the program's indices the iterations are, which may be blocks of them; 0: each is
   * one. And where the loop begins; null: nobody wants to know when to do without doall_run(). */
  uint64_t indices;
  doall_site* site;
} doall_loop;

/* Runs the loop and returns when all of it has run: 0, or what the first body
 * to stop the loop returned; then at most one more chunk a worker was begun. */
DOALL_API int doall_run(const doall_loop* loop);

/* Whether nobody seems to be idle, for a loop that is about to begin: a part of another lies
 * before this thread that nobody has come to steal, or the last ones were offered in vain, or a
 * loop has one worker here. */
DOALL_API int doall_nobody_idle(void);

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

/* Names what the iterations of this thread's next loop cost, and forgets what was named before.
 * *costs is copied, and what it refers to is read while the loop runs. Null: nothing.
 * The next loop: one of doall_run that has no costs of its own, or, of an OpenMP program that runs
 * on doall, a worksharing loop whose schedule is doall's to deal. Named outside of a parallel
 * region, costs are of the first such loop of the next region, whoever of its team comes first.
 * Named inside, every thread of the team names them, before the loop. */
DOALL_API void doall_loop_costs_name(const doall_costs* costs);

/* Takes what was named, so that the next loop has it no more. 0: nothing was. */
DOALL_API int doall_loop_costs_take(doall_costs* costs);

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
