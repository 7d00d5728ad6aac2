/* Sets of tasks that depend on sets of tasks: readers, then inoutset, then readers. Every task of a
 * set runs after all of the set before it; and what is allocated for that grows with the tasks, not
 * with their pairs. */
#include <omp.h>
#include <stddef.h>

#include "../check.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS 1
static long allocated;
void* __libc_malloc(size_t bytes);
void* malloc(size_t bytes) {
  __atomic_fetch_add(&allocated, 1, __ATOMIC_RELAXED);
  return __libc_malloc(bytes);
}
#else
#define COUNTS 0
static const long allocated = 0;
#endif

static int get(int* at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
static void add(int* at) { __atomic_fetch_add(at, 1, __ATOMIC_ACQ_REL); }

/* How often something is allocated for sets of n. */
static long sets(int n) {
  int cell = 0, first = 0, second = 0, third = 0, early = 0;
  long before = 0, after = 0;
#pragma omp parallel shared(cell, first, second, third, early, before, after)
#pragma omp single
  {
    omp_event_handle_t event;
    before = __atomic_load_n(&allocated, __ATOMIC_RELAXED);
#pragma omp task depend(out : cell) detach(event)
    {
    }
    for (int i = 0; i < n; ++i) {
#pragma omp task depend(in : cell) shared(first)
      add(&first);
    }
    for (int i = 0; i < n; ++i) {
#pragma omp task depend(inoutset : cell) shared(first, second, early)
      {
        if (get(&first) != n) add(&early);
        add(&second);
      }
    }
    for (int i = 0; i < n; ++i) {
#pragma omp task depend(in : cell) shared(second, third, early)
      {
        if (get(&second) != n) add(&early);
        add(&third);
      }
    }
    after = __atomic_load_n(&allocated, __ATOMIC_RELAXED);
    omp_fulfill_event(event);
#pragma omp taskwait depend(inout : cell)
    CHECK(get(&third) == n);
  }
  CHECK(early == 0);
  return after - before;
}

/* The sets end while later tasks are made; a thread waits for some again and again. */
static void while_they_end(int n) {
  int cell = 0, ran = 0, wrong = 0;
#pragma omp parallel shared(cell, ran, wrong)
#pragma omp single
  for (int round = 1; round <= 20; ++round) {
    for (int i = 0; i < n; ++i) {
#pragma omp task depend(in : cell) shared(ran)
      add(&ran);
    }
    for (int i = 0; i < n; ++i) {
#pragma omp task depend(inoutset : cell) shared(ran, wrong) firstprivate(round)
      if (get(&ran) != round * n) add(&wrong);
    }
    for (int i = 0; i < 3; ++i) {
#pragma omp taskwait depend(in : cell)
    }
#pragma omp taskwait depend(out : omp_all_memory)
  }
  CHECK(ran == 20 * n);
  CHECK(wrong == 0);
}

int main(void) {
  sets(100); /* what is allocated once */
  const long few = sets(100), many = sets(800);
  if (COUNTS) CHECK(many <= 12 * few);
  while_they_end(50);
  return check_result();
}
