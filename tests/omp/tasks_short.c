/* Thieves rest while the tasks that they steal are short. Longer ones are stolen all the same, also
 * if each waits for another thread that executes the next one; and short ones are all executed, by
 * whom it may be. */
#include <omp.h>
#include <sched.h>
#include <stdlib.h>

#include "check.h"

enum { SHORT = 5000, PAIRS = 20, THREADS = 2 }; /* more than CPUs never rest */

static int now(int* counted) { return __atomic_load_n(counted, __ATOMIC_ACQUIRE); }
static void count(int* counted) { __atomic_fetch_add(counted, 1, __ATOMIC_ACQ_REL); }

int main(void) {
  const int rounds = getenv("DOALL_TEST_LONG") != NULL ? 500 : 20;
  for (int round = 0; round < rounds; ++round) {
    int ran = 0, met = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
      for (int i = 0; i < SHORT; ++i) {
#pragma omp task shared(ran)
        count(&ran);
      }
      /* Of tasks beyond those that wait their maker executes each at once. */
#pragma omp taskwait
      for (int pair = 0; pair < PAIRS; ++pair) {
        int begun = 0;
        for (int i = 0; i < 2; ++i) {
#pragma omp task shared(begun, met)
          {
            count(&begun);
            while (now(&begun) < 2) sched_yield();
            count(&met);
          }
        }
#pragma omp taskwait
      }
    }
    CHECK(ran == SHORT);
    CHECK(met == 2 * PAIRS);
  }
  return check_result();
}
