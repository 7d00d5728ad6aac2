/* What GCC 13 and 14 call for tasks, and GCC 12 does not know. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>

#include "check.h"

int main(void) {
  int (*const in_explicit_task)(void) = dlvsym(RTLD_DEFAULT, "omp_in_explicit_task", "OMP_5.2");
  void (*const wait_nowait)(void**) =
      dlvsym(RTLD_DEFAULT, "GOMP_taskwait_depend_nowait", "GOMP_5.1.1");
  CHECK(in_explicit_task != NULL && wait_nowait != NULL);
  if (check_result() != 0) return 1;

  CHECK(!in_explicit_task());
  int first = 0, second = 0, inside = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    CHECK(!in_explicit_task());
#pragma omp task if (0) shared(inside)
    inside = in_explicit_task();
    CHECK(!in_explicit_task());
#pragma omp task depend(out : first) shared(first)
    {
      const double end = omp_get_wtime() + 0.02;
      while (omp_get_wtime() < end) {
      }
      first = 1;
    }
    /* out: second; in: first. It joins the two. */
    void* words[] = {(void*)(uintptr_t)0,
                     (void*)(uintptr_t)2,
                     (void*)(uintptr_t)1,
                     (void*)(uintptr_t)0,
                     (void*)(uintptr_t)1,
                     &second,
                     &first};
    wait_nowait(words);
#pragma omp task depend(inout : second) shared(first, second)
    second = first;
  }
  CHECK(inside == 1);
  CHECK(second == 1);
  return check_result();
}
