/* KMP_ENABLE_TASK_THROTTLING: whether a thread that makes many tasks executes some of them before
   it has made all. Those are many more than a deque holds. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { tasks = 2000 };

static int made_at_first(void) {
  int made = 0, at_first = 0, ended = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
  {
    for (int i = 0; i < tasks; ++i) {
      __atomic_store_n(&made, i + 1, __ATOMIC_RELAXED);
#pragma omp task shared(made, at_first, ended)
      {
        if (omp_get_thread_num() == 0) {
          if (at_first == 0) at_first = __atomic_load_n(&made, __ATOMIC_RELAXED);
          __atomic_store_n(&ended, 1, __ATOMIC_RELAXED);
        } else { /* the other thread does not empty the deque */
          while (!__atomic_load_n(&ended, __ATOMIC_RELAXED)) {
          }
        }
      }
    }
    __atomic_store_n(&ended, 1, __ATOMIC_RELAXED);
  }
  return at_first;
}

static int restart(char* program, const char* value) {
  setenv("KMP_ENABLE_TASK_THROTTLING", value, 1);
  execl(program, program, value, NULL);
  return 1;
}

int main(int argc, char** argv) {
  if (argc == 1) return restart(argv[0], "0");
  const int at_first = made_at_first();
  if (strcmp(argv[1], "0") == 0) {
    CHECK(at_first == tasks || at_first == 0); /* 0: the other thread has executed all */
    return check_result() ? 1 : restart(argv[0], "true");
  }
  CHECK(at_first > 0 && at_first < tasks);
  return check_result();
}
