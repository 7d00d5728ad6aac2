/* Rows of a triangle, each as long as its number: the loop as everybody writes it.
 *
 * triangle [CALLS]: prints the median time of a call in nanoseconds, and the result's sum. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 6000, most_calls = 1000 };

static double values[rows];
static double sums[rows];

static void sum_up(void) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j <= i; ++j) sum += values[j] * values[j];
    sums[i] = sum;
  }
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  const int calls = argc > 1 ? atoi(argv[1]) : 1;
  if (calls < 1 || calls > most_calls) return 2;
  for (int i = 0; i < rows; ++i) values[i] = i % 8;
  double times[most_calls];
  for (int k = 0; k < calls; ++k) {
    const double begin = omp_get_wtime();
    sum_up();
    times[k] = omp_get_wtime() - begin;
  }
  qsort(times, calls, sizeof times[0], by_size);
  double sum = 0;
  for (int i = 0; i < rows; ++i) sum += sums[i];
  printf("%.0f %.1f\n", times[calls / 2] * 1e9, sum);
}
