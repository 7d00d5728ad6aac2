/* Three regions of four threads, and what the program prints itself. */
#include <stdio.h>

int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(4)
    __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
  }
  printf("sum %d\n", sum);
  return 0;
}
