/* Linked with a program that doall's plugin compiled, sees what its loops tell the runtime.
 *
 * Of each loop's first execution it says at the end, on standard error,
 *     witness FILE:LINE busiest PERCENT iterations N cost SUM
 * where PERCENT is what the busiest thread's iterations cost by the compiler's own function, in
 * percent of the mean. With WITNESS_COSTS=FILE it instead writes there, for each loop, a line with
 * its line's number, N, and what each iteration costs.
 *
 * It takes the place of the entries that such loops call, and calls the runtime's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_loops = 64, most_threads = 256 };
static const uint64_t magic = 0x6363206c6c616f64; /* src/omp/compiled_loop.hpp */

struct note {
  uint32_t size;
  uint32_t line;
  const char* file;
  const char* schedule;
  uint64_t kept;
  uint64_t facts;
};
typedef uint64_t cost_function(const void* context, uint64_t k);

struct seen {
  const struct note* note;
  uint64_t iterations;
  uint64_t cost;
  bool costed;
  uint64_t ran[most_threads];
  bool began[most_threads];
};
static struct seen loops[most_loops];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The loop that the thread counts the costs of; null: none. */
static __thread struct seen* in;
static __thread cost_function* cost;
static __thread const void* context;
static __thread long first_of_all;
static __thread long step;

static void write_costs(const struct seen* of) {
  const char* name = getenv("WITNESS_COSTS");
  FILE* file = name != NULL && of->costed ? fopen(name, "a") : NULL;
  if (file == NULL) return;
  fprintf(file, "%u %llu", of->note->line, (unsigned long long)of->iterations);
  for (uint64_t k = 0; k < of->iterations; ++k)
    fprintf(file, " %llu", (unsigned long long)cost(context, k));
  fputc('\n', file);
  fclose(file);
}

static void begin(const struct note* note, uint64_t iterations) {
  const int me = omp_get_thread_num() % most_threads;
  pthread_mutex_lock(&lock);
  struct seen* of = loops;
  while (of < loops + most_loops - 1 && of->note != NULL && of->note != note) ++of;
  in = of->began[me] ? NULL : of;
  of->began[me] = true;
  if (of->note == NULL) {
    of->note = note;
    of->iterations = iterations;
    of->costed = cost != NULL;
    for (uint64_t k = 0; of->costed && k < iterations; ++k) of->cost += cost(context, k);
    write_costs(of);
  }
  pthread_mutex_unlock(&lock);
}

static void run(uint64_t from, uint64_t to) {
  if (in == NULL || cost == NULL) return;
  uint64_t sum = 0;
  for (uint64_t k = from; k < to; ++k) sum += cost(context, k);
  in->ran[omp_get_thread_num() % most_threads] += sum;
}

static uint64_t number_of(long i) { return (uint64_t)((i - first_of_all) / step); }

__attribute__((destructor)) static void say(void) {
  if (getenv("WITNESS_COSTS") != NULL) return;
  for (struct seen* of = loops; of < loops + most_loops && of->note != NULL; ++of) {
    uint64_t most = 0;
    unsigned threads = 0;
    for (int t = 0; t < most_threads; ++t) {
      if (of->began[t]) ++threads;
      if (of->ran[t] > most) most = of->ran[t];
    }
    const double mean = (double)of->cost / threads;
    fprintf(stderr, "witness %s:%u busiest %.0f iterations %llu cost %llu\n", of->note->file,
            of->note->line, of->cost == 0 ? 0 : 100 * (double)most / mean,
            (unsigned long long)of->iterations, (unsigned long long)of->cost);
  }
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static uint64_t count(bool up, uint64_t start, uint64_t end, uint64_t by, bool any) {
  return !any ? 0 : up ? (end - start - 1) / by + 1 : (start - end - 1) / -by + 1;
}

/* What loops without a clause call where it is (src/plugin/entries.cpp). */
bool doall_loop_start(uint64_t start, uint64_t end, uint64_t by, uint64_t* first, uint64_t* last,
                      const struct note* note, const void* of, cost_function* costs,
                      const void* place) {
  static __typeof__(&doall_loop_start) real;
  static bool (*of_long)(long, long, long, long, long, long*, long*, uintptr_t*, void**);
  static bool (*of_ull)(bool, uint64_t, uint64_t, uint64_t, long, uint64_t, uint64_t*, uint64_t*,
                        uintptr_t*, void**);
  if (real == NULL) real = REAL(doall_loop_start);
  *(void**)&of_long = dlsym(RTLD_NEXT, "GOMP_loop_start");
  *(void**)&of_ull = dlsym(RTLD_NEXT, "GOMP_loop_ull_start");
  const bool ull = (note->facts & 16) != 0;
  const bool up = (note->facts & 32) == 0;
  first_of_all = (long)start;
  step = (long)by;
  cost = costs;
  context = of;
  const bool some = ull ? (up ? start < end : start > end)
                        : (up ? (long)start < (long)end : (long)start > (long)end);
  begin(note, count(up, start, end, by, some));
  const long is_static = 0x80000001L;
  bool any;
  if (real != NULL)
    any = real(start, end, by, first, last, note, of, costs, place);
  else if (ull) /* libgomp */
    any = of_ull(up, start, end, by, is_static, 0, first, last, NULL, NULL);
  else
    any = of_long((long)start, (long)end, (long)by, is_static, 0, (long*)first, (long*)last, NULL,
                  NULL);
  if (any) run(number_of((long)*first), number_of((long)*last + step - (step > 0 ? 1 : -1)));
  return any;
}

bool GOMP_loop_start(long start, long end, long by, long schedule, long chunk, long* first,
                     long* last, uintptr_t* reductions, void** memory, uint64_t is_magic,
                     const struct note* note, const void* of, cost_function* costs,
                     uint64_t facts) {
  static __typeof__(&GOMP_loop_start) real;
  if (real == NULL) real = REAL(GOMP_loop_start);
  if (is_magic == magic) {
    first_of_all = start;
    step = by;
    cost = costs;
    context = of;
    const long span = by > 0 ? end - start + by - 1 : end - start + by + 1;
    begin(note, span / by > 0 ? (uint64_t)(span / by) : 0);
  }
  const bool any = real(start, end, by, schedule, chunk, first, last, reductions, memory, is_magic,
                        note, of, costs, facts);
  if (any && is_magic == magic) run(number_of(*first), number_of(*last + by - (by > 0 ? 1 : -1)));
  return any;
}

bool GOMP_loop_runtime_next(long* first, long* last) {
  static __typeof__(&GOMP_loop_runtime_next) real;
  if (real == NULL) real = REAL(GOMP_loop_runtime_next);
  const bool any = real(first, last);
  if (any && in != NULL) run(number_of(*first), number_of(*last + step - (step > 0 ? 1 : -1)));
  return any;
}

bool GOMP_loop_ull_start(bool up, unsigned long long start, unsigned long long end,
                         unsigned long long by, long schedule, unsigned long long chunk,
                         unsigned long long* first, unsigned long long* last, uintptr_t* reductions,
                         void** memory, uint64_t is_magic, const struct note* note, const void* of,
                         cost_function* costs, uint64_t facts) {
  static __typeof__(&GOMP_loop_ull_start) real;
  if (real == NULL) real = REAL(GOMP_loop_ull_start);
  if (is_magic == magic) {
    first_of_all = (long)start;
    step = (long)by;
    cost = costs;
    context = of;
    begin(note, up ? (end > start ? (end - start + by - 1) / by : 0)
                   : (start > end ? (start - end - by - 1) / -by : 0));
  }
  const bool any = real(up, start, end, by, schedule, chunk, first, last, reductions, memory,
                        is_magic, note, of, costs, facts);
  if (any && is_magic == magic)
    run(number_of((long)*first), number_of((long)*last + step - (step > 0 ? 1 : -1)));
  return any;
}

bool GOMP_loop_ull_runtime_next(unsigned long long* first, unsigned long long* last) {
  static __typeof__(&GOMP_loop_ull_runtime_next) real;
  if (real == NULL) real = REAL(GOMP_loop_ull_runtime_next);
  const bool any = real(first, last);
  if (any && in != NULL)
    run(number_of((long)*first), number_of((long)*last + step - (step > 0 ? 1 : -1)));
  return any;
}
