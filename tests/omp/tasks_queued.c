/* Waits beside a long queue of tasks: each is for a task's own. By which task the queue is
 * searched, and that the search does not grow, unit_task_queue.cpp says. */
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

enum { many = 20000, loops = 50, pieces = 16 };

/* One task releases many at a time. Each makes a child and waits for it. */
static void released(int threads) {
  long sum = 0;
  int cell = 0;
  (void)cell; /* GCC does not count depend clauses */
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task depend(out : cell) detach(event)
    {
    }
    for (int i = 0; i < many; ++i) {
#pragma omp task depend(in : cell) firstprivate(i) shared(sum)
      {
        long x = 0;
#pragma omp task shared(x)
        x = i;
#pragma omp taskwait
#pragma omp atomic
        sum += x;
      }
    }
    omp_fulfill_event(event);
  }
  CHECK(sum == (long)many * (many - 1) / 2);
}

/* Tasks of a tree with priorities wait for children, by taskwait and by taskgroup. */
static long tree(int depth) {
  if (depth == 0) return 1;
  long sum[3] = {0, 0, 0};
#pragma omp taskgroup
  {
    for (int i = 0; i < 2; ++i) {
#pragma omp task shared(sum) firstprivate(i) priority(depth + i)
      sum[i] = tree(depth - 1);
    }
  }
#pragma omp task shared(sum) priority(depth)
  sum[2] = tree(depth - 1);
#pragma omp taskwait
  return sum[0] + sum[1] + sum[2];
}

static void with_priority(int threads) {
  long sum = 0, leaves = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    for (int i = 0; i < many; ++i) {
#pragma omp task priority(i) firstprivate(i) shared(sum)
      {
        long x = 0;
#pragma omp task shared(x) firstprivate(i) priority(i / 2)
        x = i;
#pragma omp taskwait
#pragma omp atomic
        sum += x;
      }
    }
    leaves = tree(7);
  }
  CHECK(sum == (long)many * (many - 1) / 2);
  CHECK(leaves == 3 * 3 * 3 * 3 * 3 * 3 * 3);
}

/* What is made inside of a group that is open elsewhere is waited for there, whoever made it. */
static void grandchildren(int threads) {
  int ran = 0;
#pragma omp parallel num_threads(threads) shared(ran)
#pragma omp single
  for (int round = 0; round < loops; ++round) {
    __atomic_store_n(&ran, 0, __ATOMIC_RELAXED);
#pragma omp taskgroup
    {
      for (int i = 0; i < 10; ++i) {
#pragma omp task shared(ran) priority(1)
        {
#pragma omp task shared(ran) priority(2)
          {
#pragma omp task shared(ran) priority(3)
            __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
          }
        }
      }
    }
    CHECK(ran == 10);
  }
}

/* taskwait inside of groups waits for what the same task has made outside of them, too. */
static void in_groups(int depth, int* ran, int* wrong) {
  const int before = depth * 2;
#pragma omp task firstprivate(ran)
  __atomic_fetch_add(ran, 1, __ATOMIC_RELAXED);
#pragma omp taskgroup
  {
#pragma omp task firstprivate(ran)
    __atomic_fetch_add(ran, 1, __ATOMIC_RELAXED);
    if (depth % 3 == 0) {
#pragma omp taskwait
      if (__atomic_load_n(ran, __ATOMIC_RELAXED) != before + 2) ++*wrong;
#pragma omp taskwait
    }
    if (depth < 200) in_groups(depth + 1, ran, wrong);
#pragma omp task firstprivate(ran)
    __atomic_fetch_add(ran, 1, __ATOMIC_RELAXED);
  }
}

static void nested_groups(int threads) {
  int ran = 0, wrong = 0;
#pragma omp parallel num_threads(threads) shared(ran, wrong)
#pragma omp single
  in_groups(0, &ran, &wrong);
  CHECK(ran == 3 * 201);
  CHECK(wrong == 0);
}

/* taskwait waits for the tasks of a taskloop, not for what these have made. */
static void after_taskloops(int threads) {
  static omp_event_handle_t events[pieces];
  int ran = 0, begun = 0;
#pragma omp parallel num_threads(threads) shared(ran, begun)
#pragma omp single
  for (int round = 0; round < loops; ++round) {
    __atomic_store_n(&ran, 0, __ATOMIC_RELAXED);
#pragma omp taskloop nogroup num_tasks(pieces) shared(ran, begun)
    for (int i = 0; i < pieces; ++i) {
      omp_event_handle_t event;
#pragma omp task detach(event) shared(begun)
      __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
      events[i] = event;
      __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
    }
#pragma omp taskwait
    CHECK(ran == pieces);
    for (int i = 0; i < pieces; ++i) omp_fulfill_event(events[i]);
  }
  CHECK(begun == pieces * loops);
}

int main(int count, char** arguments) {
  if (omp_get_max_task_priority() == 0) { /* read when the program starts */
    if (count > 1) return 1;
    setenv("OMP_MAX_TASK_PRIORITY", "100000", 1);
    return execl("/proc/self/exe", arguments[0], "again", (char*)NULL);
  }
  const int sizes[] = {1, 2, 4};
  for (int i = 0; i < 3; ++i) {
    released(sizes[i]);
    with_priority(sizes[i]);
    grandchildren(sizes[i]);
    nested_groups(sizes[i]);
    after_taskloops(sizes[i]);
  }
  return check_result();
}
