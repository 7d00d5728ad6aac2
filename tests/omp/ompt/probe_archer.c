/* What orders a program's accesses: a region, tasks with dependences, a critical section, a
 * barrier, a loop. */
#include <stdio.h>

int main(void) {
  int x = 0, y = 0, sum = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp single
    {
#pragma omp task depend(out : x)
      x = 1;
#pragma omp task depend(in : x)
      y = x;
    }
#pragma omp critical
    sum++;
#pragma omp barrier
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 100; i++) __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
  }
  printf("sum %d %d %d\n", x, y, sum);
  return 0;
}
