/* Undeferred tasks are executed by their thread at once, most of them without a descriptor. What is
 * asked of one inside, at any depth, is as of any task: children, groups, dependences, locks that
 * it owns, internal control variables of its own, and whether it is final. */
#include <omp.h>
#include <stdlib.h>

#include "check.h"

extern int omp_in_explicit_task(void) __attribute__((weak)); /* newer than GCC 12 */
static int in_task(void) { return omp_in_explicit_task == NULL ? -1 : omp_in_explicit_task(); }

static int counted;
static void count(void) { __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED); }
static int now(void) { return __atomic_load_n(&counted, __ATOMIC_RELAXED); }

/* Undeferred tasks in each other; the innermost, or each of them, makes a deferred one. */
static void nest(int depth, int each, int wait) {
#pragma omp task if (0)
  {
    CHECK(in_task() != 0);
    if (depth > 0) nest(depth - 1, each, wait);
    if (depth == 0 || each) {
#pragma omp task
      count();
    }
    if (wait) {
#pragma omp taskwait
    }
  }
}

static void nests(void) {
  for (int depth = 0; depth <= 100; depth += 10) {
    for (int each = 0; each < 2; ++each) {
      for (int wait = 0; wait < 2; ++wait) {
        counted = 0;
#pragma omp taskgroup
        nest(depth, each, wait);
        CHECK(now() == (each ? depth + 1 : 1));
        if (!wait) continue;
        counted = 0;
#pragma omp task
        nest(depth, each, wait);
#pragma omp taskwait
        CHECK(now() == (each ? depth + 1 : 1));
      }
    }
  }
}

/* taskwait waits for children only, and for all of them. */
static void waits(void) {
  int child = 0, before = 0, inner = 0;
#pragma omp task shared(before)
  __atomic_store_n(&before, 1, __ATOMIC_RELAXED);
#pragma omp task if (0) shared(child, inner)
  {
#pragma omp taskwait
#pragma omp task shared(child)
    {
#pragma omp task if (0) shared(child)
      child = 1;
    }
#pragma omp taskwait
    CHECK(child == 1);
#pragma omp taskgroup
    {
#pragma omp task if (0) shared(inner)
      {
#pragma omp task shared(inner)
        __atomic_store_n(&inner, 1, __ATOMIC_RELAXED);
      }
    }
    CHECK(inner == 1);
  }
#pragma omp taskwait
  CHECK(before == 1);
}

static void dependences(void) {
  int cell = 0;
#pragma omp task depend(out : cell) shared(cell)
  cell = 1;
#pragma omp task if (0) depend(inout : cell) shared(cell)
  {
    CHECK(cell == 1);
    int own = 0;
#pragma omp task depend(out : own) shared(own)
    own = 1;
#pragma omp task depend(inout : own) shared(own)
    own = own == 1 ? 2 : -1;
#pragma omp task if (0) depend(in : own) shared(own)
    CHECK(own == 2);
#pragma omp taskwait
    cell = 2;
  }
#pragma omp task depend(in : cell) shared(cell)
  CHECK(cell == 2);
#pragma omp taskwait
}

/* A nestable lock belongs to a task, also to one that makes others while it has it. */
static void locks(void) {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp task if (0) shared(lock)
  {
    omp_set_nest_lock(&lock);
    int made = 0;
#pragma omp task shared(made, lock)
    {
      CHECK(omp_test_nest_lock(&lock) == 0);
      made = 1;
    }
#pragma omp taskwait
    CHECK(made == 1);
    CHECK(omp_test_nest_lock(&lock) == 2);
#pragma omp task if (0) shared(lock)
    CHECK(omp_test_nest_lock(&lock) == 0);
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
#pragma omp task if (0) shared(lock)
    {
      CHECK(omp_test_nest_lock(&lock) == 1);
      omp_unset_nest_lock(&lock);
    }
  }
  omp_destroy_nest_lock(&lock);
}

static void settings(void) {
  const int threads = omp_get_max_threads();
#pragma omp task if (0)
  {
    omp_set_num_threads(threads + 3);
#pragma omp task if (0)
    {
      CHECK(omp_get_max_threads() == threads + 3);
      omp_set_num_threads(threads + 5);
#pragma omp task
      CHECK(omp_get_max_threads() == threads + 5);
    }
    CHECK(omp_get_max_threads() == threads + 3);
#pragma omp task
    CHECK(omp_get_max_threads() == threads + 3);
#pragma omp taskwait
  }
  CHECK(omp_get_max_threads() == threads);
#pragma omp task if (0)
  CHECK(omp_get_max_threads() == threads);
}

static void finals(void) {
  CHECK(omp_in_final() == 0);
  int ran = 0;
#pragma omp task if (0) final(1) shared(ran)
  {
    CHECK(omp_in_final() == 1);
#pragma omp task shared(ran)
    {
      CHECK(omp_in_final() == 1);
#pragma omp task shared(ran)
      ++ran;
      CHECK(ran == 1);
    }
    CHECK(ran == 1);
  }
  CHECK(omp_in_final() == 0 && ran == 1);
}

/* Other tasks of the thread run in the middle of an undeferred one, and have such ones, too. */
static int tree(int depth) {
  int left = 0, right = 0;
  if (depth == 0) return 1;
#pragma omp task if (depth % 2) shared(left)
  left = tree(depth - 1);
#pragma omp task if (depth % 3) shared(right)
  right = tree(depth - 1);
#pragma omp taskwait
  return left + right;
}

int main(void) {
  for (int threads = 1; threads <= 4; ++threads) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
      CHECK(in_task() <= 0);
      nests();
      waits();
      dependences();
      locks();
      settings();
      finals();
      CHECK(tree(10) == 1024);
      CHECK(in_task() <= 0);
    }
    int regions = 0;
#pragma omp parallel num_threads(threads) reduction(+ : regions)
#pragma omp task if (0) shared(regions)
    {
#pragma omp parallel num_threads(2) reduction(+ : regions)
      {
        CHECK(in_task() <= 0);
        regions += 1;
      }
    }
    CHECK(regions >= threads);
  }
  nests();
  waits();
  dependences();
  return check_result();
}
