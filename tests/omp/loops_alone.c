// Loops that are all of their region, which share a slot, and regions with more loops than a team
// keeps apart, which go through all of them, in turns: every iteration of each is run once.
#include <omp.h>

#include "check.h"

enum { ITERATIONS = 50, MOST_LOOPS = 20 };

static int runs[MOST_LOOPS][ITERATIONS];

static void check_and_forget(int loops) {
  for (int loop = 0; loop < loops; ++loop) {
    for (int i = 0; i < ITERATIONS; ++i) {
      CHECK(runs[loop][i] == 1);
      runs[loop][i] = 0;
    }
  }
}

static void run_alone(int threads) {
#pragma omp parallel for schedule(runtime) num_threads(threads)
  for (int i = 0; i < ITERATIONS; ++i) __atomic_fetch_add(&runs[0][i], 1, __ATOMIC_RELAXED);
  check_and_forget(1);
}

static void run_beside_each_other(int threads, int loops) {
#pragma omp parallel num_threads(threads)
  for (int loop = 0; loop < loops; ++loop) {
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < ITERATIONS; ++i) __atomic_fetch_add(&runs[loop][i], 1, __ATOMIC_RELAXED);
  }
  check_and_forget(loops);
}

int main(void) {
  static const omp_sched_t schedules[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
  static const int regions[] = {0, 1, 7, 8, 9, MOST_LOOPS};
  omp_set_dynamic(0);
  for (int round = 0; round < 50; ++round) {
    for (int which = 0; which < 6; ++which) {
      const int threads = 1 + (round + which) % 4;
      omp_set_schedule(schedules[(round + which) % 3], 1 + round % 2);
      for (int loop = 0; loop < which % 3; ++loop) run_alone(threads);
      run_beside_each_other(threads, regions[which]);
      run_alone(threads);
    }
  }
  return check_result();
}
