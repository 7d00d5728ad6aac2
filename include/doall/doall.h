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

#ifdef __cplusplus
}
#endif

#include <doall/detail/c_loop.h>

#endif
