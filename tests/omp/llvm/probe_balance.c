/* How even the parts of a triangle's loop become. Counts the iterations of the inner loops that
 * each thread runs and the seconds from its first iteration to its last, and says by call how
 * many the busiest ran and how long the slowest took, each in percent of the mean:
 *   probe_balance           exit status 1 unless the calls after the first are balanced, by the
 * median: in seconds, for one CPU may be faster than another; or in iterations, for seconds may be
 * disturbed
 *   probe_balance shrinks   the same of a loop that is a little shorter in each call */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  rows = 6000,
  calls = 40,
  to_learn = 10,
  most_percent = 105,
  attempts = 5,
  most_threads = 64
};

static double inputs[rows];
static volatile double values[rows]; /* volatile: it is never read, and must be computed */

typedef struct {
  double iterations, began, seconds;
  char apart[104]; /* a cache line or two */
} part;
static part done[most_threads];

static void triangle(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    part* const mine = &done[omp_get_thread_num()];
    if (mine->iterations == 0) mine->began = omp_get_wtime();
    double sum = 0;
    for (int j = 0; j <= i; ++j) sum += inputs[j] * inputs[j];
    values[i] = sum > 1 ? 1 : 0.5;
    mine->iterations += i + 1;
    mine->seconds = omp_get_wtime() - mine->began;
  }
}

static int by_size(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static int percent_of_mean(double most, double sum, int threads) {
  return (int)(100 * most * threads / sum);
}

static int median(int of[calls]) {
  qsort(of + to_learn, calls - to_learn, sizeof *of, by_size);
  return of[(calls + to_learn) / 2];
}

static int balanced(int shrinks) {
  int iterations[calls], seconds[calls];
  for (int k = 0; k < calls; ++k) {
    const int threads = omp_get_max_threads();
    for (int t = 0; t < threads; ++t) done[t] = (part){0};
    triangle(shrinks ? rows - 50 * k : rows);
    part sum = {0}, most = {0};
    for (int t = 0; t < threads; ++t) {
      sum.iterations += done[t].iterations;
      sum.seconds += done[t].seconds;
      if (done[t].iterations > most.iterations) most.iterations = done[t].iterations;
      if (done[t].seconds > most.seconds) most.seconds = done[t].seconds;
    }
    iterations[k] = percent_of_mean(most.iterations, sum.iterations, threads);
    seconds[k] = percent_of_mean(most.seconds, sum.seconds, threads);
    printf("%d %d, ", iterations[k], seconds[k]);
  }
  const int in_iterations = median(iterations), in_seconds = median(seconds);
  printf("medians %d %d\n", in_iterations, in_seconds);
  return in_iterations <= most_percent || in_seconds <= most_percent;
}

int main(int count, char** arguments) {
  (void)arguments;
  if (omp_get_max_threads() > most_threads) return 2;
  for (int i = 0; i < rows; ++i) inputs[i] = count; /* what the compiler does not know */
  for (int k = 0; k < attempts; ++k) {
    if (balanced(count > 1)) return 0;
  }
  return 1;
}
