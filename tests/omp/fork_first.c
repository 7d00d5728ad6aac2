// fork() while another thread is in its first use of the library: settings, the
// machine and the pool are half made. The child's regions work all the same.
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { trials = 400, latest_us = 4000, threads = 3 };

static int regions_work(void) {
  long sum = 0;
  int together = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp atomic
    together += 1;
#pragma omp barrier
#pragma omp for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += i;
  }
  return sum == 4950 && together == threads;
}

static int begun;

static void* first_use(void* nothing) {
  __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
  CHECK(regions_work());
  return nothing;
}

static void wait_us(int us) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 < us);
}

// A child that hangs is killed, by us: it may have blocked the signal of an alarm.
static int ended_well(pid_t child, int patience_ms) {
  int status = -1;
  for (; patience_ms > 0; --patience_ms) {
    if (waitpid(child, &status, WNOHANG) == child) return status == 0;
    usleep(1000);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return 0;
}

// In a process that has not used the library so far.
static int fork_at(int us) {
  pthread_t other;
  pthread_create(&other, NULL, first_use, NULL);
  while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE)) continue;
  wait_us(us);
  const pid_t child = fork();
  if (child == 0) _exit(!regions_work());
  CHECK(ended_well(child, 10000));
  pthread_join(other, NULL);
  return check_result();
}

int main(void) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  puts("skipped: a sanitizer's own locks may be held in the child");
  return 77;
#endif
  setenv("OMP_PROC_BIND", "true", 1);  // the machine is asked for then, which takes long
  for (int trial = 0; trial < trials && check_failures == 0; ++trial) {
    const pid_t parent = fork();
    if (parent == 0) _exit(fork_at(trial * latest_us / trials));
    CHECK(ended_well(parent, 20000));
  }
  return check_result();
}
