// A signal that is sent to the process is not handled on a worker, neither inside of a region nor
// between regions; one that ends a program is on none as long as the master does not block it.
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

// Each thread sends it; or one, for while the master handles a signal it blocks the next.
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
  static const int numbers[] = {SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGINT};
  enum { others = 3, all = 5 };  // the last ones end a program
  master = gettid();
  region_that_signals(SIGCONT, threads);
  for (int i = 0; i < all; ++i) {
    struct sigaction action = {.sa_handler = handle};
    sigaction(numbers[i], &action, NULL);
    if (i >= others) {
      handled = 0;
      region_that_signals(numbers[i], 1);
      for (int tries = 0; !__atomic_load_n(&handled, __ATOMIC_RELAXED) && tries < 1000; ++tries)
        usleep(1000);
      CHECK(__atomic_load_n(&handled, __ATOMIC_RELAXED) == 1);
      continue;
    }
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, numbers[i]);

    // While the master blocks it there is nobody to handle it.
    handled = 0;
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    region_that_signals(numbers[i], threads);
    kill(getpid(), numbers[i]);
    usleep(2000);
    CHECK(__atomic_load_n(&handled, __ATOMIC_RELAXED) == 0);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    CHECK(__atomic_load_n(&handled, __ATOMIC_RELAXED) > 0);

    region_that_signals(numbers[i], threads);
  }
  CHECK(__atomic_load_n(&handled_elsewhere, __ATOMIC_RELAXED) == 0);
  return check_result();
}
