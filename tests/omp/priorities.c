/* Tasks with a priority, while one thread alone executes them: by priority, then as they were made.
 * OMP_MAX_TASK_PRIORITY bounds what a clause says. */
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { most = 7, tasks = 40 };

static int order[tasks], ran;
static void note(int what) {
  const int at = __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
  if (at < tasks) order[at] = what;
}

/* Calls make() in a taskgroup, whose tasks it waits for while the other thread is held. */
static int alone(void (*make)(void)) {
  int size = 0, is_over = 0;
  ran = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      size = omp_get_num_threads();
#pragma omp taskgroup
      make();
      __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
    } else {
      while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) usleep(100);
    }
  }
  return size == 2;
}

static void make_tasks(void) {
  for (int i = 0; i < tasks; ++i) {
#pragma omp task priority(i / 8) firstprivate(i)
    note(i / 8);
  }
}

static void make_dependent(void) {
  static int cells[tasks];
  (void)cells; /* GCC does not count depend clauses */
  for (int i = 0; i < tasks; ++i) {
#pragma omp task priority(i / 8) firstprivate(i) depend(out : cells[i])
    note(i / 8);
  }
}

/* Beyond the bound they are equal. */
static void make_beyond(void) {
  for (int i = 0; i < tasks; ++i) {
#pragma omp task priority(most + i) firstprivate(i)
    note(tasks - i);
  }
}

static void make_loops(void) {
  for (int k = 0; k < 4; ++k) {
#pragma omp taskloop nogroup num_tasks(10) priority(k + 1) firstprivate(k)
    for (int i = 0; i < 10; ++i) note(k);
  }
}

static void check_falls(void (*make)(void)) {
  if (!alone(make)) return;
  CHECK(ran == tasks);
  for (int i = 1; i < tasks; ++i) CHECK(order[i - 1] >= order[i]);
}

int main(int number, char** arguments) {
  if (omp_get_max_task_priority() == 0) { /* read when the program starts */
    if (number > 1) return 1;
    setenv("OMP_MAX_TASK_PRIORITY", "7", 1);
    return execl("/proc/self/exe", arguments[0], "again", (char*)NULL);
  }
  CHECK(omp_get_max_task_priority() == most);
  for (int round = 0; round < 20; ++round) {
    check_falls(make_tasks);
    check_falls(make_dependent);
    check_falls(make_beyond);
    check_falls(make_loops);
  }
  return check_result();
}
