/* Several threads of the program, each with regions inside of regions, while others of them
   come and go: sums are right, each region has the threads that it asks for, and none are started
   again. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "threads_alive.h"

enum { callers = 4, rounds = 60, generations = 6, outer = 3, most_inner = 4, size = 200 };

static void run_nest(unsigned* state) {
  int ran[outer][size] = {{0}};
  long sums[outer] = {0};
#pragma omp parallel num_threads(outer)
  {
    const int teams = omp_get_num_threads();
    CHECK(teams == outer);
    for (int row = omp_get_thread_num(); row < outer; row += teams) {
      const int inner = 1 + (int)((*state >> (8 + row)) % most_inner);
      long sum = 0;
#pragma omp parallel num_threads(inner) reduction(+ : sum)
      {
        CHECK(omp_get_num_threads() == inner);
        CHECK(omp_get_ancestor_thread_num(1) == row % teams);
#pragma omp for schedule(dynamic, 7)
        for (int i = 0; i < size; ++i) ran[row][i] += 1;
#pragma omp for schedule(static) nowait
        for (int i = 0; i < size; ++i) sum += ran[row][i] + i;
      }
      sums[row] = sum;
    }
  }
  for (int row = 0; row < outer; ++row) CHECK(sums[row] == size + size * (size - 1L) / 2);
}

static void* run_nests(void* seed) {
  unsigned state = *(unsigned*)seed;
  for (int round = 0; round < rounds; ++round) {
    run_nest(&state);
    state = state * 1664525U + 1013904223U;
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc == 1) { /* for every thread */
    setenv("OMP_MAX_ACTIVE_LEVELS", "2", 1);
    execl(argv[0], argv[0], "with-two-levels", NULL);
    return 1;
  }
  for (int generation = 0; generation < generations; ++generation) {
    pthread_t all[callers];
    unsigned seeds[callers];
    for (int i = 0; i < callers; ++i) {
      seeds[i] = (unsigned)(generation * callers + i) * 2654435761U;
      pthread_create(&all[i], NULL, run_nests, &seeds[i]);
    }
    unsigned mine = (unsigned)generation;
    run_nests(&mine);
    for (int i = 0; i < callers; ++i) pthread_join(all[i], NULL);
  }
  /* No more threads than the largest teams of all nests together need. */
  CHECK(threads_alive() <= (callers + 1) * outer * most_inner + sanitizer_threads);
  return check_result();
}
