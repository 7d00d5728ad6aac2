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

/* As the triangle, one loop further inside. */
static void pyramid(void) {
  enum { side = 300 };
#pragma omp parallel for
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < i; ++j)
      for (int k = j; k < i; ++k) ran[omp_get_thread_num()][0] += 1;
  show("pyramid");
}

/* The rows of a row's columns. */
static void two_hops(const int* column) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    long s = 0;
    for (int j = row[i]; j < row[i + 1]; ++j)
      for (int k = row[column[j]]; k < row[column[j] + 1]; ++k) s += 1;
    ran[omp_get_thread_num()][0] += s;
  }
  show("two-hops");
}

/* One of two loops, of which the larger counts. */
static void either(void) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (row[i] % 2 == 0)
      for (int j = 0; j < n - i; ++j) ran[omp_get_thread_num()][0] += 1;
    else
      for (int j = 0; j < n - i; j += 1) ran[omp_get_thread_num()][0] += 1;
  }
  show("either");
}

static __attribute__((noinline)) long weighed(long x) { return x > 3 ? 1 : 1 + (x >> 10); }
static void calls(void) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    long s = 0;
    for (int j = row[i]; j < row[i + 1]; ++j) s += weighed(j);
    ran[omp_get_thread_num()][0] += s;
  }
  show("calls");
}

/* Without a region of its own: its threads hand over the parameters. */
static void shared_rows(const int* begin, const int* end, int last) {
#pragma omp for
  for (int i = 0; i < last; ++i)
    for (int j = begin[i]; j < end[i]; ++j) ran[omp_get_thread_num()][0] += 1;
}
static void orphaned(void) {
#pragma omp parallel
  shared_rows(row, row + 1, n);
  show("orphaned");
}

/* Of loops that may be left early the most is said. */
static void early(const int* column) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    long s = 0;
    for (int j = row[i]; j < row[i + 1] && column[j] >= 0; ++j) {
      if (column[j] == n) break;
      s += 1;
    }
    ran[omp_get_thread_num()][0] += s;
  }
  show("early");
}

/* COWS, Figure 1. */
struct node;
struct nodes {
  struct node** at;
};
struct node {
  int degree, data;
  struct nodes neighbors;
};
struct graph {
  int count;
  struct nodes vertices;
};
/* GCC 16 inlines it so early under UBSan only if it must. */
static inline __attribute__((always_inline)) struct node* elem_at(const struct nodes* of, int i) { return of->at[i]; }
void figure_1(const struct graph* g) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < g->count; i++) {
      struct node* cur = elem_at(&g->vertices, i);
      const int p = cur->data;
      for (int j = 0; j < cur->degree; j++) {
        const struct node* neighbor = elem_at(&cur->neighbors, j);
        if (neighbor->data > p) cur->data = neighbor->data;
      }
    }
  }
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
  pyramid();
  int* column = malloc(row[n] * sizeof *column);
  for (int j = 0; j < row[n]; ++j) column[j] = (int)((long)j * 7919 % n);
  two_hops(column);
  orphaned();
  early(column);
  free(column);
  either();
  calls();
  under_a_condition(lists);
  free(lists[7]);
  made_in_the_loop(lists);
  chosen(short_one);
  free(lists);
  free(short_one);
  free(row);
}
