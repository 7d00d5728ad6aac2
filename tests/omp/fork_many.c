// A thousand forks, in and out of regions: each child's first loops work. Inside of
// a region the master forks, while its team waits for it, and leaves the region
// in the child too; what the parent was in the middle of goes on.
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { threads = 3 };

static int loops_work(void) {
  long sum = 0;
  int together = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp atomic
    together += 1;
#pragma omp barrier
#pragma omp for schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += i;
  }
  return sum == 4950 && together == threads;
}

static void expect_ended_well(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

static void fork_outside(void) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a child that hangs is killed
    _exit(!loops_work());
  }
  expect_ended_well(child);
}

static void fork_inside(void) {
  pid_t child = -1;
  int ran = 0;
#pragma omp parallel num_threads(threads)
  {
    if (omp_get_thread_num() == 0) {
      child = fork();
      if (child == 0) alarm(20);
    }
#pragma omp atomic
    ran += 1;
  }
  // In the child the master alone came here for sure.
  if (child == 0) _exit(!(ran >= 1 && loops_work() && loops_work()));
  CHECK(ran == threads);
  expect_ended_well(child);
}

int main(void) {
#if defined(__SANITIZE_THREAD__)
  puts("skipped: ThreadSanitizer lets no child of a threaded program start threads");
  return 77;
#endif
  CHECK(loops_work());
  for (int i = 0; i < 500; ++i) {
    fork_outside();
    fork_inside();
    if (i % 10 == 0) CHECK(loops_work());
  }
  return check_result();
}
