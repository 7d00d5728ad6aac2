// All threads of a region call exit() at once, as where each of them finds the same error: the
// process ends with that status. The C library promises that from glibc 2.41 on; before, threads
// crash in its list of functions once that is longer than 32, so the libraries leave it to the
// program.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { status = 3, rounds = 40, threads = 16, most_entries = 20 };

static int entries;  // that the process's libraries and the program have made

typedef int registration(void (*)(void*), void*, void*);

__attribute__((visibility("default"))) int __cxa_atexit(void (*function)(void*), void* argument,
                                                        void* library);
int __cxa_atexit(void (*function)(void*), void* argument, void* library) {
  ++entries;
  return ((registration*)dlsym(RTLD_NEXT, "__cxa_atexit"))(function, argument, library);
}

static void end_together(void) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
    exit(status);
  }
}

int main(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 77;  // which have entries, too
#endif
  if (entries == 0 || entries > most_entries)
    fprintf(stderr, "%d entries of 1 to %d\n", entries, most_entries);
  CHECK(0 < entries && entries <= most_entries);
  for (int i = 0; i < rounds; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      end_together();
    }
    int ended = 0;
    CHECK(waitpid(child, &ended, 0) == child);
    CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == status);
  }
  return check_result();
}
