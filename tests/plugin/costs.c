/* Loops whose iterations cost what the plugin finds, and loops of which it must find nothing. Each
 * prints how many rounds of inner loops the busiest thread ran, in percent of the mean: schedules
 * that go by costs bring it near to 100. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 4000, most_threads = 16 };
static long ran[most_threads][16];

static int* row; /* of a matrix in rows: the first rows are long */

static void show(const char* what) {
  long most = 0;
  long sum = 0;
  const int threads = omp_get_max_threads();
  for (int t = 0; t < threads; ++t) {
    if (ran[t][0] > most) most = ran[t][0];
    sum += ran[t][0];
    ran[t][0] = 0;
  }
  printf("%s %ld %ld\n", what, 100 * most * threads / (sum > 0 ? sum : 1), sum);
}

static void rows(void) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    long s = 0;
    for (int j = row[i]; j < row[i + 1]; ++j) s += 1;
    ran[omp_get_thread_num()][0] += s;
  }
  show("rows");
}

static void rows_backwards(void) {
#pragma omp parallel for
  for (int i = n - 1; i >= 0; --i) {
    const int begin = row[i], end = row[i + 1];
    for (int j = end; j > begin; --j) ran[omp_get_thread_num()][0] += 1;
  }
  show("rows-backwards");
}

static void triangle(void) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; j += 2) ran[omp_get_thread_num()][0] += 1;
  show("triangle");
}

/* Of the rest nothing can be said before the loop: it must only run. */

static void under_a_condition(int** lists) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (lists[i] != NULL)
      for (int j = 0; j < lists[i][0]; ++j) ran[omp_get_thread_num()][0] += 1;
  show("condition");
}

static void made_in_the_loop(int** lists) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    lists[i] = malloc(sizeof(int));
    lists[i][0] = i % 10;
    for (int j = 0; j < lists[i][0]; ++j) ran[omp_get_thread_num()][0] += 1;
    free(lists[i]);
    lists[i] = NULL;
  }
  show("made");
}

static void chosen(const int* short_one) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const int count = i < 10 ? short_one[i] : 5;
    for (int j = 0; j < count; ++j) ran[omp_get_thread_num()][0] += 1;
  }
  show("chosen");
}

int main(void) {
  row = malloc((n + 1) * sizeof *row);
  row[0] = 0;
  for (int i = 0; i < n; ++i) row[i + 1] = row[i] + 1 + 200000 / (i + 100);
  int** lists = calloc(n, sizeof *lists);
  int* short_one = calloc(10, sizeof *short_one);
  lists[7] = malloc(sizeof(int));
  lists[7][0] = 100;
  rows();
  rows_backwards();
  triangle();
  under_a_condition(lists);
  free(lists[7]);
  made_in_the_loop(lists);
  chosen(short_one);
  free(lists);
  free(short_one);
  free(row);
}
