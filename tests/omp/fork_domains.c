// The child of a fork on a machine of several domains: its regions know where domains begin, though
// the memory that said so to the parent's is freed (AddressSanitizer sees whether it is read).
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { threads = 5 };

static int threads_of_region(void) {
  int count = 0;
#pragma omp parallel num_threads(threads)
  {
#pragma omp atomic
    ++count;
#pragma omp barrier
  }
  return count;
}

int main(void) {
#if defined(__SANITIZE_THREAD__)
  puts("skipped: ThreadSanitizer lets no child of a threaded program start threads");
  return 77;
#endif
  CHECK(threads_of_region() == threads);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a child that hangs is killed
    int right = 1;
    for (int i = 0; i < 100 && right; ++i) right = threads_of_region() == threads;
    _exit(right ? 0 : 1);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(threads_of_region() == threads);
  return check_result();
}
