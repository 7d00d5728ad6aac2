/* Static loops whose blocks may be cut anew from region to region (DOALL_SCHEDULE=best-static):
 * each iteration runs once, and loops of one region and one length give a thread the same
 * iterations. */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

enum { most = 3000, regions = 40 };

/* Something that takes as long as its argument is large. */
static double work(long amount) {
  volatile double sum = 0;
  for (long i = 0; i < amount; ++i) sum += 1.0 / (double)(i + 1);
  return sum;
}

static int times_run[most];

static void each_runs_once(int n) {
  memset(times_run, 0, sizeof times_run);
  int last = -1;
#pragma omp parallel for lastprivate(last)
  for (int i = 0; i < n; ++i) {
    work(i);
#pragma omp atomic
    ++times_run[i];
    last = i;
  }
  for (int i = 0; i < n; ++i) CHECK(times_run[i] == 1);
  CHECK(last == n - 1);
}

/* A thread finds in the second loop what it has written in the first, though it has waited for no
 * other: both have as many iterations. */
static void loops_of_a_region_agree(void) {
  static int first[most], second[most];
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp for schedule(static) nowait
    for (int i = 0; i < most; ++i) {
      work(i);
      first[i] = me;
    }
    /* Of another length, and dearer at its other end. */
#pragma omp for schedule(static) nowait
    for (int i = 0; i < most / 2; ++i) work(most / 2 - i);
#pragma omp for schedule(static) nowait
    for (long i = most; i > 0; --i) {
      CHECK(first[most - i] == me);
      second[most - i] = me;
    }
    for (int again = 0; again < 3; ++again) {
#pragma omp for schedule(static) nowait
      for (unsigned i = 0; i < most; ++i) CHECK(second[i] == me);
    }
  }
}

/* More lengths than a region keeps cuts of. */
static void many_lengths_agree(void) {
  enum { lengths = 12, each = 50 };
  static int owner[lengths][each * lengths];
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    for (int again = 0; again < 2; ++again) {
      for (int k = 0; k < lengths; ++k) {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < each * (k + 1); ++i) {
          if (again == 0) {
            owner[k][i] = me;
            work(10L * i);
          }
          CHECK(owner[k][i] == me);
        }
      }
    }
  }
}

static long triangle(int n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    work(i);
    sum += i;
  }
  return sum;
}

/* Two teams at the same loop at the same time, and a team inside a team. */
static void* calls_it(void* unused) {
  (void)unused;
  for (int k = 0; k < regions; ++k) CHECK(triangle(1000) == 499500);
  return NULL;
}
static void from_two_callers(void) {
  pthread_t other;
  CHECK(pthread_create(&other, NULL, calls_it, NULL) == 0);
  calls_it(NULL);
  pthread_join(other, NULL);
}
static void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  for (int k = 0; k < 5; ++k) CHECK(triangle(500 + k) == (500L + k) * (499 + k) / 2);
}

/* A loop that is left early. Which iterations run is open, but none runs twice. */
static void cancelled(void) {
  memset(times_run, 0, sizeof times_run);
#pragma omp parallel
#pragma omp for
  for (int i = 0; i < most; ++i) {
#pragma omp atomic
    ++times_run[i];
    if (i == most / 3) {
#pragma omp cancel for
    }
#pragma omp cancellation point for
  }
  for (int i = 0; i < most; ++i) CHECK(times_run[i] <= 1);
}

int main(void) {
  for (int k = 0; k < regions; ++k) {
    each_runs_once(most);
    each_runs_once(most - 70 * k);
    loops_of_a_region_agree();
    many_lengths_agree();
    if (k % 8 == 0) cancelled();
  }
  for (int n = 0; n < 40; ++n) each_runs_once(n + 1);
  from_two_callers();
  nested();
  return check_result();
}
