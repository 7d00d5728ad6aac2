/* numba's threading layer on doall's loops: what numba's compiled code calls, by the names of
 * numba/np/ufunc (omppool.cpp is its OpenMP layer). numba cuts a parallel loop into divisions and
 * hands them to numba_parallel_for(), which has a function for a range of them.
 */
#include <doall/doall.h>

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* Divisions for each thread, of which schedules make chunks. numba's own layers have one. */
#define DIVISIONS_A_THREAD 32

typedef void (*division_function)(char** args, size_t* dims, size_t* steps, void* data);
typedef uintptr_t (*size_function)(uintptr_t threads, uintptr_t dims, intptr_t* starts,
                                   intptr_t* ends);
typedef uintptr_t (*chunk_function)(void);

static size_function own_size;   /* numba's, for a chunk size that the program has set */
static chunk_function own_chunk; /* which it is; 0: none */

/* Threads write their sums to the place of their number: below the number of threads, and no other
 * thread's while it runs divisions of the same loop. */
#define MOST_THREADS 1024
typedef struct numba_loop {
  division_function run;
  char** args;
  size_t* dims;
  size_t* steps;
  void* data;
  size_t inner_dims;
  size_t arrays;
  uint32_t threads;
  _Atomic(uint64_t) taken[MOST_THREADS / 64];
} numba_loop;

static _Thread_local int number_here;

static uint32_t take_number(numba_loop* loop) {
  for (;;) {
    for (uint32_t i = 0; i < loop->threads; ++i) {
      const uint64_t bit = UINT64_C(1) << i % 64;
      if ((atomic_fetch_or(&loop->taken[i / 64], bit) & bit) == 0) return i;
    }
    sched_yield(); /* more threads help than the loop has: a piece of one of them ends */
  }
}

static int run_divisions(void* self, uint64_t begin, uint64_t end, uint64_t step, uint32_t worker) {
  numba_loop* const loop = self;
  (void)worker;
  const int before = number_here;
  const uint32_t mine = take_number(loop);
  number_here = (int)mine;
  char* args[loop->arrays];
  size_t dims[loop->inner_dims + 1];
  for (size_t d = 1; d <= loop->inner_dims; ++d) dims[d] = loop->dims[d];
  for (uint64_t r = begin; r < end; r = end - r <= step ? end : r + step) {
    dims[0] = step == 1 ? end - r : 1;
    for (size_t j = 0; j < loop->arrays; ++j) args[j] = loop->args[j] + r * loop->steps[j];
    loop->run(args, dims, loop->steps, loop->data);
    if (step == 1) break;
  }
  number_here = before;
  atomic_fetch_and(&loop->taken[mine / 64], ~(UINT64_C(1) << mine % 64));
  return 0;
}

EXPORT void doall_numba_for(void* run, char** args, size_t* dims, size_t* steps, void* data,
                            size_t inner_dims, size_t arrays, int threads) {
  numba_loop loop = {.run = (division_function)run,
                     .args = args,
                     .dims = dims,
                     .steps = steps,
                     .data = data,
                     .inner_dims = inner_dims,
                     .arrays = arrays,
                     .threads = threads < 1 ? 1 : threads < MOST_THREADS ? (uint32_t)threads
                                                                          : MOST_THREADS};
  doall_loop told = {.size = sizeof told,
                     .line = (uint32_t)((uintptr_t)run >> 4), /* tells loops apart */
                     .iterations = dims[0],
                     .body = run_divisions,
                     .context = &loop,
                     .file = "numba",
                     .function = "prange"};
  const uint32_t before = doall_set_threads(loop.threads);
  doall_run(&told);
  doall_set_threads(before);
}

EXPORT int doall_numba_thread_id(void) { return number_here; }

EXPORT uintptr_t doall_numba_divisions(uintptr_t threads, uintptr_t dims, intptr_t* starts,
                                       intptr_t* ends) {
  if (own_chunk() != 0) return own_size(threads, dims, starts, ends);
  const uintptr_t wanted = threads * DIVISIONS_A_THREAD;
  uintptr_t iterations = 1;
  for (uintptr_t d = 0; d < dims && iterations < wanted; ++d) {
    const uintptr_t length = ends[d] < starts[d] ? 0 : (uintptr_t)(ends[d] - starts[d]) + 1;
    iterations = length == 0 ? 0 : length >= wanted ? wanted : iterations * length;
    if (iterations == 0) break;
  }
  const uintptr_t divisions = iterations < wanted ? iterations : wanted;
  return divisions < threads ? threads : divisions;
}

/* numba's own get_sched_size() and get_parallel_chunksize(). */
EXPORT void doall_numba_begin(void* size, void* chunk) {
  own_size = (size_function)size;
  own_chunk = (chunk_function)chunk;
}
