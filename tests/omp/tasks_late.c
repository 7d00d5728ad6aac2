/* A task that waits for a thread's part of its region: no thread executes it before it has begun
 * its own part, however late that is. The test runs with a tree of offers, too. */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>

#include "check.h"

static int here(int* parts) { return __atomic_load_n(parts, __ATOMIC_ACQUIRE); }

int main(void) {
  const int threads = 10;
  const int rounds = getenv("DOALL_TEST_LONG") != NULL ? 20000 : 1000;
  for (int round = 0; round < rounds; ++round) {
    int parts = 0, ran = 0;
    /* Workers whose part has ended look for tasks of the team. */
#pragma omp parallel num_threads(threads)
    {
    }
#pragma omp parallel num_threads(threads) shared(parts, ran)
    {
      const int count = omp_get_num_threads();
      __atomic_fetch_add(&parts, 1, __ATOMIC_ACQ_REL);
      if (omp_get_thread_num() == 0) {
        for (int i = 0; i < count; ++i) {
#pragma omp task shared(parts, ran) firstprivate(count)
          {
            while (here(&parts) < count) sched_yield();
            __atomic_fetch_add(&ran, 1, __ATOMIC_ACQ_REL);
          }
        }
      }
    }
    CHECK(ran == parts);
  }
  return check_result();
}
