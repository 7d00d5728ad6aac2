// Regions of 1 to 64 threads on whatever cores there are: under every schedule that the
// library has, standard or its own, each iteration runs once and sums are right.
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { size = 500, most_threads = 64, first_own_kind = 0x646c0000 };

static int seen[size];

static void loop_is_right(int threads) {
  long sum = 0;
  memset(seen, 0, sizeof seen);
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
#pragma omp single
    CHECK(omp_get_num_threads() == threads);
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < size; ++i) {
#pragma omp atomic
      seen[i] += 1;
      sum += i;
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < threads; ++i) sum += 1;
  }
  CHECK(sum == size * (size - 1L) / 2 + threads);
  int once = 0;
  for (int i = 0; i < size; ++i) once += seen[i] == 1;
  CHECK(once == size);
}

// Whether the library has a schedule of that number: then it says another back.
static int sets_schedule(unsigned kind, int chunk) {
  omp_sched_t got;
  int got_chunk;
  omp_set_schedule(omp_sched_guided, 77);
  omp_set_schedule((omp_sched_t)kind, chunk);
  omp_get_schedule(&got, &got_chunk);
  return got_chunk != 77;
}

static int loops_are_right_from(unsigned kind) {
  static const int teams[] = {1, 2, 3, 7, 16, 31, 33, most_threads};
  unsigned kinds = 0;
  for (; sets_schedule(kind + kinds, 0); ++kinds) {
    for (int chunk = 0; chunk <= 3; chunk += 3) {
      CHECK(sets_schedule(kind + kinds, chunk));
      for (unsigned t = 0; t < sizeof teams / sizeof *teams; ++t) loop_is_right(teams[t]);
    }
  }
  return (int)kinds;
}

int main(void) {
  CHECK(loops_are_right_from(omp_sched_static) == 4);
  CHECK(loops_are_right_from(first_own_kind) >= 8);
  return check_result();
}
