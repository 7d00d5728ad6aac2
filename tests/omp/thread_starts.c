// How many threads the library starts, and what it does when it cannot: the program
// puts a pthread_create() of its own before the system's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static int starts;            // calls so far
static int refuse_from = -1;  // this call and all later ones fail; -1: none

__attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                          const pthread_attr_t* attributes,
                                                          void* (*start)(void*), void* argument) {
  typedef int (*creator)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  const int number = starts++;
  if (refuse_from >= 0 && number >= refuse_from) return EAGAIN;
  return ((creator)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, start, argument);
}

static int team_of(int wanted) {
  int size = 0, together = 0;
#pragma omp parallel num_threads(wanted)
  {
#pragma omp atomic
    together += 1;
#pragma omp barrier
#pragma omp single
    size = together == omp_get_num_threads() ? together : -1;
  }
  return size;
}

enum { wanted = 6 };

// All from the k-th thread on are refused, for a while.
static void run_refused(int k) {
  refuse_from = k;
  int right = 0;
  while (right < 1200 && team_of(wanted) == k + 1) ++right;
  CHECK(right == 1200);
  CHECK(starts < k + 20);  // it does not try all the time
  refuse_from = -1;
  int size = 0;
  for (int i = 0; i < 1000 && size != wanted; ++i) size = team_of(wanted);
  CHECK(size == wanted);
}

static void* second_caller(void* unused) {
  refuse_from = starts;
  for (int i = 0; i < 300; ++i) CHECK(team_of(wanted) == wanted);
  return unused;
}

// A second caller that may have no threads of its own has the first one's, while that needs none.
static void refused_caller(int k) {
  CHECK(team_of(wanted) == wanted);
  pthread_t caller;
  CHECK(pthread_create(&caller, NULL, second_caller, NULL) == 0);
  pthread_join(caller, NULL);
  for (int i = 0; i < 300; ++i) CHECK(team_of(wanted) == wanted);
  CHECK(starts < k + 20);
}

static void refused_threads_mean_fewer(int k, void run(int)) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const int errors = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    run(k);
    dup2(errors, STDERR_FILENO);
    _exit(check_result());
  }
  close(ends[1]);
  char text[4096] = "";
  size_t length = 0;
  for (ssize_t n; (n = read(ends[0], text + length, sizeof text - 1 - length)) > 0;)
    length += (size_t)n;
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  const char* warning = strstr(text, "could not be started");
  CHECK(warning != NULL && strstr(warning + 1, "doall:") == NULL);  // one, not one a region
  if (status != 0 || warning == NULL) fprintf(stderr, "k = %d: %s\n", k, text);
}

int main(void) {
#if defined(__SANITIZE_THREAD__)
  puts("skipped: ThreadSanitizer has a pthread_create() of its own");
  return 77;
#endif
  for (int k = 0; k < wanted - 1; ++k) refused_threads_mean_fewer(k, run_refused);
  refused_threads_mean_fewer(wanted, refused_caller);

  enum { most = 8 };
  CHECK(team_of(most) == most);
  CHECK(starts == most - 1);
  for (int i = 0; i < 300; ++i) {
    const int size = 1 + i * 5 % most;
    CHECK(team_of(size) == size);
  }
  CHECK(starts == most - 1);
  return check_result();
}
