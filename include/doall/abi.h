/* The C ABI under doall's headers: plain descriptors that begin with their own size and grow only
 * at their end, so that a program built with one release runs on the next. C++ programs include
 * <doall/doall.hpp> instead, C programs <doall/doall.h>.
 */
#ifndef DOALL_ABI_H
#define DOALL_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOALL_API __attribute__((visibility("default")))

/* A schedule, as doall_schedule_parse fills it. All zero: the runtime's default. It grows at its
 * end: a later release may have more options, and says how many there are. */
typedef struct doall_schedule {
  uint64_t which;      /* the runtime's */
  uint32_t count;      /* of `options` */
  uint32_t order;      /* 0: forward */
  uint64_t options[6]; /* its own, as `doall schedules` lists them; 0: not given */
} doall_schedule;

/* The form of the costs in a doall_costs. */
enum {
  DOALL_COSTS_NONE = 0,     /* hints alone */
  DOALL_COSTS_SUMS = 1,     /* running sums, uint64_t[iterations + 1], never decreasing, at data */
  DOALL_COSTS_UNSIGNED = 2, /* write() gives uint64_t */
  DOALL_COSTS_SIGNED = 3,   /* write() gives int64_t */
  DOALL_COSTS_REAL = 4      /* write() gives double */
};

/* Hints about costs. */
enum {
  DOALL_COSTS_UNIFORM = 1, /* all iterations cost the same */
  DOALL_COSTS_GUARDED = 2  /* the body does something in few iterations, so costs say little */
};

/* What the iterations of a loop cost, in any unit: a number of 0 or more for each. */
typedef struct doall_costs {
  uint32_t size; /* sizeof(doall_costs) */
  uint32_t kind;
  uint32_t hints;
  uint32_t unused;     /* 0 */
  uint64_t iterations; /* how many have a cost; 0 with write(): as many as the loop has */
  /* Not 0: the costs are as they were when a loop last had this generation with this identity.
   * 0: the caller does not know; the runtime compares 16 of them, spread over the loop. */
  uint64_t generation;
  const void* data;       /* running sums, or write()'s own */
  void (*function)(void); /* write()'s own */
  /* Writes the costs of `count` iterations: first, first + stride, ... Several threads call it at
   * once, before the loop or while no body runs. Must not throw. */
  void (*write)(const struct doall_costs* self, uint64_t first, uint64_t stride, uint64_t count,
                void* costs);
  /* Identifies the costs from loop to loop. Null: they are not recognised again. */
  const void* identity;
} doall_costs;

/* What the runtime knows of a place in the source where loops begin. Of static storage, one for
 * each body, and zero at first. One word, so that a loop reads one; it is written at any time,
 * relaxed: a stale one costs speed, never an answer. From its lowest bits on:
 *   6   nested loops run in pieces of 2 to the power of this many of the program's indices, which
 *       take about 400 ns
 *   1   the loops have others inside: pieces are one iteration
 *   1   the former are known
 *   24  under which the runtime finds the rest of what it knows of the place
 *   32  outermost loops of at most so many indices run without the runtime (doall_thread) */
typedef struct doall_site {
  uint64_t word;
} doall_site;

/* Runs iterations begin, begin + step, ... below end on worker `worker`. Returns 0 to go on,
 * anything else to stop the loop. Must not throw. */
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
  /* iterations + 1 numbers that never decrease: iteration i costs cost_sums[i + 1] - cost_sums[i],
   * in any unit. For schedules that use costs. Null: unknown. */
  const uint64_t* cost_sums;
  /* Not null: the loop is dealt in blocks of neighbouring iterations, one for each worker and in
   * the workers' order, whatever its schedule says. body is called once for each worker of the
   * team, even if its block is empty. As workers are joined, each is combined into one whose
   * iterations (with those already combined into it) lie directly before its own, until worker 0
   * has all: one combination fewer than workers. A body that stops the loop stops no other body. */
  void (*combine)(void* context, uint32_t into, uint32_t from);
  /* Costs in any form, in the place of cost_sums; null: unknown. A loop that has either and names
   * no schedule runs by wsrw. */
  const doall_costs* costs;
  /* How many of the program's indices the iterations stand for, if they are blocks of indices; 0:
   * each iteration is one. */
  uint64_t indices;
  doall_site* site; /* where the loop begins; null: the caller always calls doall_run() */
  /* Not 0: all that body reads of the context are its first so many bytes, which nobody writes
   * while the loop runs. A worker may then get a copy of them in the context's place, at a multiple
   * of 64 bytes. A multiple of 8; other numbers, and those above 64, mean 0. */
  uint64_t copied;
  /* Not null: where the loop is dealt in one block of neighbouring iterations for each worker, in
   * the workers' order, two blocks that lie side by side may be joined into one, that which begins
   * at iteration `left` and that which begins at `right`, by this. It is called as workers are
   * joined, for each block but one at most once, also for those whose bodies have stopped the loop.
   * What it has not joined is the caller's to join, as are all parts of a loop that is dealt
   * otherwise. Not together with combine. */
  void (*join)(void* context, uint64_t left, uint64_t right);
  uint64_t first; /* its caller has run the iterations before this one */
} doall_loop;

/* Runs the loop and returns when all of it has run: 0, or what the first body to stop the loop
 * returned. After a stop, a worker begins at most one more chunk. */
DOALL_API int doall_run(const doall_loop* loop);

/* Nested loops, executed by the encountering thread.
 *
 * The program's own code begins a loop inside another loop's iteration, as a plain loop: its thread
 * links a doall_open_loop and runs pieces of as many iterations as its site says. Between two
 * pieces it counts looks_left down, and calls doall_look() when that comes to 0. There the runtime
 * may find that another thread is idle, and give half of an open loop's iterations away, those of
 * the outermost one first. A loop that gave nothing away costs no atomic operation and no call.
 *
 * Below, the loop's own thread changes `next` before each piece, and the runtime changes the rest.
 * All of it belongs to that thread, but for looks_left and asked, which any thread may write
 * (relaxed). */
typedef struct doall_open_kind {
  doall_body body; /* its context is the doall_open_loop of the loop whose iterations it runs */
  doall_site* site;
} doall_open_kind;

typedef struct doall_open_loop {
  struct doall_open_loop* around; /* the next one outside */
  struct doall_open_loop* inside; /* the last loop that was begun in an iteration of it, ended or
                                   * not; null: there was none */
  uint64_t next;                  /* no thread has begun any of the iterations [next, end) */
  uint64_t end;
  uint64_t limit; /* run while next < limit: the end, or 0 once the loop is shared */
  void* loop;     /* doall_thread::loop as the loop begins; the loop's own once it is shared */
  const doall_open_kind* kind;
} doall_open_loop;

typedef struct doall_thread {
  void* owner; /* the thread's thread pointer; null: nobody's */
  void* loop;  /* in whose iteration the thread is; null: in none */
  doall_open_loop* innermost;
  doall_open_loop* outermost_open;
  uint32_t looks_left; /* pieces until the next doall_look() */
  uint32_t asked;      /* somebody has taken the last part that was offered */
  uint32_t inlined;    /* 0: the next loop goes to doall_run() */
  uint32_t unused;
  /* Until then, in ticks of the processor's clock (TSC, cntvct), outermost loops that name no
   * schedule and are as short as their site says run without the runtime. Such a loop looks at the
   * clock after its first iteration, and later ones; if it is late, its rest goes to doall_run()
   * (doall_loop::first). 0: all loops go there. */
  uint64_t plain_until;
  uint64_t open_schedules[2]; /* of which nested loops are open loops: doall_schedule::which; the
                               * second is that of loops that name none */
  const doall_open_kind* kind_of_groups;
  const doall_site* timed;   /* of the loop that is being timed; null: none, or it met itself */
  doall_open_loop outermost; /* around all others; has no iterations */
} doall_thread;

/* The calling thread's doall_thread; null: it has none, and its loops go to doall_run(). */
DOALL_API doall_thread* doall_thread_here(void);

/* Shares some of the thread's open loops, if an idle thread wants work. Sets looks_left. */
DOALL_API void doall_look(doall_thread* here);

/* Ends a shared loop, when its thread leaves it: runs what no thief has taken, waits for the
 * thieves, and returns the first verdict other than 0, `verdict` first. */
DOALL_API int doall_open_loop_finish(doall_thread* here, doall_open_loop* loop, int verdict);

/* Reads a schedule from the grammar name[,number]...[,key=value]... Returns 0, or writes the reason
 * to message, cut to message_size and terminated, and returns -1. */
DOALL_API int doall_schedule_parse(const char* text, doall_schedule* schedule, char* message,
                                   size_t message_size);

/* Makes the schedule of that name, as the grammar's `name` or, when value is not null,
 * `name,*value`. Cheaper than doall_schedule_parse; otherwise the same. */
DOALL_API int doall_schedule_make(const char* name, const uint64_t* value, doall_schedule* schedule,
                                  char* message, size_t message_size);

/* Writes the text that doall_schedule_parse turns into the schedule, in its shortest form, cut to
 * text_size and terminated; "" for the default. */
DOALL_API void doall_schedule_text(const doall_schedule* schedule, char* text, size_t text_size);

/* How a schedule deals; 0 for the default, and for those that split. */
enum {
  DOALL_DEALS_ONE_BLOCK = 1, /* each worker at most one block of neighbouring iterations, in the
                              * workers' order (with best-static: if the loop has costs) */
  DOALL_DEALS_BY_WORKER = 2, /* a worker the same iterations, whoever asks when */
  DOALL_DEALS_BY_TIMES = 4   /* by how long iterations took */
};
DOALL_API unsigned doall_schedule_deals(const doall_schedule* schedule);

/* Whether the schedule (null: the default) can deal a loop with `combine`: it names none, or one
 * that gives each worker one block. False while a report counts what loops do. */
DOALL_API int doall_schedule_deals_blocks(const doall_schedule* schedule);

/* A dealer: a schedule that deals a loop to workers of the caller's, which may be other processes
 * (doall/mpi.hpp). It has no threads. */
typedef struct doall_dealer doall_dealer;

/* Iterations begin, begin + step, ... below end. */
typedef struct doall_chunk {
  uint64_t begin;
  uint64_t end;
  uint64_t step;
} doall_chunk;

/* Begins to deal a loop of so many iterations to so many workers (at least 1). Costs as in
 * doall_loop; null: unknown. Returns null, and writes the reason to message, as
 * doall_schedule_parse does, for a schedule that splits the loop and so deals no chunks, for the
 * default, or when there is no memory. */
DOALL_API doall_dealer* doall_dealer_begin(const doall_schedule* schedule, uint64_t iterations,
                                           uint32_t workers, const doall_costs* costs,
                                           char* message, size_t message_size);

/* Deals another loop by the same schedule to as many workers; `costs` as before. Called when no
 * thread is in doall_dealer_next. */
DOALL_API void doall_dealer_again(doall_dealer* dealer, uint64_t iterations,
                                  const doall_costs* costs);

/* Writes worker `worker`'s next chunk. 0: it gets no more, however often it asks. Different workers
 * may ask at the same time. For schedules that adapt: how many iterations it has run since it asked
 * last, and how long they took; 0: it was not measured. */
DOALL_API int doall_dealer_next(doall_dealer* dealer, uint32_t worker, uint64_t iterations_run,
                                uint64_t elapsed_ns, doall_chunk* chunk);

/* Ends the loop and frees the dealer; null: does nothing. */
DOALL_API void doall_dealer_end(doall_dealer* dealer);

/* Names what the iterations of this thread's next loop cost, and forgets what was named before.
 * Copies *costs; what it refers to is read while the loop runs. Null: only forgets.
 * The next loop is one of doall_run that has no costs of its own or, in an OpenMP program that runs
 * on doall, a worksharing loop that doall schedules. Costs named outside a parallel region are for
 * the first such loop of the next region, whichever thread of its team comes to it first. Inside a
 * region, every thread of the team names them, before the loop. */
DOALL_API void doall_loop_costs_name(const doall_costs* costs);

/* Takes what was named, so that the next loop no longer has it. 0: nothing was named. Writes *costs
 * up to `identity`, whatever was there, and says so in its size. */
DOALL_API int doall_loop_costs_take(doall_costs* costs);

/* Runs part(context, domain, domains) once for each NUMA domain of the team that a loop of this
 * thread would have, all at the same time, each on a worker of its domain. Loops that a part starts
 * run on the workers of its domain. On a machine with one domain, or inside a loop: one part, on
 * this thread. Parts must not throw. */
DOALL_API void doall_run_on_domains(void (*part)(void* context, uint32_t domain, uint32_t domains),
                                    void* context);

/* A task: the program's own structure begins with it. */
typedef struct doall_task {
  struct doall_task* newer; /* used by the group, from when it is given until it runs */
  struct doall_task* older;
  void (*run)(struct doall_task* self); /* must not throw; may free *self */
} doall_task;

/* A group of tasks. Each task runs once, on the thread that began the group or on a thief, and has
 * ended when doall_group_wait() returns. The fields are the runtime's. The group stays where it is
 * until doall_group_end(). */
typedef struct doall_group {
  doall_open_loop open; /* its tasks that wait are iterations [0, end) */
  doall_thread* here;   /* of the thread that began it; null: there is no memory */
  doall_task* newest;   /* of those that wait */
  doall_task* oldest;
  uint64_t offered; /* tasks that any thread may take, or has taken */
  uint64_t waiting; /* its thread waits for those that others have */
} doall_group;

/* The thread that begins a group ends it, in the same iteration or task. */
DOALL_API void doall_group_begin(doall_group* group);

/* Gives the group a task. Called by the thread that began the group, or from its tasks. Executes
 * nothing, but where there is no memory for the group, or in a loop in a stolen task. */
DOALL_API void doall_group_run(doall_group* group, doall_task* task);

/* Runs tasks of the group until all have ended. Called by the thread that began it. */
DOALL_API void doall_group_wait(doall_group* group);

/* Called after doall_group_wait(). */
DOALL_API void doall_group_end(doall_group* group);

/* Sets the default schedule, as DOALL_SCHEDULE does: of native loops, and of OpenMP's runtime,
 * dynamic and guided ones, that have no schedule of their own. "": none, as without the variable.
 * Returns 0, or warns on standard error, changes nothing, and returns -1. */
DOALL_API int doall_set_schedule(const char* text);

/* Writes the text that doall_set_schedule turns into the default schedule, to restore it, cut to
 * text_size and terminated; "" if there is none. */
DOALL_API void doall_get_schedule(char* text, size_t text_size);

/* The most workers that a loop started by this thread could have; in an iteration, those that the
 * loop around leaves to loops inside it. */
DOALL_API uint32_t doall_threads(void);

/* Sets how many workers the loops have that this thread starts from now on, at most 1024; 0: as
 * many as the environment says. Loops get no more than there are CPUs, unless
 * DOALL_OVERSUBSCRIBE=true, and fewer if threads cannot be created. Returns the former value, to
 * restore it; 0 when none was set. */
DOALL_API uint32_t doall_set_threads(uint32_t threads);

/* Memory for one loop's results, at least `bytes` large, aligned to `alignment` (a power of two).
 * The thread keeps its memory, up to so many bytes, and lends it again without an allocation. A
 * larger request, or one while it is lent, comes from malloc and goes back to it. Null when there
 * is no memory. */
#define DOALL_SCRATCH_KEPT_BYTES (1024u * 1024u)
DOALL_API void* doall_scratch_take(size_t bytes, size_t alignment);

/* Gives back what doall_scratch_take returned, on the same thread. */
DOALL_API void doall_scratch_give(void* memory);

/* Between them this thread's iteration waits for something that is none of the program's own work:
 * reports do not count that time as busy. Not nested. */
DOALL_API void doall_wait_begin(void);
DOALL_API void doall_wait_end(void);

/* Counts what the process's loops do from now on, for doall_report_write(). Called before the first
 * loop; later it changes nothing. Returns 0 if loops are counted, also because DOALL_REPORT_FOLDER
 * is set, else -1. */
DOALL_API int doall_report_begin(void);

/* Writes what loops have done so far to that file, in the form that `doall show` reads. Loops
 * that run meanwhile may be there in part. Returns 0, or -1 if loops are not counted (errno is
 * EINVAL) or the file cannot be written. */
DOALL_API int doall_report_write(const char* path);

/* A number that no other thread has while this one lives: of the first 4,096 the lowest that is
 * free when the thread first asks, else one that was never used. Constant afterwards. */
DOALL_API uint32_t doall_worker_index(void);

/* What all shared libraries of the process count together: a variable of a header is each library's
 * own, or keeps the library from being unloaded. */
typedef struct doall_process_counts {
  uint64_t threads;       /* that have asked for a number which no other one gets */
  uint64_t cancellations; /* of algorithms (doall/compat) */
  uint64_t cost_tables;   /* that were made or changed */
} doall_process_counts;
DOALL_API doall_process_counts* doall_counts_here(void);

DOALL_API const char* doall_version(void);

#ifdef __cplusplus
}
#endif

#endif
