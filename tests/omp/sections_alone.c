// Sections that one thread executes, which has them without the loop ring: each once and in order,
// also around inner regions with sections and loops of their own; and the same by two threads.
#include <omp.h>

#include "check.h"

static int ran[4];
static int order;
static int in_order;

static void note(int section) {
  const int before = __atomic_fetch_add(&order, 1, __ATOMIC_RELAXED);
  if (before == section) __atomic_fetch_add(&in_order, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&ran[section], 1, __ATOMIC_RELAXED);
}

static void check_and_forget(int alone) {
  for (int section = 0; section < 4; ++section) {
    CHECK(ran[section] == 1);
    ran[section] = 0;
  }
  if (alone) CHECK(in_order == 4);
  order = in_order = 0;
}

// A region inside a section, with sections and a loop.
static void inner(void) {
  int sum = 0, ends = 0;
#pragma omp parallel num_threads(1)
  {
#pragma omp sections
    {
#pragma omp section
      sum += 1;
#pragma omp section
      sum += 10;
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 7; ++i) sum += 100;
#pragma omp sections nowait
    {
#pragma omp section
      ++ends;
    }
  }
  CHECK(sum == 711 && ends == 1);
}

static void combined(int threads) {
#pragma omp parallel sections num_threads(threads)
  {
#pragma omp section
    note(0);
#pragma omp section
    {
      inner();
      note(1);
    }
#pragma omp section
    note(2);
#pragma omp section
    note(3);
  }
  check_and_forget(threads == 1);
}

static void apart(int threads) {
  int last = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp sections lastprivate(last)
    {
#pragma omp section
      note(last = 0);
#pragma omp section
      note(last = 1);
#pragma omp section
      {
        inner();
        note(last = 2);
      }
#pragma omp section
      note(last = 3);
    }
    CHECK(last == 3);
#pragma omp barrier
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 10; ++i) {
      if (i == 9) check_and_forget(threads == 1);
    }
#pragma omp sections nowait
    {
#pragma omp section
      note(0);
#pragma omp section
      note(1);
#pragma omp section
      note(2);
#pragma omp section
      note(3);
    }
  }
  check_and_forget(threads == 1);
}

// Outside of any region.
static void orphaned(void) {
#pragma omp sections
  {
#pragma omp section
    note(0);
#pragma omp section
    note(1);
#pragma omp section
    {
      inner();
      note(2);
    }
#pragma omp section
    note(3);
  }
  check_and_forget(1);
}

int main(void) {
  omp_set_dynamic(0);
  for (int round = 0; round < 20; ++round) {
    for (int threads = 1; threads <= 2; ++threads) {
      combined(threads);
      apart(threads);
    }
    orphaned();
  }
  return check_result();
}
