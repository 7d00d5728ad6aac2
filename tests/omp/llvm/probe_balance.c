/* How even the parts of a triangle's loop become. Counts the iterations of the inner loops that
 * each thread runs, and says by call how many the busiest ran, in percent of the mean:
 *   probe_balance           exit status 1 unless the calls after the first are balanced, by the
 * median probe_balance shrinks   the same of a loop that is a little shorter in each call */
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
static long done[most_threads][16];  /* a cache line or two apart */

static void triangle(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j <= i; ++j) sum += inputs[j] * inputs[j];
    values[i] = sum > 1 ? 1 : 0.5;
    done[omp_get_thread_num()][0] += i + 1;
  }
}

static int by_size(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static int median_percent(int shrinks) {
  int found[calls];
  for (int k = 0; k < calls; ++k) {
    const int threads = omp_get_max_threads();
    for (int t = 0; t < threads; ++t) done[t][0] = 0;
    triangle(shrinks ? rows - 50 * k : rows);
    long sum = 0, busiest = 0;
    for (int t = 0; t < threads; ++t) {
      sum += done[t][0];
      if (done[t][0] > busiest) busiest = done[t][0];
    }
    found[k] = (int)(100 * busiest * threads / sum);
    printf("%d ", found[k]);
  }
  qsort(found + to_learn, calls - to_learn, sizeof *found, by_size);
  const int median = found[(calls + to_learn) / 2];
  printf(": %d\n", median);
  return median;
}

int main(int count, char** arguments) {
  (void)arguments;
  if (omp_get_max_threads() > most_threads) return 2;
  for (int i = 0; i < rows; ++i) inputs[i] = count; /* what the compiler does not know */
  for (int k = 0; k < attempts; ++k) {
    if (median_percent(count > 1) <= most_percent) return 0;
  }
  return 1;
}
