/* A program that knows nothing of doall: a triangular loop. */
#include <math.h>
#include <stdio.h>

int main(void) {
  double sum = 0;
  for (int again = 0; again < 20; ++again) {
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) {
      for (int j = 0; j < i; ++j) sum += (i * j) % 7;
    }
  }
  printf("%.0f\n", sum);
  return 0;
}
