// lastprivate and linear: the sequentially last iteration's value comes out,
// also under a schedule that lets a worker run it before others. Uneven
// iterations make workers help one another.
#include <omp.h>
#include <stdio.h>

static void work(long units) {
  volatile double x = 1;
  for (long k = 0; k < units * 20; ++k) x = x * 1.0000001 + 1e-9;
}

int main(void) {
  int failures = 0;
  for (int round = 0; round < 60; ++round) {
    for (int heavy = 0; heavy < 3; ++heavy) {
      const long n = 1 + (round * 37) % 300;
      long last = -1, runs = 0, position = 7;
#pragma omp parallel for schedule(runtime) lastprivate(last) reduction(+ : runs)
      for (long i = 0; i < n; ++i) {
        work(heavy == 0 ? i < n / 4 : heavy == 1 ? i > n - n / 4 : 0);
        last = i;
        ++runs;
      }
      if (last != n - 1 || runs != n) {
        printf("lastprivate of %ld iterations: %ld after %ld runs\n", n, last, runs);
        ++failures;
      }
#pragma omp parallel for schedule(runtime) linear(position : 2)
      for (long i = 0; i < n; ++i) {
        work(heavy == 0 && i < n / 4);
        position += 2;
      }
      if (position != 7 + 2 * n) {
        printf("linear over %ld iterations: %ld\n", n, position);
        ++failures;
      }
    }
  }
  if (failures == 0) puts("the last iteration's values came out");
  return failures != 0;
}
