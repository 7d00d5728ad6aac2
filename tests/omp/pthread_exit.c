// A program whose last threads that run loops leave by pthread_exit() ends: its
// idle workers do not keep it alive. And short-lived callers beside a living main
// thread share workers that stay.
#define _GNU_SOURCE
#include <dirent.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int region(void) {
  int ran = 0;
#pragma omp parallel num_threads(4) reduction(+ : ran)
  ran += 1;
  return ran;
}

static void* run_regions(void* nothing) {
  for (int i = 0; i < 3; ++i) CHECK(region() == 4);
  return nothing;
}

static void* run_late(void* nothing) {
  usleep(50000);
  return run_regions(nothing);
}

static void main_alone(void) { run_regions(NULL); }

static void other_thread_alone(void) {
  pthread_t other;
  pthread_create(&other, NULL, run_late, NULL);
}

static void both(void) {
  run_regions(NULL);
  other_thread_alone();
}

static void other_thread_first(void) {
  pthread_t other;
  pthread_create(&other, NULL, run_regions, NULL);
  pthread_join(other, NULL);
}

// Whether a process ends by itself whose main thread does `first` and leaves.
static int ends_after(void (*first)(void)) {
  const pid_t child = fork();
  if (child == 0) {
    first();
    pthread_exit(NULL);
  }
  int status = -1;
  for (int tenths = 0; tenths < 100; ++tenths) {
    if (waitpid(child, &status, WNOHANG) == child) return status == 0;
    usleep(100000);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return 0;
}

static int thread_of_worker_1(void) {
  int id = 0;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) id = (int)gettid();
  return id;
}

static void* worker_1_seen(void* id) {
  *(int*)id = thread_of_worker_1();
  return NULL;
}

int main(void) {
#if !defined(__SANITIZE_THREAD__)  // which has a thread of its own that stays
  CHECK(ends_after(main_alone));
  CHECK(ends_after(other_thread_alone));
  CHECK(ends_after(both));
  CHECK(ends_after(other_thread_first));
#else
  (void)ends_after, (void)main_alone, (void)other_thread_alone, (void)both,
      (void)other_thread_first;
#endif

  int first = 0;
  for (int i = 0; i < 5; ++i) {
    int seen = 0;
    pthread_t other;
    pthread_create(&other, NULL, worker_1_seen, &seen);
    pthread_join(other, NULL);
    if (i == 0) first = seen;
    CHECK(seen != 0 && seen == first);
  }
  return check_result();
}
