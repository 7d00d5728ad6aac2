/* Loops as programs have them, without a schedule clause: what a compiler that makes them steerable
 * must not make slower.
 *
 * unsteered KERNEL: prints the median time of a run in nanoseconds, and a checksum. */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 1 << 21, side = 1024, cube = 96, band = 13, runs_most = 400 };
static double *a, *b, *c;
static int *column, *row;

/* STREAM's triad. */
static void triad(void) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
}

/* Five points of a plane. */
static void stencil(void) {
#pragma omp parallel for
  for (int i = 1; i < side - 1; ++i)
    for (int j = 1; j < side - 1; ++j)
      a[i * side + j] = 0.25 * (b[(i - 1) * side + j] + b[(i + 1) * side + j] +
                                b[i * side + j - 1] + b[i * side + j + 1]);
}

/* Three sweeps in one region, the second without a barrier before the third. */
static void sweeps(void) {
  enum { small = 1 << 16 };
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < small; ++i) a[i] = b[i] + c[i];
#pragma omp for nowait
    for (int i = 0; i < small; ++i) b[i] = i * 0.5;
#pragma omp for
    for (int i = 0; i < small; ++i) c[i] = i * 0.25;
  }
}

/* The residual of a multigrid method, as NPB's MG has it. */
static void residual(void) {
#define at(of, i, j, k) of[((i) * cube + (j)) * cube + (k)]
#pragma omp parallel for collapse(2)
  for (int i = 1; i < cube - 1; ++i)
    for (int j = 1; j < cube - 1; ++j)
      for (int k = 1; k < cube - 1; ++k)
        at(a, i, j, k) = at(c, i, j, k) - 0.5 * at(b, i, j, k) -
                         0.1 * (at(b, i - 1, j, k) + at(b, i + 1, j, k) + at(b, i, j - 1, k) +
                                at(b, i, j + 1, k) + at(b, i, j, k - 1) + at(b, i, j, k + 1));
#undef at
}

/* A conjugate gradient's steps: rows of one length, a dot product, an update. */
static void gradient(void) {
  enum { rows = n / band };
  double dot = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int j = row[i]; j < row[i + 1]; ++j) sum += c[j] * b[column[j]];
      a[i] = sum;
    }
#pragma omp for reduction(+ : dot)
    for (int i = 0; i < rows; ++i) dot += a[i] * b[i];
#pragma omp for
    for (int i = 0; i < rows; ++i) a[i] += 1e-9 * dot * b[i];
  }
}

/* Pairs of random numbers, as NPB's EP has them. */
static void pairs(void) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 4096; ++i) {
    uint64_t random = (uint64_t)i * 0x9e3779b97f4a7c15U + 1;
    for (int j = 0; j < 256; ++j) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      const double x = (double)(random >> 40) * 0x1p-23 - 1;
      const double y = (double)(random >> 16 & 0xffffff) * 0x1p-23 - 1;
      if (x * x + y * y <= 1) sum += fabs(x) > fabs(y) ? x : y;
    }
  }
  a[0] = sum;
}

static const struct {
  const char* name;
  void (*run)(void);
} kernels[] = {{"triad", triad},       {"stencil", stencil},   {"sweeps", sweeps},
               {"residual", residual}, {"gradient", gradient}, {"pairs", pairs}};

static int by_size(const void* x, const void* y) {
  const double of = *(const double*)x;
  const double to = *(const double*)y;
  return (of > to) - (of < to);
}

int main(int argc, char** argv) {
  a = malloc(n * sizeof *a);
  b = malloc(n * sizeof *b);
  c = malloc(n * sizeof *c);
  column = malloc(n * sizeof *column);
  row = malloc((n / band + 1) * sizeof *row);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) {
    a[i] = 0;
    b[i] = i % 10;
    c[i] = i % 7;
    column[i] = (int)((int64_t)i * 7919 % (n / band));
  }
  for (int i = 0; i <= n / band; ++i) row[i] = i * band;
  for (size_t k = 0; argc > 1 && k < sizeof kernels / sizeof kernels[0]; ++k) {
    if (strcmp(argv[1], kernels[k].name) != 0) continue;
    double times[runs_most];
    int runs = 0;
    const double end = omp_get_wtime() + 0.06;
    while (runs < 8 || (runs < runs_most && omp_get_wtime() < end)) {
      const double began = omp_get_wtime();
      kernels[k].run();
      times[runs++] = omp_get_wtime() - began;
    }
    qsort(times, runs, sizeof times[0], by_size);
    printf("%.0f %g\n", times[runs / 2] * 1e9, a[side + 5]);
    return 0;
  }
  return 2;
}
