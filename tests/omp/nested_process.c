/* Nested teams and the process that they are in: forks from within, threads that cannot be
   started, a main thread that leaves. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "threads_alive.h"

static int starts;
static int refuse_from = -1; /* this call and all later ones fail; -1: none */

__attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                          const pthread_attr_t* attributes,
                                                          void* (*start)(void*), void* argument) {
  typedef int (*creator)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  const int number = __atomic_fetch_add(&starts, 1, __ATOMIC_RELAXED);
  if (refuse_from >= 0 && number >= refuse_from) return EAGAIN;
  return ((creator)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, start, argument);
}

static void wait_until(int* word, int value) {
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value) sched_yield();
}

/* Threads of a nest, each inner team of which is a team. */
static int nest(int outer, int inner) {
  int together = 0;
#pragma omp parallel num_threads(outer)
  {
    int team = 0;
#pragma omp parallel num_threads(inner)
    {
#pragma omp atomic
      team += 1;
#pragma omp barrier
      CHECK(team == omp_get_num_threads());
    }
#pragma omp atomic
    together += team;
  }
  return together;
}

static void expect_ended_well(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

static pid_t fork_here(void) {
  const pid_t child = fork();
  if (child == 0) alarm(20); /* a child that hangs is killed */
  return child;
}

static void fork_between(void) {
  const pid_t child = fork_here();
  if (child == 0) _exit(!(nest(2, 3) == 6 && nest(3, 2) == 6));
  expect_ended_well(child);
}

/* The first thread forks at a level, and goes on in the child, where it has no team any
   more, with regions inside. */
static void fork_inside(int level) {
  pid_t child = -1;
  int ran = 0;
#pragma omp parallel num_threads(2)
  {
    const int first = omp_get_thread_num() == 0;
    if (level == 1 && first) {
      child = fork_here();
      if (child == 0 && nest(2, 1) < 2) _exit(2);
    }
#pragma omp parallel num_threads(2)
    {
      if (level == 2 && first && omp_get_thread_num() == 0) {
        child = fork_here();
        if (child == 0 && nest(2, 1) < 2) _exit(3);
      }
#pragma omp atomic
      ran += 1;
    }
  }
  if (child == 0) _exit(!(ran >= 1 && nest(2, 2) == 4 && nest(3, 3) == 9));
  CHECK(ran == 4);
  expect_ended_well(child);
}

static void refused_threads_mean_fewer(void) {
  const pid_t child = fork_here();
  if (child == 0) {
    close(STDERR_FILENO); /* the warning */
    CHECK(nest(2, 1) == 2);
    refuse_from = starts + 1;
    for (int i = 0; i < 1200; ++i) {
      const int threads = nest(2, 2);
      CHECK(threads == 3 || threads == 4); /* the one there is serves one team after the other */
    }
    CHECK(starts < refuse_from + 20);
    refuse_from = -1;
    int threads = 0;
    for (int i = 0; i < 2000 && threads != 6; ++i) threads = nest(2, 3);
    CHECK(threads == 6);
    _exit(check_result());
  }
  expect_ended_well(child);
}

/* Its idle workers, of whatever pool, do not keep a process alive. */
static void ends_without_main(void) {
  const pid_t child = fork_here();
  if (child == 0) {
    nest(3, 3);
    pthread_exit(NULL);
  }
  expect_ended_well(child);
}

static void sizes_may_change(void) {
  int here = 0;
#pragma omp parallel num_threads(4)
#pragma omp parallel num_threads(4)
  {
    __atomic_fetch_add(&here, 1, __ATOMIC_ACQ_REL);
    wait_until(&here, 16); /* all at work */
  }
  const int before = starts;
  for (int i = 0; i < 400; ++i) {
    const int outer = 2 + i % 3, inner = 1 + i / 3 % 4;
    CHECK(nest(outer, inner) == outer * inner);
  }
  CHECK(starts == before);
  CHECK(threads_alive() <= 16);
}

/* A smaller team than its leader's last one leaves the others to its sibling, at once. */
static void siblings_take_what_is_left(void) {
  int before = 0;
  for (int round = 0; round < 20; ++round) {
    int formed = 0;
#pragma omp parallel num_threads(2)
    {
      const int larger = omp_get_thread_num() == round % 2;
      if (larger) wait_until(&formed, 1);
#pragma omp parallel num_threads(larger ? 4 : 2)
      {
        if (omp_get_thread_num() == 0) __atomic_fetch_add(&formed, 1, __ATOMIC_ACQ_REL);
        wait_until(&formed, 2);
      }
    }
    if (round == 0) before = starts;
  }
  CHECK(starts == before);
}

int main(void) {
#if defined(__SANITIZE_THREAD__)
  puts("skipped: ThreadSanitizer has a pthread_create() of its own");
  return 77;
#endif
  omp_set_max_active_levels(4);
  ends_without_main();
  refused_threads_mean_fewer();
  CHECK(nest(2, 2) == 4);
  for (int i = 0; i < 60; ++i) {
    fork_between();
    fork_inside(1);
    fork_inside(2);
    CHECK(nest(2, 2) == 4);
  }
  siblings_take_what_is_left();
  sizes_may_change();
  return check_result();
}
