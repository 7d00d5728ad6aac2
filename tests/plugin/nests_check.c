/* Runs the nests of nests.py, and compares what their loops said of their costs with what they
 * counted. Takes the place of the entries that begin such loops. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nests_arrays.h"

static const uint64_t magic = 0x6363206c6c616f64;
typedef uint64_t cost_function(const void* context, uint64_t k);

static uint64_t said[LENGTH];
static bool costed;
static long first_iteration;
static long step;

static void ask(cost_function* cost, const void* context) {
  costed = cost != NULL;
  for (uint64_t k = 0; costed && k < LENGTH; ++k) said[k] = cost(context, k);
}

bool GOMP_loop_start(long start, long end, long by, long schedule, long chunk, long* first,
                     long* last, uintptr_t* reductions, void** memory, uint64_t is_magic,
                     const void* note, const void* context, cost_function* cost) {
  static bool (*real)(long, long, long, long, long, long*, long*, uintptr_t*, void**);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "GOMP_loop_start");
  (void)note;
  first_iteration = start;
  step = by;
  if (is_magic == magic) ask(cost, context);
  return real(start, end, by, schedule, chunk, first, last, reductions, memory);
}

typedef unsigned long long ull;
bool GOMP_loop_ull_start(bool up, ull start, ull end, ull by, long schedule, ull chunk, ull* first,
                         ull* last, uintptr_t* reductions, void** memory, uint64_t is_magic,
                         const void* note, const void* context, cost_function* cost) {
  static bool (*real)(bool, ull, ull, ull, long, ull, ull*, ull*, uintptr_t*, void**);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "GOMP_loop_ull_start");
  (void)note;
  first_iteration = (long)start;
  step = (long)by;
  if (is_magic == magic) ask(cost, context);
  return real(up, start, end, by, schedule, chunk, first, last, reductions, memory);
}

/* What loops without a clause call where it is (src/plugin/entries.cpp). */
bool doall_loop_start(ull start, ull end, ull by, ull* first, ull* last, const uint64_t* note,
                      const void* context, cost_function* cost) {
  const bool in_ull = (note[4] & 16) != 0; /* facts (src/omp/compiled_loop.hpp) */
  first_iteration = (long)start;
  step = (long)by;
  ask(cost, context);
  const long is_static = 0x80000001L;
  if (in_ull) {
    static bool (*of_ull)(bool, ull, ull, ull, long, ull, ull*, ull*, uintptr_t*, void**);
    *(void**)&of_ull = dlsym(RTLD_NEXT, "GOMP_loop_ull_start");
    return of_ull((note[4] & 32) == 0, start, end, by, is_static, 0, first, last, NULL, NULL);
  }
  static bool (*of_long)(long, long, long, long, long, long*, long*, uintptr_t*, void**);
  *(void**)&of_long = dlsym(RTLD_NEXT, "GOMP_loop_start");
  return of_long((long)start, (long)end, (long)by, is_static, 0, (long*)first, (long*)last, NULL,
                 NULL);
}

typedef void nest(int n, int m, int* len, int* row, int* idx, double* out, long long* counted);
#define NEST(number, at_least) nest nest##number;
#include "table.h"
#undef NEST
#define NEST(number, at_least) {nest##number, at_least},
static const struct {
  nest* run;
  int at_least; /* 2: its costs are guesses, which must not fault */
} nests[] = {
#include "table.h"
};

int main(int argc, char** argv) {
  unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  int* len = guarded(LENGTH * sizeof *len);
  int* row = guarded((LENGTH + 1) * sizeof *row);
  int* idx = guarded(LENGTH * sizeof *idx);
  double* out = guarded(LENGTH * sizeof *out);
  long long* counted = guarded(LENGTH * sizeof *counted);
  ell = guarded(LENGTH * ROW * sizeof *ell);
  far = guarded(4 * LENGTH * sizeof *far);
  unsigned with_costs = 0;
  unsigned wrong = 0;
  for (size_t of = 0; of < sizeof nests / sizeof nests[0]; ++of) {
    row[0] = 0;
    for (int i = 0; i < LENGTH; ++i) {
      len[i] = rand_r(&seed) % 8;
      row[i + 1] = row[i] + rand_r(&seed) % 5;
      idx[i] = rand_r(&seed) % LENGTH;
      out[i] = i;
    }
    fill_ell(&seed);
    fill_far(&seed);
    memset(counted, 0, LENGTH * sizeof *counted);
    costed = false;
    nests[of].run(LENGTH, 2, len, row, idx, out, counted);
    with_costs += costed;
    for (uint64_t k = 0; costed && k < LENGTH; ++k) {
      const uint64_t ran = 1 + (uint64_t)counted[first_iteration + (long)k * step];
      if (nests[of].at_least == 2) break;
      if (nests[of].at_least ? said[k] >= ran : said[k] == ran) continue;
      printf("nest%zu: iteration %llu costs %llu, and ran %llu\n", of, (unsigned long long)k,
             (unsigned long long)said[k], (unsigned long long)ran);
      ++wrong;
      break;
    }
  }
  printf("%u costed\n", with_costs);
  return wrong != 0;
}
