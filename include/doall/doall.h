/* doall: parallel loops for C11.
 *
 *   #include <doall/doall.h>
 *
 *   static int scale(void* context, int64_t i) {
 *     struct job* job = context;
 *     job->y[i] = job->a * job->x[i] + job->y[i];
 *     return 0;
 *   }
 *   ...
 *   doall_for(0, n, scale, &job, NULL);
 *
 * Link with -ldoall. The threads are the process's one set, shared with OpenMP
 * code that runs on doall. A loop may be started inside a loop, at any depth, and
 * while another thread's loop has the workers: whoever has nothing to do steals from it.
 *
 *   doall_for            over indices
 *   doall_for_step       the same with a step, perhaps a negative one
 *   doall_for_range      over ranges of indices
 *   doall_reduce         one result, with the same bits whatever runs it
 *   doall_options        schedule and costs: the last argument of each
 *   doall_loop_costs_... what the next loop's iterations cost, here or in an OpenMP program
 *
 * and from <doall/abi.h>
 *
 *   doall_schedule_parse    makes a schedule from a text, once, for many loops
 *   doall_threads           how many workers a loop has here
 *   doall_set_threads       sets it; returns the former, to restore it:
 *                             uint32_t before = doall_set_threads(4);
 *                             ...
 *                             doall_set_threads(before);
 *   doall_version
 *
 * All is inline over the C ABI of abi.h. No memory is allocated a loop.
 */
#ifndef DOALL_DOALL_H
#define DOALL_DOALL_H

#include <doall/abi.h>
#include <doall/blocks.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a loop can be told beside its bounds and its body. Name what you set, for
 * the rest is zero, and later releases add to it:
 *   &(doall_options){.schedule = &guided}
 * NULL in its place: nothing. */
typedef struct doall_options {
  /* Who runs what, as doall_schedule_parse made it; null: the runtime's default. */
  const doall_schedule* schedule;

  /* The iterations' costs as running sums, one number more than iterations, never
   * decreasing: number i costs cost_sums[i + 1] - cost_sums[i], in any unit. Null:
   * unknown. */
  const uint64_t* cost_sums;

  /* The same in any form; wins over cost_sums. Those of doall_costs_of_... will do, below. */
  const doall_costs* costs;
} doall_options;

/* Runs one iteration. 0: go on; anything else stops the loop. */
typedef int (*doall_index_body)(void* context, int64_t index);

/* Runs first, first + 1, ..., last - 1; never empty. Returns likewise. */
typedef int (*doall_range_body)(void* context, int64_t first, int64_t last);

/* Adds first, first + 1, ..., last - 1 to *view, which begins as the identity.
 * Returns likewise. */
typedef int (*doall_reduce_body)(void* context, int64_t first, int64_t last, void* view);

/* Makes *left what *left and *right come to, in that order. */
typedef void (*doall_combine)(void* context, void* left, const void* right);

/* doall_for(first, last, body, context, options)
 *
 * Runs body(context, i) for every i in [first, last), in parallel; last <= first is
 * an empty loop. body is called by several threads at once and must not care about
 * the order. Returns 0 when all have run, or what the first body to stop the loop
 * returned; then each worker has ended after the iteration that it was in.
 *
 * Cost: one release and one join of the workers, plus the schedule's own, plus a
 * call an iteration: doall_for_range has a call a chunk.
 */
#define doall_for(...) doall_for_at(__FILE__, __LINE__, __func__, __VA_ARGS__)

/* doall_for_step(first, last, step, body, context, options)
 *
 * The same for first, first + step, first + 2 step, ... as far as they are below
 * last, or, with a negative step, above it. With a step of 0 nothing runs: returns
 * -1, and errno is EINVAL. (Bodies that return positive numbers are told apart.)
 */
#define doall_for_step(...) doall_for_step_at(__FILE__, __LINE__, __func__, __VA_ARGS__)

/* doall_for_range(first, last, body, context, options)
 *
 * The same as doall_for by ranges that together are [first, last). A worker ends
 * after the range that it is in.
 */
#define doall_for_range(...) doall_for_range_at(__FILE__, __LINE__, __func__, __VA_ARGS__)

/* doall_reduce(first, last, result, size, body, combine, context, options)
 *
 * Reduces [first, last) to one value of `size` bytes that memcpy can copy. *result
 * holds the identity before, and the result afterwards; the identity of an empty
 * loop. combine is associative up to rounding; it need not be commutative, for
 * operands keep their order. Both functions are called by several threads at once.
 *
 * The result has the same bits for any number of threads and any schedule, and
 * those of C++'s parallel_reduce: blocks.h says how. Schedules deal blocks.
 *
 * Returns 0, or what the first body to stop the loop returned, or -1 when there is
 * no memory for a value a block (errno is ENOMEM); *result is then as it was. The
 * memory is the thread's to keep for its next reduction, unless 256 values of 4 KiB or
 * more each make it too much to keep: then it is allocated and freed.
 */
#define doall_reduce(...) doall_reduce_at(__FILE__, __LINE__, __func__, __VA_ARGS__)

/* What iterations cost, for schedules that use costs (wsrw, best-static, hybrid,costs). In any
 * unit, numbers of 0 or more; others are said on standard error, once, and not used: then wsrw
 * runs as wsri. What is passed must stay as it is while the loop runs.
 *
 * Four forms:
 *   sums       running sums, one more than iterations, never decreasing: number i costs
 *              sums[i + 1] - sums[i]. The row offsets of a sparse matrix are such an array.
 *   weights    one number an iteration
 *   reals      the same, as double
 *   function   cost(context, i) of iteration number i, counted from 0 in the loop's order. Called
 *              by several threads at once.
 *
 * generation: not 0, and the costs are the same as when a loop last had this generation at this
 * address (of the numbers; of the function and its context). 0: they probably are if 16 of them
 * are, spread over the loop. Sums that have been made of the costs are then used again.
 * Costs that are wrong cost speed, never an answer. */
typedef uint64_t (*doall_cost)(void* context, uint64_t iteration);

/* As descriptors, for doall_options.costs:
 *   const doall_costs costs = doall_costs_of_weights(degree, n, 0);
 *   doall_for(0, n, body, &job, &(doall_options){.costs = &costs}); */
DOALL_INLINE doall_costs doall_costs_of_sums(const uint64_t* sums, uint64_t iterations,
                                             uint64_t generation);
DOALL_INLINE doall_costs doall_costs_of_weights(const uint64_t* weights, uint64_t iterations,
                                                uint64_t generation);
DOALL_INLINE doall_costs doall_costs_of_reals(const double* weights, uint64_t iterations,
                                              uint64_t generation);
DOALL_INLINE doall_costs doall_costs_of_function(doall_cost cost, void* context,
                                                 uint64_t generation);

/* For this thread's next loop, which may be one of doall.h or an OpenMP worksharing loop:
 *
 *   doall_loop_costs_sums(row_offsets, rows, 0);
 *   #pragma omp parallel for schedule(runtime)          OMP_SCHEDULE=wsrw
 *   for (long r = 0; r < rows; ++r) ...
 *
 * In an OpenMP program, which links with -ldoall too and runs on doall, the next loop is a
 * worksharing loop that doall deals: of schedule(runtime), dynamic or guided. (GCC compiles static
 * ones, and those without a clause, into the program: they leave the costs to the next.)
 *   - Named outside of a parallel region: the first such loop of the next region, whoever of its
 *     team comes to it first. What it has no such loop for is forgotten at its end.
 *   - Named inside of one: every thread of the team names them, before the loop; those of the
 *     first to come are used.
 * On another runtime nothing happens. A loop with another number of iterations is told on standard
 * error, once, and runs without. */
DOALL_INLINE void doall_loop_costs_sums(const uint64_t* sums, uint64_t iterations,
                                        uint64_t generation);
DOALL_INLINE void doall_loop_costs_weights(const uint64_t* weights, uint64_t iterations,
                                           uint64_t generation);
DOALL_INLINE void doall_loop_costs_reals(const double* weights, uint64_t iterations,
                                         uint64_t generation);
DOALL_INLINE void doall_loop_costs_function(doall_cost cost, void* context, uint64_t generation);

/* Adds DOALL_COSTS_UNIFORM (all iterations cost the same: wsrw gives way to static) or
 * DOALL_COSTS_GUARDED (the body does something in few iterations, those that pass a test, so costs
 * say little: wsri) to what is named for the next loop, also if nothing is. */
DOALL_INLINE void doall_loop_costs_hint(uint32_t hints);

#ifdef __cplusplus
}
#endif

#include <doall/detail/c_costs.h>
#include <doall/detail/c_loop.h>

#endif
