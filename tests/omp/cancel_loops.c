/* A region is cancelled when some of its threads have met loops that others never come to: the same
 * team's next regions have loops that work. */
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { rounds = 200, iterations = 1000 };

static void cancel_between_loops(int round) {
#pragma omp parallel num_threads(3)
  {
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < iterations; ++i) {
    }
#pragma omp cancellation point parallel
    /* Some threads come here, others do not. */
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < iterations; ++i) {
    }
    if (omp_get_thread_num() == round % 3) {
#pragma omp cancel parallel
    }
  }
}

/* Data that one thread hands round lie on its stack: it does not go on before the others have them,
 * and they do not use what a thread that left never handed round. */
static void cancel_beside_copies(int round) {
#pragma omp parallel num_threads(3)
  {
    int data[64] = {0};
    for (int copy = 1; copy < 4; ++copy) {
      if (omp_get_thread_num() == round % 3 && copy == round % 4) {
#pragma omp cancel parallel
      }
#pragma omp single copyprivate(data)
      for (int i = 0; i < 64; ++i) data[i] = 100 * round + copy;
      for (int i = 0; i < 64; ++i) CHECK(data[i] == 100 * round + copy);
    }
  }
}

/* A thread leaves before any loop; the others meet more loops than are in flight at a time, of
 * every kind that waits for others inside. Bodies of ordered exclude each other all the same. */
static int step[iterations];
static int in_order_of[20];
static void cancel_before_loops(void) {
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
    }
    for (int loop = 0; loop < 20; ++loop) {
#pragma omp for schedule(dynamic, 7) nowait
      for (int i = 0; i < iterations; ++i) {
      }
#pragma omp for schedule(static, 1) ordered nowait
      for (int i = 0; i < 30; ++i) {
#pragma omp ordered
        {
          CHECK(__atomic_add_fetch(&in_order_of[loop], 1, __ATOMIC_RELAXED) == 1);
          step[i] = loop;
          __atomic_sub_fetch(&in_order_of[loop], 1, __ATOMIC_RELAXED);
        }
      }
#pragma omp for schedule(static, 1) ordered(1) nowait
      for (int i = 0; i < 30; ++i) {
#pragma omp ordered depend(sink : i - 1)
        step[i] = loop;
#pragma omp ordered depend(source)
      }
#pragma omp sections nowait
      {
#pragma omp section
        step[0] = loop;
#pragma omp section
        step[1] = loop;
      }
    }
  }
}

static void cancel_a_loop(void) {
#pragma omp parallel num_threads(3)
#pragma omp for schedule(dynamic, 1)
  for (int i = 0; i < iterations; ++i) {
#pragma omp cancel for if (i == 10)
  }
}

/* More loops than are in flight at a time. */
static long count_in_loops(void) {
  long seen = 0;
#pragma omp parallel num_threads(3) reduction(+ : seen)
  for (int loop = 0; loop < 20; ++loop) {
#pragma omp for schedule(dynamic, 7) nowait
    for (int i = 0; i < iterations; ++i) ++seen;
  }
  return seen;
}

int main(int count, char** arguments) {
  (void)count;
  if (!omp_get_cancellation()) { /* read when the program starts */
    if (getenv("OMP_CANCELLATION") != NULL) return 1;
    setenv("OMP_CANCELLATION", "true", 1);
    execv("/proc/self/exe", arguments);
    return 1;
  }
  for (int round = 0; round < rounds; ++round) {
    cancel_between_loops(round);
    CHECK(count_in_loops() == 20L * iterations);
    cancel_a_loop();
    cancel_before_loops();
    cancel_beside_copies(round);
    CHECK(count_in_loops() == 20L * iterations);
  }
  return check_result();
}
