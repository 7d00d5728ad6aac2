/* Tasks that only end if several threads execute them, and what must hold of them with 1, 2, 4 and
 * 16 threads: where they are made and waited for, detached ones, cancelled ones, long chains,
 * more of them than there is memory for. OMP_CANCELLATION is set by the test itself. */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static int volatile_load(int* at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
static void add(int* at, int n) { __atomic_fetch_add(at, n, __ATOMIC_ACQ_REL); }

/* Comes back when `count` threads are here. */
static void meet(int* here, int count) {
  add(here, 1);
  while (volatile_load(here) < count) sched_yield();
}

static void be_busy(double seconds) {
  const double end = omp_get_wtime() + seconds;
  while (omp_get_wtime() < end) {
  }
}

/* `threads` tasks that wait for each other, made by one thread while the others are where
 * `place` says. */
static void meet_in(int threads, int place, double late) {
  int here = 0, there = 0;
#pragma omp parallel num_threads(threads)
  {
    const int count = omp_get_num_threads();
    if (place == 0) { /* the others wait at the end of the region */
      if (omp_get_thread_num() == count - 1) {
        be_busy(late);
        for (int i = 0; i < count; ++i) {
#pragma omp task shared(here) firstprivate(count)
          meet(&here, count);
        }
      }
    } else if (place == 1) { /* at a barrier */
#pragma omp single
      {
        be_busy(late);
        for (int i = 0; i < count; ++i) {
#pragma omp task shared(here) firstprivate(count)
          meet(&here, count);
        }
      }
      CHECK(here == count);
    } else { /* the maker waits, too: in a taskgroup, whose tasks make the others */
#pragma omp master
      {
        be_busy(late);
#pragma omp taskgroup
        {
#pragma omp task shared(here) firstprivate(count)
          for (int i = 0; i < count; ++i) {
#pragma omp task shared(here) firstprivate(count)
            meet(&here, count);
          }
        }
        CHECK(here == count);
        there = here;
      }
    }
  }
  CHECK(here == threads);
  CHECK(place != 2 || there == threads);
}

static void inner_teams(int threads) {
  int sum = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    int here = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single nowait
    for (int i = 0; i < omp_get_num_threads(); ++i) {
#pragma omp task shared(here)
      {
        meet(&here, omp_get_num_threads());
        int inside = 0;
#pragma omp parallel num_threads(2) reduction(+ : inside)
        inside += 1;
        CHECK(inside >= 1);
      }
    }
    sum += here;
  }
  CHECK(sum >= 2 && sum <= 2 * threads);
  omp_set_max_active_levels(1);
}

/* ThreadSanitizer keeps each stack on which it has seen an atomic operation. */
#if defined(__SANITIZE_THREAD__)
enum { chain_length = 1000 };
#else
enum { chain_length = 200000 };
#endif

/* Each made by the one before: neither the stack nor the backlog may limit them. */
static void chain(int left, int* length) {
  if (left == 0) return;
  ++*length;
#pragma omp task firstprivate(left, length)
  chain(left - 1, length);
}

static void chains_and_crowds(int threads) {
  int length = 0, done = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    chain(chain_length, &length);
#pragma omp taskgroup
    for (int i = 0; i < 300000; ++i) {
#pragma omp task shared(done)
      add(&done, 1);
    }
    CHECK(done == 300000);
  }
  CHECK(length == chain_length);
}

static void detached(int threads) {
  omp_event_handle_t events[8];
  int order[8], at = 0, after = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < 8; ++i) {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(inout : at) firstprivate(i) shared(order, at)
        order[at++] = i;
        events[i] = event;
      }
#pragma omp task depend(in : at) shared(after, at)
      after = at;
      /* The tasks run one after the other as their events are fulfilled. */
      for (int i = 0; i < 8; ++i) omp_fulfill_event(events[i]);
    }
    CHECK(after == 8);
    for (int i = 0; i < 8; ++i) CHECK(order[i] == i);

    omp_event_handle_t last;
    int ran = 0;
#pragma omp task detach(last) shared(ran)
    ran = 1;
#pragma omp task
    omp_fulfill_event(last);
#pragma omp taskwait
    CHECK(ran == 1);

    omp_event_handle_t mine;
#pragma omp task detach(mine) if (0)
    omp_fulfill_event(mine);
  }
}

static void cancelled(int threads) {
  int ran = 0, left = 0, loops = 0, sections = 0, before = 0;
  CHECK(omp_get_cancellation());
#pragma omp parallel num_threads(threads)
  {
#pragma omp single
    {
#pragma omp taskgroup
      {
#pragma omp task shared(ran)
        {
          add(&ran, 1);
#pragma omp cancel taskgroup
          add(&ran, 1000);
        }
#pragma omp taskwait
        for (int i = 0; i < 100; ++i) {
#pragma omp task shared(ran)
          add(&ran, 1000);
        }
      }
    }
    CHECK(ran == 1);
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 100000; ++i) {
      add(&loops, 1);
#pragma omp cancel for
    }
#pragma omp for
    for (int i = 0; i < 1000; ++i) {
#pragma omp cancel for if (i >= 0)
      add(&loops, 1000000);
    }
#pragma omp sections
    {
#pragma omp section
      {
        add(&sections, 1);
#pragma omp cancel sections
      }
#pragma omp section
      add(&sections, 1);
    }
    add(&before, 1);
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
#pragma omp cancel parallel
    }
#pragma omp cancellation point parallel
#pragma omp barrier
    add(&left, 1);
  }
  CHECK(loops >= 1 && loops <= threads);
  CHECK(sections >= 1 && sections <= 2);
  CHECK(before == threads);
  CHECK(left == 0);
  /* The next region is as if nothing had happened. */
  int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 100; ++i) sum += 1;
#pragma omp barrier
  }
  CHECK(sum == 100);
}

static void loops_of_tasks(int threads) {
  enum { n = 5000 };
  static unsigned char seen[n];
  long sum = 0;
  for (int i = 0; i < n; ++i) seen[i] = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskloop num_tasks(1000)
    for (int i = 0; i < n; ++i) __atomic_fetch_add(&seen[i], 1, __ATOMIC_RELAXED);
    for (int i = 0; i < n; ++i) CHECK(seen[i] == 1);
#pragma omp taskloop grainsize(7) nogroup
    for (unsigned long long i = n; i > 0; --i) {
      __atomic_fetch_add(&seen[i - 1], 1, __ATOMIC_RELAXED);
    }
#pragma omp taskwait
    for (int i = 0; i < n; ++i) CHECK(seen[i] == 2);
#pragma omp taskloop reduction(+ : sum) collapse(2) grainsize(3)
    for (int i = 0; i < 100; ++i) {
      for (int j = 0; j < 10; ++j) {
#pragma omp task in_reduction(+ : sum)
        sum += i * j;
      }
    }
    CHECK(sum == 4950 * 45);
  }
}

static void settings_and_numbers(int threads) {
#pragma omp parallel num_threads(threads)
  {
    omp_set_num_threads(7);
#pragma omp single
    for (int i = 0; i < 100; ++i) {
#pragma omp task
      {
        CHECK(omp_get_max_threads() == 7);
        CHECK(omp_get_thread_num() < omp_get_num_threads());
        const int before = omp_get_thread_num();
        omp_set_num_threads(3 + i % 2);
#pragma omp task
        CHECK(omp_get_max_threads() == 3 + i % 2);
#pragma omp taskwait
        CHECK(omp_get_thread_num() == before); /* tied */
        CHECK(omp_get_max_threads() == 3 + i % 2);
      }
    }
    CHECK(omp_get_max_threads() == 7);
  }
}

int main(int count, char** arguments) {
  (void)count;
  if (getenv("OMP_CANCELLATION") == NULL) {
    setenv("OMP_CANCELLATION", "true", 1);
    execv("/proc/self/exe", arguments);
  }
  for (int threads = 1; threads <= 16; threads *= threads == 4 ? 4 : 2) {
    for (int place = 0; place < 3; ++place) {
      for (int repeat = 0; repeat < 20; ++repeat) meet_in(threads, place, 0);
      meet_in(threads, place, 0.02); /* the others sleep */
    }
    inner_teams(threads < 4 ? threads : 4);
    chains_and_crowds(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      detached(threads);
      cancelled(threads);
      loops_of_tasks(threads);
      settings_and_numbers(threads);
    }
  }
  return check_result();
}
