// Workers have the signal mask of the thread that started them, as with libgomp: what it blocked
// then is handled on no worker, inside of a region or between regions; what it did not block (a
// profiler's SIGPROF, what ends a program) reaches whichever thread it is sent to.
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"

enum { threads = 4 };

static pid_t master;
static int handled, handled_elsewhere;

static void handle(int signal) {
  (void)signal;
  __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
  if (gettid() != master) __atomic_fetch_add(&handled_elsewhere, 1, __ATOMIC_RELAXED);
}

// Each thread sends it to the process, or one.
static void region_that_signals(int number, int senders) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
    if (omp_get_thread_num() < senders) kill(getpid(), number);
    usleep(1000);
#pragma omp barrier
  }
}

int main(void) {
#if defined(__SANITIZE_THREAD__)
  puts("skipped: ThreadSanitizer handles signals later");
  return 77;
#endif
  static const int blocked[] = {SIGUSR1, SIGUSR2, SIGALRM};
  static const int open[] = {SIGTERM, SIGINT};
  master = gettid();
  const struct sigaction action = {.sa_handler = handle};
  sigset_t all_blocked;
  sigemptyset(&all_blocked);
  for (int i = 0; i < 3; ++i) {
    sigaction(blocked[i], &action, NULL);
    sigaddset(&all_blocked, blocked[i]);
  }
  pthread_sigmask(SIG_BLOCK, &all_blocked, NULL);
  region_that_signals(SIGCONT, threads);  // starts the workers
  for (int i = 0; i < 3; ++i) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, blocked[i]);
    // While the master blocks it there is nobody to handle it.
    handled = 0;
    region_that_signals(blocked[i], threads);
    kill(getpid(), blocked[i]);
    usleep(2000);
    CHECK(__atomic_load_n(&handled, __ATOMIC_RELAXED) == 0);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    CHECK(__atomic_load_n(&handled, __ATOMIC_RELAXED) > 0);
    region_that_signals(blocked[i], threads);
  }
  CHECK(__atomic_load_n(&handled_elsewhere, __ATOMIC_RELAXED) == 0);

  for (int i = 0; i < 2; ++i) {
    sigaction(open[i], &action, NULL);
    handled = 0;
    region_that_signals(open[i], 1);
    for (int tries = 0; !__atomic_load_n(&handled, __ATOMIC_RELAXED) && tries < 10000; ++tries)
      usleep(1000);
    CHECK(__atomic_load_n(&handled, __ATOMIC_RELAXED) == 1);
  }

  // What a profiler's timer sends to a thread.
  sigaction(SIGPROF, &action, NULL);
  handled = handled_elsewhere = 0;
#pragma omp parallel num_threads(threads)
  tgkill(getpid(), gettid(), SIGPROF);
  CHECK(__atomic_load_n(&handled, __ATOMIC_RELAXED) == threads);
  CHECK(__atomic_load_n(&handled_elsewhere, __ATOMIC_RELAXED) == threads - 1);
  return check_result();
}
