/* taskwait with depend clauses and nowait: nobody waits there, and later tasks wait for what it
 * joins. */
#include <omp.h>

#include "../check.h"

/* What it depends on ends only when its event comes, from behind the taskwait. */
static void goes_on(void) {
  int first = 0, second = 0, behind = 0, seen = -1;
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : first)
    {
    }
#pragma omp taskwait depend(in : first) depend(out : second) nowait
#pragma omp task depend(in : second) shared(behind, seen)
    seen = __atomic_load_n(&behind, __ATOMIC_RELAXED);
    __atomic_store_n(&behind, 1, __ATOMIC_RELAXED);
    omp_fulfill_event(event);
  }
  CHECK(seen == 1);
}

/* Many are joined by one, and one is waited for by many. */
static void joins(void) {
  enum { n = 20 };
  int made[n] = {0}, ready = 0, found = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; ++i) {
#pragma omp task depend(out : made[i]) firstprivate(i) shared(made)
      made[i] = 1;
    }
#pragma omp taskwait depend(iterator(k = 0 : n), in : made[k]) depend(out : ready) nowait
    for (int i = 0; i < n; ++i) {
#pragma omp task depend(in : ready) shared(made, found)
      for (int k = 0; k < n; ++k) __atomic_fetch_add(&found, made[k], __ATOMIC_RELAXED);
    }
#pragma omp taskwait depend(in : ready) /* without: the join is complete */
    for (int k = 0; k < n; ++k) CHECK(made[k] == 1);
  }
  CHECK(found == n * n);
}

int main(void) {
  for (int round = 0; round < 100; ++round) {
    goes_on();
    joins();
  }
  return check_result();
}
