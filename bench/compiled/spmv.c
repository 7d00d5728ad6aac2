/* A sparse matrix times a vector, by rows: the loop as everybody writes it. The rows are sorted by
 * their length, which falls off by a power law, as in a graph's adjacency matrix.
 *
 * spmv [PRODUCTS]: prints the median time of a product in nanoseconds, and the result's sum. */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 200000, most_products = 1000 };

static void multiply(const int64_t* start, const int* column, const double* value, const double* x,
                     double* y) {
#pragma omp parallel for
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int64_t j = start[i]; j < start[i + 1]; ++j) sum += value[j] * x[column[j]];
    y[i] = sum;
  }
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  const int products = argc > 1 ? atoi(argv[1]) : 1;
  if (products < 1 || products > most_products) return 2;
  int64_t* start = malloc((rows + 1) * sizeof *start);
  start[0] = 0;
  for (int i = 0; i < rows; ++i)
    start[i + 1] = start[i] + 1 + (int64_t)(48e6 * pow(i + 1000, -1.5));
  int* column = malloc((size_t)start[rows] * sizeof *column);
  double* value = malloc((size_t)start[rows] * sizeof *value);
  uint32_t random = 1;
  for (int64_t j = 0; j < start[rows]; ++j) {
    random = random * 1664525 + 1013904223;
    column[j] = (int)((uint64_t)random * rows >> 32);
    value[j] = 0.5;
  }
  double* x = malloc(rows * sizeof *x);
  double* y = malloc(rows * sizeof *y);
  for (int i = 0; i < rows; ++i) x[i] = i % 8;

  double times[most_products];
  for (int p = 0; p < products; ++p) {
    const double begin = omp_get_wtime();
    multiply(start, column, value, x, y);
    times[p] = omp_get_wtime() - begin;
  }
  qsort(times, products, sizeof times[0], by_size);
  double sum = 0;
  for (int i = 0; i < rows; ++i) sum += y[i];
  printf("%.0f %.1f\n", times[products / 2] * 1e9, sum);
  free(y);
  free(x);
  free(value);
  free(column);
  free(start);
}
