/* Accesses that OpenMP orders, and some that it does not, for ThreadSanitizer with LLVM's Archer:
 *   probe_races ordered    what each construct orders; nothing is to be reported
 *   probe_races KIND       a race, which two threads are brought to: it is to be reported */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { threads = 4, rounds = 20, length = 64 };

static int wrong;

static void expect(int got, int expected, const char* what) {
  if (got == expected) return;
  __atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
  printf("wrong: %s: %d, expected %d\n", what, got, expected);
}

/* Two threads come here before either goes on. Relaxed: it orders nothing. */
static void meet(void) {
  static int come;
  const int mine = __atomic_fetch_add(&come, 1, __ATOMIC_RELAXED);
  while (__atomic_load_n(&come, __ATOMIC_RELAXED) < mine / 2 * 2 + 2) {
  }
}

static int fib(int n) {
  int a = 0, b = 0;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void regions(void) {
  int part[threads], sum = 0, all = 0;
  for (int i = 0; i < threads; ++i) part[i] = -1;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    const int me = omp_get_thread_num(), of = omp_get_num_threads();
    part[me] = me;
#pragma omp barrier
    sum += part[(me + 1) % of];
#pragma omp critical
    all += 1;
#pragma omp barrier
#pragma omp single copyprivate(sum)
    sum = part[0] + all;
  }
  expect(all, threads, "critical");
  expect(sum, threads * threads, "copyprivate");
}

static void loops(void) {
  int a[length], b[length], sequence = 0, last = -1, sections = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < length; ++i) a[i] = i;
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < length; ++i) b[i] = a[length - 1 - i];
#pragma omp for schedule(guided) lastprivate(last)
    for (int i = 0; i < length; ++i) last = b[i];
#pragma omp for schedule(dynamic, 2) ordered
    for (int i = 0; i < length; ++i) {
#pragma omp ordered
      {
        expect(sequence, i, "ordered");
        sequence = i + 1;
      }
    }
#pragma omp for schedule(dynamic, 1) ordered(1)
    for (int i = 1; i < length; ++i) {
#pragma omp ordered depend(sink : i - 1)
      a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
    }
#pragma omp sections
    {
#pragma omp section
      a[0] = b[0];
#pragma omp section
      b[1] = 7;
    }
#pragma omp master
    sections = a[0] + b[1];
  }
  expect(last, 0, "lastprivate");
  expect(a[length - 1], length - 1, "doacross");
  expect(sections, length - 1 + 7, "sections");
}

static void tasks(void) {
  int x = 0, y = 0, z = 0, ran = 0, sum = 0, found = 0, a[length] = {0};
#pragma omp parallel num_threads(threads)
  {
#pragma omp single nowait
    {
#pragma omp task depend(out : x)
      x = 1;
#pragma omp task depend(in : x) depend(out : y)
      y = x + 1;
#pragma omp task depend(in : x)
      z = x + 2;
#pragma omp task depend(mutexinoutset : ran)
      ran += 1;
#pragma omp task depend(mutexinoutset : ran)
      ran += 1;
#pragma omp taskwait
      expect(x + y + z + ran, 1 + 2 + 3 + 2, "dependences");
#pragma omp taskgroup
      {
#pragma omp task
#pragma omp task
        x = 5;
      }
      expect(x, 5, "taskgroup");
#pragma omp taskloop grainsize(4)
      for (int i = 0; i < length; ++i) a[i] = i;
#pragma omp taskgroup task_reduction(+ : sum)
      for (int i = 0; i < length; ++i) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
        sum += a[i];
      }
      found = fib(10);
#pragma omp task
      z = 9;
    }
#pragma omp barrier
    expect(z, 9, "a barrier");
  }
  expect(sum, length * (length - 1) / 2, "in_reduction");
  expect(found, 55, "fib");
}

static void locks(void) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  int by_lock = 0, by_nest = 0, in_task = 0;
#pragma omp parallel num_threads(threads)
  {
    omp_set_lock(&lock);
    ++by_lock;
    omp_unset_lock(&lock);
    while (!omp_test_nest_lock(&nest)) {
    }
    omp_set_nest_lock(&nest);
    ++by_nest;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp task
#pragma omp critical(tasks)
    ++in_task;
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  expect(by_lock + by_nest + in_task, 3 * threads, "locks");
}

static void nested(void) {
  int part[2][2] = {{0}};
#pragma omp parallel num_threads(2)
  {
    const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    part[outer][omp_get_thread_num()] += 1;
#pragma omp parallel num_threads(2)
    part[outer][1 - omp_get_thread_num()] += 1;
  }
  expect(part[0][0] + part[0][1] + part[1][0] + part[1][1], 8, "nested regions");
}

static int x, y;

static void race_in_region(void) {
  int part[2] = {0, 0}, sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    const int me = omp_get_thread_num();
    part[me] = me;
    meet();
    sum += part[1 - me];
  }
  x = sum;
}

static void race_of_locks(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    meet();
#pragma omp critical(one)
    ++x;
  } else {
    meet();
#pragma omp critical(other)
    ++x;
  }
}

static void race_of_tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(inout : x)
    {
      meet();
      ++x;
    }
#pragma omp task depend(inout : y)
    {
      meet();
      ++x;
    }
  }
}

/* taskwait does not wait for a child's child. The child is undeferred, so that this thread does not
 * wait for it: a thread that waits may execute what descends from its task, and would meet itself.
 */
static void race_with_grandchild(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task if (0)
#pragma omp task
    {
      meet();
      ++x;
    }
#pragma omp taskwait
    meet();
    ++x;
  }
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  omp_set_dynamic(0);
  omp_set_max_active_levels(2);
  if (strcmp(what, "ordered") == 0) {
    for (int r = 0; r < rounds; ++r) {
      regions();
      loops();
      tasks();
      locks();
      nested();
    }
  } else if (strcmp(what, "region") == 0) {
    race_in_region();
  } else if (strcmp(what, "locks") == 0) {
    race_of_locks();
  } else if (strcmp(what, "tasks") == 0) {
    race_of_tasks();
  } else if (strcmp(what, "grandchild") == 0) {
    race_with_grandchild();
  } else {
    fprintf(stderr, "usage: probe_races ordered | region | locks | tasks | grandchild\n");
    return 2;
  }
  printf("done %d\n", x + y >= 0 && !wrong);
  return wrong;
}
