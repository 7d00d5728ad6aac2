/* Tasks: what they compute, what they see of their surroundings, how taskloops
 * are cut, and reductions over tasks. */
#include <limits.h>
#include <omp.h>

#include "check.h"

static int fibonacci(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b) final(n < 10)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

static void recursion(void) {
  int result = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  result = fibonacci(18);
  CHECK(result == 2584);
  CHECK(fibonacci(15) == 610); /* outside of any region */
}

static void settings(void) {
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    omp_set_num_threads(5);
#pragma omp task firstprivate(me) if (0)
    {
      CHECK(omp_get_thread_num() == me);
      CHECK(omp_get_num_threads() == 2);
      CHECK(omp_get_max_threads() == 5);
      CHECK(!omp_in_final());
      omp_set_num_threads(6); /* the task's own */
    }
    CHECK(omp_get_max_threads() == 5);
#pragma omp task final(1)
    {
      CHECK(omp_in_final());
#pragma omp task
      CHECK(omp_in_final());
#pragma omp taskwait
    }
#pragma omp taskwait
    CHECK(!omp_in_final());
#pragma omp taskyield
  }
}

static void dependences(void) {
  int x = 0, y = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
#pragma omp task depend(out : x) priority(3)
    x = 1;
#pragma omp task depend(in : x) depend(out : y)
    y = x + 1;
#pragma omp task depend(inout : x)
    x += 10;
#pragma omp taskwait depend(in : y)
    CHECK(y == 2);
#pragma omp task depend(in : x, y)
    CHECK(x == 11 && y == 2);
  }
}

/* How a taskloop was cut: its tasks count their iterations in `first private`
 * copies of their own. */
enum { tasks_max = 64 };
static int sizes[tasks_max];
static int tasks;

static void count_iteration(int* task, int* iterations) {
  if (*iterations == 0) {
    *task = __atomic_fetch_add(&tasks, 1, __ATOMIC_RELAXED) % tasks_max;
    sizes[*task] = 0;
  }
  sizes[*task] = ++*iterations;
}

static int all_sizes_between(int least, int most, int iterations) {
  int sum = 0, good = 1;
  for (int t = 0; t < tasks && t < tasks_max; ++t) {
    good = good && sizes[t] >= least && sizes[t] <= most;
    sum += sizes[t];
  }
  tasks = 0;
  return good && sum == iterations;
}

/* Tasks number themselves as they begin, and any thread may begin the last one first. */
static int tasks_of(int iterations) {
  int count = 0;
  for (int t = 0; t < tasks && t < tasks_max; ++t) count += sizes[t] == iterations;
  return count;
}

static void cuts(void) {
  int task = 0, done = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
#pragma omp taskloop firstprivate(task, done) grainsize(4)
    for (int i = 0; i < 23; ++i) count_iteration(&task, &done);
    CHECK(tasks == 5);
    CHECK(all_sizes_between(4, 7, 23));

#pragma omp taskloop firstprivate(task, done) grainsize(100)
    for (int i = 0; i < 23; ++i) count_iteration(&task, &done);
    CHECK(tasks == 1);
    CHECK(all_sizes_between(23, 23, 23));

#pragma omp taskloop firstprivate(task, done) grainsize(strict : 10)
    for (int i = 50; i > 4; i -= 2) count_iteration(&task, &done);
    CHECK(tasks == 3 && tasks_of(10) == 2 && tasks_of(3) == 1);
    CHECK(all_sizes_between(3, 10, 23));

#pragma omp taskloop firstprivate(task, done) num_tasks(5)
    for (int i = 0; i < 23; ++i) count_iteration(&task, &done);
    CHECK(tasks == 5);
    CHECK(all_sizes_between(4, 5, 23));

#pragma omp taskloop firstprivate(task, done) num_tasks(50) nogroup
    for (int i = 0; i < 23; ++i) count_iteration(&task, &done);
#pragma omp taskwait
    CHECK(tasks == 23);
    CHECK(all_sizes_between(1, 1, 23));

#pragma omp taskloop firstprivate(task, done)
    for (int i = 23; i < 23; ++i) count_iteration(&task, &done);
    CHECK(tasks == 0);
  }
}

static void ends_of_types(void) {
  long downward = 0;
  int upward = 0;
  unsigned long long last = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop grainsize(2) reduction(+ : upward) lastprivate(last)
    for (unsigned long long i = ULLONG_MAX - 12; i < ULLONG_MAX; i += 3) {
      ++upward;
      last = i;
    }
#pragma omp taskloop num_tasks(3) reduction(+ : downward)
    for (long i = LONG_MIN + 12; i > LONG_MIN; i -= 4) ++downward;
  }
  CHECK(upward == 4);
  CHECK(last == ULLONG_MAX - 3);
  CHECK(downward == 3);
}

static int sum_of_tree(int depth, int* total) {
  int sum = 1;
#pragma omp taskgroup task_reduction(+ : sum)
  for (int child = 0; child < 2 && depth > 0; ++child) {
#pragma omp task in_reduction(+ : sum)
    sum += sum_of_tree(depth - 1, total);
  }
#pragma omp atomic
  *total += 1;
  return sum;
}

static void reductions(void) {
  int total = 0, sum = 0, both = 0, workers = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  sum = sum_of_tree(6, &total);
  CHECK(sum == 127);
  CHECK(total == 127);
  CHECK(sum_of_tree(3, &total) == 15); /* outside of any region */

#pragma omp parallel num_threads(3) reduction(task, + : both) reduction(+ : workers)
  {
    int product = 1;
    workers += 1;
#pragma omp taskgroup task_reduction(* : product)
    {
#pragma omp task in_reduction(+ : both) in_reduction(* : product)
      {
        both += 10;
        product *= 2;
      }
    }
#pragma omp task in_reduction(+ : both)
    both += 100;
    CHECK(product == 2);
  }
  CHECK(workers >= 1);
  CHECK(both == 110 * workers);

  both = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp for reduction(task, + : both) schedule(dynamic, 3)
    for (int i = 0; i < 50; ++i) {
#pragma omp task in_reduction(+ : both)
      both += i;
    }
#pragma omp sections reduction(task, + : both)
    {
#pragma omp section
      {
#pragma omp task in_reduction(+ : both)
        both += 1000;
      }
#pragma omp section
      both += 2000;
    }
#pragma omp single
    {
#pragma omp taskloop reduction(+ : both) grainsize(7)
      for (int i = 0; i < 50; ++i) both += i;
#pragma omp taskgroup task_reduction(+ : both)
#pragma omp taskloop in_reduction(+ : both) num_tasks(4)
      for (int i = 0; i < 50; ++i) both += i;
    }
  }
  CHECK(both == 3 * 1225 + 3000);
}

/* Arrays, and reductions of regions around those of loops. */
static void reductions_of_arrays(void) {
  int bins[5] = {0}, outer = 0;
#pragma omp parallel num_threads(4) reduction(task, + : outer)
  {
#pragma omp for reduction(task, + : bins) schedule(dynamic, 1)
    for (int i = 0; i < 100; ++i) {
#pragma omp task in_reduction(+ : bins[ : 5]) in_reduction(+ : outer)
      {
        bins[i % 5] += 1;
        outer += 1;
      }
    }
  }
  for (int i = 0; i < 5; ++i) CHECK(bins[i] == 20);
  CHECK(outer == 100);
}

int main(void) {
  recursion();
  settings();
  dependences();
  cuts();
  ends_of_types();
  reductions();
  reductions_of_arrays();
  return check_result();
}
