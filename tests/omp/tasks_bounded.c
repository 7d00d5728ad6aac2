/* Chains of tasks, each made by the last, need no stack as long as they are; tasks with a priority
 * do not all exist at a time. In both, one thread makes tasks while the others have no time. */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { length = 100000, fillers = 300, many = 50000, backlog_most = 20000 };

static int get(int* at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
static void set(int* at) { __atomic_store_n(at, 1, __ATOMIC_RELEASE); }

static void chain(int left, int* done) {
  if (left == 0) {
    set(done);
    return;
  }
#pragma omp task firstprivate(left, done)
  chain(left - 1, done);
}

/* The others' tasks wait until `done`. */
static void hold_others(int threads, int* held, int* done) {
  for (int i = 1; i < threads; ++i) {
#pragma omp task firstprivate(held, done)
    {
      __atomic_fetch_add(held, 1, __ATOMIC_ACQ_REL);
      while (!get(done)) sched_yield();
    }
  }
  while (get(held) < threads - 1) sched_yield();
}

static void long_chain(int threads, int priority) {
  int held = 0, done = 0, filled = 0;
#pragma omp parallel num_threads(threads) shared(held, done, filled)
#pragma omp single
  {
    hold_others(omp_get_num_threads(), &held, &done);
    for (int i = 0; i < fillers; ++i) {
#pragma omp task shared(filled)
      __atomic_fetch_add(&filled, 1, __ATOMIC_ACQ_REL);
    }
    if (priority) {
#pragma omp task shared(done) priority(1)
      chain(length, &done);
    } else {
      chain(length, &done);
    }
  }
  CHECK(done == 1);
  CHECK(filled == fillers);
}

static void many_with_priority(int threads) {
  int held = 0, done = 0, ran = 0, most = 0;
#pragma omp parallel num_threads(threads) shared(held, done, ran, most)
#pragma omp single
  {
    hold_others(omp_get_num_threads(), &held, &done);
    for (int i = 0; i < many; ++i) {
#pragma omp task shared(ran) priority(1)
      __atomic_fetch_add(&ran, 1, __ATOMIC_ACQ_REL);
      const int waiting = i + 1 - get(&ran);
      if (waiting > most) most = waiting;
    }
    set(&done);
  }
  CHECK(ran == many);
  CHECK(most <= backlog_most);
}

int main(int count, char** arguments) {
  (void)count;
  if (omp_get_max_task_priority() == 0) { /* read when the program starts */
    if (getenv("OMP_MAX_TASK_PRIORITY") != NULL) return 1;
    setenv("OMP_MAX_TASK_PRIORITY", "1", 1);
    execv("/proc/self/exe", arguments);
    return 1;
  }
  const int sizes[] = {1, 2, 4};
  for (int i = 0; i < 3; ++i) {
    long_chain(sizes[i], 0);
    long_chain(sizes[i], 1);
    many_with_priority(sizes[i]);
  }
  return check_result();
}
