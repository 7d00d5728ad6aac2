/* Forks in a region with tasks: the child goes on as the one thread that it has, and never waits
 * for what other threads were doing. It ends the region, and runs more of them. */
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { threads = 3 };

static int* shared_words; /* of parent and child */

static int get(int* at) { return __atomic_load_n(at, __ATOMIC_ACQUIRE); }
static void add(int* at) { __atomic_fetch_add(at, 1, __ATOMIC_ACQ_REL); }

static int regions_work(void) {
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int i = 0; i < 10; ++i) {
#pragma omp task shared(sum)
      add(&sum);
    }
  }
  return sum == 30;
}

static pid_t fork_here(void) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) alarm(20); /* a child that hangs is killed */
  return child;
}

static void end_child(pid_t child, const char* when) {
  if (child == 0) _exit(regions_work() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0) fprintf(stderr, "%s: the child ended with status %#x\n", when, status);
  CHECK(status == 0);
}

enum after { nothing, waits, yields_and_makes };

/* The leader forks while the others execute tasks of its region, in their parts or after them. */
static void fork_beside_tasks(enum after then, const char* when) {
  pid_t child = -1;
  int running = 0, done = 0, more = 0;
#pragma omp parallel num_threads(threads) shared(child, running, done, more)
#pragma omp master
  {
    for (int i = 1; i < omp_get_num_threads(); ++i) {
#pragma omp task shared(running, done)
      {
        add(&running);
        while (!get(&done)) sched_yield();
      }
    }
    while (get(&running) < omp_get_num_threads() - 1) sched_yield();
    child = fork_here();
    if (child != 0) {
      add(&done);
    } else if (then == waits) {
#pragma omp taskwait
#pragma omp taskgroup
      {
#pragma omp task shared(more)
        add(&more);
      }
    } else if (then == yields_and_makes) {
      for (int i = 0; i < 1000; ++i) {
#pragma omp task shared(more)
        add(&more);
#pragma omp taskyield
      }
    }
  }
  CHECK(child != 0 || then != waits || more == 1);
  CHECK(child != 0 || then != yields_and_makes || more == 1000);
  end_child(child, when);
}

/* The child's thread meets more barriers and loops in the region. */
static void fork_before_loops(int before, const char* when) {
  pid_t child = -1;
  int ran = 0, in_order = 0;
#pragma omp parallel num_threads(threads) shared(child, ran, in_order)
  {
    for (int loop = 0; loop < before; ++loop) {
#pragma omp for schedule(dynamic, 1) nowait
      for (int i = 0; i < 10; ++i) {
      }
    }
#pragma omp master
    child = fork_here();
    for (int loop = 0; loop < 30; ++loop) {
#pragma omp for schedule(dynamic, 1) nowait
      for (int i = 0; i < 10; ++i) add(&ran);
#pragma omp for schedule(static, 1) ordered nowait
      for (int i = 0; i < 10; ++i) {
#pragma omp ordered
        add(&in_order);
      }
#pragma omp barrier
    }
  }
  if (child != 0) CHECK(ran == 300);
  end_child(child, when);
}

/* A task forks, on the thread that is in `where` (0: the leader at its join; else a helper). */
static void fork_in_task(int on_leader, const char* when) {
  shared_words[0] = shared_words[1] = 0;
  pid_t child = -1;
  int held = 0, done = 0;
  const pid_t parent = getpid();
#pragma omp parallel num_threads(2) shared(child, held, done)
  {
    const int maker = on_leader ? 1 : 0;
    if (omp_get_thread_num() == maker) {
#pragma omp task shared(child, held, done) /* on the other thread, whose part has ended */
      {
        add(&held);
        while (get(&held) < 2) sched_yield();
        child = fork_here();
        if (child == 0) add(&shared_words[0]);
        add(&done);
      }
      while (get(&held) < 1) sched_yield();
      for (int i = 0; i < 10; ++i) {
#pragma omp task shared(done)
        {
          if (getpid() != parent) add(&shared_words[1]);
        }
      }
      add(&held);
      while (!get(&done)) sched_yield();
    }
  }
  /* A child on a worker's thread has ended with that thread. */
  if (on_leader) {
    end_child(child, when);
  } else {
    int status = -1;
    CHECK(child > 0);
    waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK(shared_words[1] == 0);
  }
  CHECK(shared_words[0] == 1);
}

int main(void) {
#if defined(__SANITIZE_THREAD__)
  puts("skipped: ThreadSanitizer lets no child of a threaded program start threads");
  return 77;
#endif
  shared_words = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int round = 0; round < 20; ++round) {
    fork_beside_tasks(nothing, "at the end of the region");
    fork_beside_tasks(waits, "at a taskwait and a taskgroup");
    fork_beside_tasks(yields_and_makes, "with more tasks");
    fork_before_loops(round % 11, "before more loops");
    fork_in_task(1, "in a task of the leader at its join");
    fork_in_task(0, "in a helper's task");
  }
  return check_result();
}
