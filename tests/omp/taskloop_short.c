/* A taskloop's tasks that were short may be long the next time. Thieves leave short ones to their
 * owner for a while, but not for good: here each task of the long ones waits until another thread
 * has begun one, too. */
#include <omp.h>

#include "check.h"

enum { tasks = 64, give_up_after = 20 /* seconds */ };

static int begun[2]; /* by thread number */

static int have_met(void) {
  return __atomic_load_n(&begun[0], __ATOMIC_RELAXED) > 0 &&
         __atomic_load_n(&begun[1], __ATOMIC_RELAXED) > 0;
}

/* The same code, so that the runtime takes all of them for one taskloop. */
static int run(int meet) {
  int ran = 0;
  begun[0] = begun[1] = 0;
#pragma omp taskloop num_tasks(tasks) shared(ran)
  for (int i = 0; i < tasks; ++i) {
    __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
    if (!meet) continue;
    __atomic_store_n(&begun[omp_get_thread_num()], 1, __ATOMIC_RELAXED);
    const double began = omp_get_wtime();
    while (!have_met() && omp_get_wtime() - began < give_up_after) {
    }
  }
  return ran;
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 10; ++i) CHECK(run(0) == tasks);
    CHECK(run(1) == tasks);
    CHECK(have_met());
  }
  return check_result();
}
