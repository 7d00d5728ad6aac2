/* Threads that are far ahead of another in loops that nobody waits behind: they go on, for the
 * other may wait for what they do next. Every loop has all its iterations once, whoever is where.
 */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>

#include "check.h"

enum { threads = 4, length = 10 };

static int flag;
static void raise_flag(void) { __atomic_store_n(&flag, 1, __ATOMIC_RELEASE); }
static void await_flag(void) {
  while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE)) sched_yield();
}

/* One thread runs `ahead` loops before the others begin. */
static void of_each_kind(int ahead, int behind) {
  long* const got = calloc((size_t)ahead, sizeof(long));
  flag = 0;
#pragma omp parallel num_threads(threads)
  {
    int me = omp_get_thread_num();
    if (me == behind) await_flag();
    for (int k = 0; k < ahead; ++k) {
      switch (k % 5) {
        case 0:
#pragma omp for schedule(dynamic) nowait
          for (int i = 0; i < length; ++i) __atomic_fetch_add(&got[k], i, __ATOMIC_RELAXED);
          break;
        case 1:
#pragma omp for schedule(guided, 2) nowait
          for (int i = 0; i < length; ++i) __atomic_fetch_add(&got[k], i, __ATOMIC_RELAXED);
          break;
        case 2:
#pragma omp sections nowait
        {
#pragma omp section
          __atomic_fetch_add(&got[k], 40, __ATOMIC_RELAXED);
#pragma omp section
          __atomic_fetch_add(&got[k], 5, __ATOMIC_RELAXED);
        } break;
        case 3:
#pragma omp single nowait
          __atomic_fetch_add(&got[k], 45, __ATOMIC_RELAXED);
          break;
        case 4:
#pragma omp for schedule(runtime) nowait
          for (int i = 0; i < length; ++i) __atomic_fetch_add(&got[k], i, __ATOMIC_RELAXED);
          break;
      }
    }
    if (me == (behind + 1) % threads) raise_flag();
  }
  for (int k = 0; k < ahead; ++k) CHECK(got[k] == 45);
  free(got);
}

/* Each thread waits for the one before it to be through: they are apart by all loops. */
static void one_after_the_other(int loops) {
  int through = 0;
  long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    int me = omp_get_thread_num();
    while (__atomic_load_n(&through, __ATOMIC_ACQUIRE) < threads - 1 - me) sched_yield();
    for (int k = 0; k < loops; ++k) {
#pragma omp for schedule(dynamic, 3) nowait
      for (int i = 0; i < length; ++i) sum += i;
    }
    __atomic_fetch_add(&through, 1, __ATOMIC_RELEASE);
#pragma omp barrier
    /* The region's next loops, with barriers behind them and without. */
    for (int k = 0; k < 20; ++k) {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < length; ++i) sum += i;
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < length; ++i) sum += i;
    }
  }
  CHECK(sum == 45L * (loops + 40));
}

/* Loops with an order, and with dependences, that the thread ahead has to itself. */
static void in_order(int loops) {
  long sum = 0;
  flag = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    int me = omp_get_thread_num();
    if (me == 1) await_flag();
    for (int k = 0; k < loops; ++k) {
      int last = -1;
#pragma omp for ordered schedule(dynamic) nowait
      for (int i = 0; i < length; ++i) {
#pragma omp ordered
        {
          CHECK(i > last);
          last = i;
          sum += i;
        }
      }
#pragma omp for ordered(1) schedule(dynamic) nowait
      for (int i = 0; i < length; ++i) {
#pragma omp ordered depend(sink : i - 1)
        sum += i;
#pragma omp ordered depend(source)
      }
    }
    if (me == 0) raise_flag();
  }
  CHECK(sum == 90L * loops);
}

static void inside(int loops) {
  long sum = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    int raised = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
      if (omp_get_thread_num() == 1 && omp_get_num_threads() == 2) {
        while (!__atomic_load_n(&raised, __ATOMIC_ACQUIRE)) sched_yield();
      }
      for (int k = 0; k < loops; ++k) {
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < length; ++i) sum += i;
      }
      if (omp_get_thread_num() == 0) __atomic_store_n(&raised, 1, __ATOMIC_RELEASE);
    }
  }
  CHECK(sum == 90L * loops);
}

int main(void) {
  for (int round = 0; round < 10; ++round) {
    of_each_kind(9, round % threads);
    of_each_kind(100, round % threads);
    one_after_the_other(9 + 7 * round);
    in_order(12);
    inside(10 + round);
  }
  of_each_kind(1000, 1);
  return check_result();
}
