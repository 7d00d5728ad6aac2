/* Target constructs on the host: regions run on the program's own data, in a contention group of
 * their own, and the user's functions for device memory serve the host. */
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#pragma omp declare target
static int counter;
static void count(void) {
#pragma omp atomic
  counter++;
}
#pragma omp end declare target

static void regions_run_here(void) {
  int x = 1, y = 2;
  _Alignas(64) char wide[100] = "private";
#pragma omp target map(tofrom : x) firstprivate(y, wide)
  {
    x += y;
    y = 100;
    wide[0] = 'P';
    x += omp_is_initial_device() != 1;
    x += ((uintptr_t)wide % 64) != 0;
  }
  CHECK(x == 3);
  CHECK(y == 2);
  CHECK(strcmp(wide, "private") == 0);

  int threads = 0;
#pragma omp target parallel num_threads(3) map(tofrom : threads) reduction(+ : threads)
  threads += 1;
  CHECK(threads == 3);

  long sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
  for (int i = 0; i < 1000; ++i) sum += i;
  CHECK(sum == 499500);

  int limit = 0;
#pragma omp target thread_limit(5) map(from : limit)
  limit = omp_get_thread_limit();
  CHECK(limit == 5);
  CHECK(omp_get_thread_limit() != 5);
}

static void regions_are_groups_of_their_own(void) {
  int wrong = 0;
#pragma omp parallel num_threads(4) reduction(+ : wrong)
  {
    int level = -1, threads = -1, number = -1, inside = -1;
#pragma omp target map(from : level, threads, number, inside)
    {
      level = omp_get_level();
      threads = omp_get_num_threads();
      number = omp_get_thread_num();
      inside = omp_in_parallel();
    }
    wrong += level != 0 || threads != 1 || number != 0 || inside != 0;
    wrong += omp_get_level() != 1;
    // A region inside gets threads beside those at work, if there are any.
    int inner = 0, parallel = 0;
#pragma omp target map(from : inner, parallel)
#pragma omp parallel num_threads(2) reduction(+ : inner)
    {
      inner += 1;
#pragma omp single
      parallel = omp_in_parallel() && omp_get_level() == 1;
    }
    wrong += inner != 2 || !parallel;
    int total = 0;
#pragma omp target parallel for reduction(+ : total) map(tofrom : total)
    for (int i = 0; i < 100; ++i) total += i;
    wrong += total != 4950;
  }
  CHECK(wrong == 0);
}

static void data_stays_where_it_is(void) {
  int a[10] = {0};
#pragma omp target enter data map(to : a)
#pragma omp target data map(tofrom : a) use_device_addr(a)
  {
    CHECK(omp_target_is_present(a, omp_get_initial_device()));
#pragma omp target map(tofrom : a)
    for (int i = 0; i < 10; ++i) a[i] = i;
#pragma omp target update from(a)
    CHECK(a[9] == 9);
  }
#pragma omp target exit data map(from : a)
  counter = 0;
#pragma omp target
  count();
#pragma omp target if (0)
  count();
#pragma omp target device(omp_get_initial_device())
  count();
  CHECK(counter == 3);

  int first = 0, second = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait depend(out : first) map(tofrom : first)
    first = 1;
#pragma omp target nowait depend(in : first) depend(out : second) map(to : first) map(from : second)
    second = first + 1;
#pragma omp target update to(second) depend(in : second) nowait
#pragma omp taskwait
    CHECK(second == 2);
  }
}

/* A target region with nowait is a task: the thread that meets it goes on meanwhile. */
static void regions_may_be_tasks(void) {
  int goes_on = 0, seen = 0, sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    int value = 40;
    const double until = omp_get_wtime() + 10;
#pragma omp target nowait firstprivate(value, until) map(tofrom : goes_on, seen)
    {
      while (!__atomic_load_n(&goes_on, __ATOMIC_ACQUIRE) && omp_get_wtime() < until) {
      }
      seen = __atomic_load_n(&goes_on, __ATOMIC_ACQUIRE) ? value : -1;
      CHECK(omp_get_level() == 0);
    }
    value = 2;
    __atomic_store_n(&goes_on, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 100; ++i) {
#pragma omp target nowait firstprivate(i) map(tofrom : sum)
      __atomic_fetch_add(&sum, i, __ATOMIC_RELAXED);
    }
#pragma omp taskwait
    CHECK(seen == 40);
    CHECK(sum == 4950);
  }
#pragma omp target nowait map(tofrom : sum)
  sum = 1;
#pragma omp taskwait
  CHECK(sum == 1);
}

/* So is every other construct with nowait: what it depends on may be in the hands of the thread
   that meets it. */
static void who_goes_on_fulfills(void) {
  enum { update, enter, leave, forms };
  for (int form = 0; form < forms; ++form) {
    int x = 0, seen = 0;
#pragma omp parallel
#pragma omp single
    {
      omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) shared(x)
      x = form + 1;
      if (form == update) {
#pragma omp target update to(x) depend(inout : x) nowait
      } else if (form == enter) {
#pragma omp target enter data map(to : x) depend(inout : x) nowait
      } else {
#pragma omp target exit data map(from : x) depend(inout : x) nowait
      }
#pragma omp task depend(in : x) shared(x, seen)
      seen = x;
      omp_fulfill_event(event);
#pragma omp taskwait
    }
    CHECK(x == form + 1 && seen == x);
  }
}

static void memory_of_the_host_serves(void) {
  const int host = omp_get_initial_device();
  CHECK(omp_get_num_devices() == 0);
  CHECK(host == omp_get_num_devices());
  CHECK(omp_get_device_num() == host);
  double* p = omp_target_alloc(10 * sizeof *p, host);
  CHECK(p != NULL);
  double q[10];
  for (int i = 0; i < 10; ++i) q[i] = i;
  CHECK(omp_target_memcpy(p, q, 5 * sizeof *p, 0, 5 * sizeof *p, host, host) == 0);
  CHECK(p[0] == 5 && p[4] == 9);
  CHECK(omp_target_memcpy(p, q, 8, 0, 0, host + 7, host) != 0);
  CHECK(omp_target_is_present(p, host));
  CHECK(!omp_target_is_present(p, host + 7));
  CHECK(omp_target_associate_ptr(p, q, 8, 0, host) != 0);
  CHECK(omp_target_disassociate_ptr(p, host) != 0);
  CHECK(omp_target_alloc(8, host + 7) == NULL);
  omp_target_free(p, host);
  omp_target_free(NULL, host);
}

int main(void) {
  regions_run_here();
  regions_are_groups_of_their_own();
  data_stays_where_it_is();
  regions_may_be_tasks();
  who_goes_on_fulfills();
  memory_of_the_host_serves();
  return check_result();
}
