/* A static loop and a dynamic one, for steering.sh. */
#include <stdio.h>

static double values[100000];

static void static_loop(void) {
#pragma omp parallel for
  for (int i = 0; i < 100000; ++i) values[i] += i;
}

static void dynamic_loop(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 100000; ++i) values[i] += i;
}

int main(void) {
  for (int n = 0; n < 5; ++n) {
    static_loop();
    dynamic_loop();
  }
  double sum = 0;
  for (int i = 0; i < 100000; ++i) sum += values[i];
  if (sum != 49999500000.0) {
    printf("wrong: %f\n", sum);
    return 1;
  }
  return 0;
}
