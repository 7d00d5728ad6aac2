// A signal that is sent to the process is never handled on a worker, neither inside of
// a region nor between regions.
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

static void region_that_signals(int number) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
    kill(getpid(), number);
    usleep(1000);
#pragma omp barrier
  }
}

int main(void) {
#if defined(__SANITIZE_THREAD__)
  puts("skipped: ThreadSanitizer handles signals later");
  return 77;
#endif
  static const int numbers[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGALRM, SIGINT};
  master = gettid();
  region_that_signals(SIGCONT);
  for (int i = 0; i < 5; ++i) {
    struct sigaction action = {.sa_handler = handle};
    sigaction(numbers[i], &action, NULL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, numbers[i]);

    // While the master blocks it there is nobody to handle it.
    handled = 0;
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    region_that_signals(numbers[i]);
    kill(getpid(), numbers[i]);
    usleep(2000);
    CHECK(__atomic_load_n(&handled, __ATOMIC_RELAXED) == 0);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    CHECK(__atomic_load_n(&handled, __ATOMIC_RELAXED) > 0);

    region_that_signals(numbers[i]);
  }
  CHECK(__atomic_load_n(&handled_elsewhere, __ATOMIC_RELAXED) == 0);
  return check_result();
}
