/* Tasks that are executed inside each other, deeper than a few: on the main thread's stack, on a
 * small one and on one that is not a thread's. Chains without waits need no stack as long as they
 * are, and a wait or a group knows what such tasks have left behind. */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "check.h"

static int ran;
static void count(void) { __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED); }
static int counted(void) { return __atomic_exchange_n(&ran, 0, __ATOMIC_RELAXED); }

/* Each waits for the next. */
static void waiting(int depth) {
  int below = 0;
  if (depth == 0) return;
#pragma omp task shared(below)
  {
    waiting(depth - 1);
    below = 1;
  }
#pragma omp taskwait
  CHECK(below == 1);
  count();
}

/* None waits; every `each`th makes one more. */
static void loose(int depth, int each) {
  if (depth == 0) return;
#pragma omp task firstprivate(depth, each)
  {
    count();
    if (depth % each == 0) {
#pragma omp task
      count();
    }
    loose(depth - 1, each);
  }
}

/* Groups at some depths wait for what lies below them. */
static void grouped(int depth) {
  if (depth == 0) return;
#pragma omp task firstprivate(depth)
  {
    if (depth % 30 == 0) {
      int before = __atomic_load_n(&ran, __ATOMIC_RELAXED);
#pragma omp taskgroup
      grouped(depth - 1);
      CHECK(__atomic_load_n(&ran, __ATOMIC_RELAXED) >= before + depth - 1);
    } else {
      grouped(depth - 1);
    }
    count();
  }
}

static void nests(int threads, int depth) {
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    waiting(depth);
    CHECK(counted() == depth);
#pragma omp taskgroup
    loose(100000, 100000 / 7);
    CHECK(counted() == 100000 + 7);
    loose(1000, 3);
  }
  CHECK(counted() == 1000 + 333);
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
#pragma omp taskgroup
    grouped(300);
    CHECK(counted() == 300);
  }
}

/* Deep levels that take long are shared, though those before were too short to be. */
static int elsewhere;
static void long_levels(int depth, int of_thread) {
  if (depth == 0) return;
#pragma omp task firstprivate(depth, of_thread)
  {
    if (depth < 100) usleep(200);
    if (omp_get_thread_num() != of_thread) __atomic_fetch_add(&elsewhere, 1, __ATOMIC_RELAXED);
    count();
  }
#pragma omp task firstprivate(depth, of_thread)
  long_levels(depth - 1, of_thread);
#pragma omp taskwait
}
static void shares(void) {
  for (int round = 0; round < 100 && elsewhere == 0; ++round) {
#pragma omp parallel num_threads(2)
#pragma omp single
    long_levels(1000, omp_get_thread_num());
    CHECK(counted() == 1000);
  }
  CHECK(elsewhere != 0);
}

/* An undeferred task around a nest that takes much stack: what was too deep has been executed when
 * the nest's first task has ended. */
static void wide(int depth) {
  char large[64 << 10];
  *(char volatile*)large = 1;
  count();
  for (int i = 0; i < 3 && depth == 1; ++i) {
#pragma omp task
    count();
  }
  if (depth == 1) return;
#pragma omp task firstprivate(depth)
  wide(depth - 1);
}
static void undeferred_around(void) {
  const int depth = 110; /* some 7 MB */
#pragma omp parallel num_threads(1)
#pragma omp task if (0)
  {
    for (int i = 0; i < 3; ++i) {
#pragma omp task
      {
        for (int k = 0; k < 3; ++k) {
#pragma omp task
          wide(depth);
        }
      }
      CHECK(counted() == 3 * (depth + 3));
    }
  }
}

static void* on_small_stack(void* unused) {
  nests(1, 100);
  nests(2, 100);
  return unused;
}

static ucontext_t outside, inside;
static void on_other_stack(void) {
  nests(1, 100);
  swapcontext(&inside, &outside);
}

int main(void) {
  for (int threads = 1; threads <= 4; ++threads) nests(threads, 2000);
  shares();
  undeferred_around();

  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_t thread;
  CHECK(pthread_create(&thread, &attributes, on_small_stack, NULL) == 0);
  pthread_join(thread, NULL);

  const size_t bytes = 256 << 10;
  void* const stack = malloc(bytes);
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = bytes;
  inside.uc_link = NULL;
  makecontext(&inside, on_other_stack, 0);
  swapcontext(&outside, &inside);
  free(stack);
  return check_result();
}
