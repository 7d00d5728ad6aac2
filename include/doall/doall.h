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
 * Link with -ldoall. The process has one thread pool, shared with OpenMP code that runs on doall.
 * Loops may be nested, to any depth, and started while another thread's loop has the workers: idle
 * workers steal from them.
 *
 *   doall_for            over indices
 *   doall_for_step       the same with a step, perhaps a negative one
 *   doall_for_range      over ranges of indices
 *   doall_for_space      over two and more dimensions, in tiles; doall_reduce_space
 *   doall_reduce         one result, with the same bits for any threads and schedule
 *   doall_options        schedule and costs: the last argument of each
 *   doall_loop_costs_... what the next loop's iterations cost, here or in an OpenMP program
 *
 * and from <doall/abi.h>
 *
 *   doall_schedule_parse    makes a schedule from text, once, for many loops
 *   doall_threads           how many workers a loop has here
 *   doall_set_threads       sets that; returns the former value, to restore it:
 *                             uint32_t before = doall_set_threads(4);
 *                             ...
 *                             doall_set_threads(before);
 *   doall_version
 *
 * All is inline over the C ABI of abi.h. A loop allocates no memory.
 */
#ifndef DOALL_DOALL_H
#define DOALL_DOALL_H

#include <doall/abi.h>
#include <doall/blocks.h>
#include <doall/tiles.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a loop can be told beside its bounds and its body. Name the members that you set; the rest
 * is zero, and later releases add members:
 *   &(doall_options){.schedule = &guided}
 * NULL in its place: all defaults. */
typedef struct doall_options {
  /* A schedule that doall_schedule_parse made; null: the runtime's default. */
  const doall_schedule* schedule;

  /* The iterations' costs as running sums, one number more than iterations, never decreasing:
   * number i costs cost_sums[i + 1] - cost_sums[i], in any unit. Null: unknown. */
  const uint64_t* cost_sums;

  /* Costs in any form, as doall_costs_of_... below makes them; wins over cost_sums. */
  const doall_costs* costs;
} doall_options;

/* Runs one iteration. 0: go on; anything else stops the loop. */
typedef int (*doall_index_body)(void* context, int64_t index);

/* Runs first, first + 1, ..., last - 1; never empty. Returns likewise. */
typedef int (*doall_range_body)(void* context, int64_t first, int64_t last);

/* Adds first, first + 1, ..., last - 1 to *view, which begins as the identity. Returns likewise. */
typedef int (*doall_reduce_body)(void* context, int64_t first, int64_t last, void* view);

/* Combines *left and *right, in that order, into *left. */
typedef void (*doall_combine)(void* context, void* left, const void* right);

/* doall_for(first, last, body, context, options)
 *
 * Runs body(context, i) for every i in [first, last), in parallel; last <= first is an empty loop.
 * Several threads call body at once, in any order. Returns 0 when all have run, or what the first
 * body to stop the loop returned; then each worker has ended after its current iteration.
 *
 * Cost: one release and one join of the workers, plus the schedule's own, plus a call for each
 * iteration. doall_for_range makes a call for each chunk.
 */
#define doall_for(...) doall_for_at(__FILE__, __LINE__, __func__, __VA_ARGS__)

/* doall_for_step(first, last, step, body, context, options)
 *
 * The same for first, first + step, first + 2 step, ... as far as they are below last, or, with a
 * negative step, above it. With a step of 0 nothing runs: sets errno to EINVAL and returns -1. (Let
 * bodies return positive numbers, and the two can be told apart.)
 */
#define doall_for_step(...) doall_for_step_at(__FILE__, __LINE__, __func__, __VA_ARGS__)

/* doall_for_range(first, last, body, context, options)
 *
 * The same as doall_for, with ranges that together are [first, last). After a stop each worker ends
 * after its current range.
 */
#define doall_for_range(...) doall_for_range_at(__FILE__, __LINE__, __func__, __VA_ARGS__)

/* doall_reduce(first, last, result, size, body, combine, context, options)
 *
 * Reduces [first, last) to one value of `size` bytes that memcpy can copy. *result holds the
 * identity before, and the result afterwards; an empty loop leaves the identity. combine must be
 * associative up to rounding; it need not be commutative, for operands keep their order. Several
 * threads call both functions at once.
 *
 * The result has the same bits for any number of threads and any schedule, the bits that C++'s
 * parallel_reduce gives: blocks.h says how. Schedules deal blocks.
 *
 * Returns 0, or what the first body to stop the loop returned, or -1 when there is no memory for a
 * value for each block (errno is ENOMEM); *result is then as it was. The thread keeps the memory
 * for its next reduction. 256 values of 4 KiB or more are too much to keep: such a reduction
 * allocates and frees.
 */
#define doall_reduce(...) doall_reduce_at(__FILE__, __LINE__, __func__, __VA_ARGS__)

/* doall_for_space(space, body, context, options)
 *
 * Runs body(context, tile) for every tile of a space of two or more dimensions (tiles.h):
 *
 *   const doall_space grid = {2, {rows, columns}, {0}};   sides of tiles: chosen
 *
 * A tile is an iteration: schedules deal tiles, costs are those of tiles, by number. Returns as
 * doall_for. A wrong number of dimensions (errno is EINVAL), or more than 2^63 - 1 tiles
 * (EOVERFLOW): nothing runs, and it returns -1.
 */
typedef int (*doall_tile_body)(void* context, const doall_tile* tile);
#define doall_for_space(...) doall_for_space_at(__FILE__, __LINE__, __func__, __VA_ARGS__)

/* doall_reduce_space(space, result, size, body, combine, context, options)
 *
 * Likewise reduces a space. body(context, tile, view) adds a tile to *view. As doall_reduce(), of
 * which a tile is an index: the same bits for any number of threads and any schedule.
 */
typedef int (*doall_tile_reduce_body)(void* context, const doall_tile* tile, void* view);
#define doall_reduce_space(...) doall_reduce_space_at(__FILE__, __LINE__, __func__, __VA_ARGS__)

/* What iterations cost, for schedules that use costs (wsrw, best-static, hybrid,costs): numbers of
 * 0 or more, in any unit. Others are reported on standard error, once, and not used: then wsrw runs
 * as wsri. What is passed must stay as it is while the loop runs.
 *
 * Four forms:
 *   sums       running sums, one more than iterations, never decreasing: number i costs
 *              sums[i + 1] - sums[i]. The row offsets of a sparse matrix are such an array.
 *   weights    one number for each iteration
 *   reals      the same, as double
 *   function   cost(context, i) of iteration number i, counted from 0 in the loop's order. Several
 *              threads call it at once.
 *
 * generation: not 0 says that the costs are the same as when a loop last had this generation at
 * this address (of the numbers; of the function and its context). With 0 the runtime takes them for
 * the same if 16 of them are, spread over the loop. It uses its sums of the same costs again. Wrong
 * costs cost speed, never an answer. */
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
 * In an OpenMP program that links with -ldoall too and runs on doall, the next loop is a
 * worksharing loop that doall schedules: one with schedule(runtime), dynamic or guided. (GCC
 * compiles static ones, and those without a clause, into the program: they leave the costs to the
 * next.)
 *   - Named outside a parallel region: for the first such loop of the next region, whichever thread
 *     of its team comes to it first. If the region has no such loop, they are forgotten at its end.
 *   - Named inside one: every thread of the team names them, before the loop; those of the first
 *     thread to come are used.
 * On another runtime nothing happens. A loop with another number of iterations reports that on
 * standard error, once, and runs without costs. */
DOALL_INLINE void doall_loop_costs_sums(const uint64_t* sums, uint64_t iterations,
                                        uint64_t generation);
DOALL_INLINE void doall_loop_costs_weights(const uint64_t* weights, uint64_t iterations,
                                           uint64_t generation);
DOALL_INLINE void doall_loop_costs_reals(const double* weights, uint64_t iterations,
                                         uint64_t generation);
DOALL_INLINE void doall_loop_costs_function(doall_cost cost, void* context, uint64_t generation);

/* Adds a hint to the costs that are named for the next loop, even if none are:
 * DOALL_COSTS_UNIFORM (all iterations cost the same: wsrw gives way to static) or
 * DOALL_COSTS_GUARDED (the body does something only in the few iterations that pass a test, so
 * costs say little: wsrw gives way to wsri). */
DOALL_INLINE void doall_loop_costs_hint(uint32_t hints);

#ifdef __cplusplus
}
#endif

#include <doall/detail/c_costs.h>
#include <doall/detail/c_loop.h>

#endif
