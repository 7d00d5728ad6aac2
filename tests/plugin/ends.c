/* Loops whose costs must neither read nor count what no iteration reaches: the program ends before,
 * or the loop is left. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
struct node {
  int n;
};
static struct node ***row, **one;
__attribute__((noinline)) static double lists(int rows, int cap) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cap; ++j) {
      struct node* p = row[i][j];
      if (!p) break;
      for (int q = 0; q < p->n; ++q) s += q * 0.5;
    }
  return s;
}
__attribute__((noinline)) static double steps(int rows) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < rows; ++i) {
    unsigned long x = i + 1;
    for (int step = 0; step < 2000000000; ++step) {
      if (x <= 1) break;
      for (int k = 0; k < (step & 7) + i % 5; ++k) s += k;
      x = x & 1 ? 3 * x + 1 : x / 2;
    }
  }
  return s;
}
__attribute__((noinline)) static double rooms(int rows, int deep) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < deep; ++j)
      for (long k = 0; k < 2000000000; ++k)
        for (int q = 0; q < k % 7 + i; ++q) s += q;
  return s;
}
__attribute__((noinline)) static double cancelled(int rows) {
  double s = 0;
#pragma omp parallel
#pragma omp for reduction(+ : s)
  for (int i = 0; i < rows; ++i) {
    if (!one[i]) {
#pragma omp cancel for
    }
    for (int q = 0; q < one[i]->n; ++q) s += q;
  }
  return s;
}
__attribute__((noinline)) static double searched(int rows) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < rows; ++i) {
    if (!one[i]) exit(0);
    for (int q = 0; q < one[i]->n; ++q) s += q;
  }
  return s;
}
void leave(int at);
__attribute__((noinline)) static double searched_deep(int rows) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < 2000000000; ++j) {
      leave(j);
      for (int q = 0; q < j % 7 + i; ++q) s += q;
    }
  return s;
}
__attribute__((noinline)) static double searched_before(int rows) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < rows; ++i) {
    leave(7);
    for (int j = 0; j < 2000000000; ++j)
      for (int q = 0; q < j % 7 + i; ++q) s += q;
  }
  return s;
}
__attribute__((noinline)) static double searched_behind(int rows) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < rows; ++i) {
    const int m = i % (rows / 4) * 20000000 + 1;
    for (int j = 0; j < m; ++j)
      for (int q = 0; q < j % 7 + i; ++q) s += q;
    leave(7);
  }
  return s;
}
__attribute__((noinline)) static double cancelled_deep(int rows) {
  double s = 0;
#pragma omp parallel
#pragma omp for reduction(+ : s)
  for (int i = 0; i < rows; ++i) {
    if (!one[i]) {
#pragma omp cancel for
    }
    for (int j = 0; j < 2000000000; ++j)
      for (int q = 0; q < j % 7 + i; ++q) s += q;
  }
  return s;
}
__attribute__((noinline)) static double asked(int rows, int* all, const int* length) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < rows; ++i) {
    int* kind = all + i;
    int chunk;
    omp_get_schedule((omp_sched_t*)kind, &chunk);
    const int m = (*kind & 0x3fffffff) + 1;
    for (int j = 0; j < m; ++j)
      for (int q = 0; q < length[j] + i; ++q) s += q;
  }
  return s;
}
__attribute__((noinline)) static double unread(int rows, const int* nowhere) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < rows; ++i) {
    leave(7);
    for (int q = 0; q < *nowhere + i; ++q) s += q;
  }
  return s;
}
int main(int argc, char** argv) {
  enum { rows = 400, cap = 50 };
  int length[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  int* all = malloc(rows * sizeof *all);
  for (int i = 0; i < rows; ++i) all[i] = 1000000000;
  printf("%.1f\n", asked(rows, all, length));
  row = calloc(rows, sizeof *row);
  one = calloc(rows, sizeof *one);
  for (int i = 0; i < rows; ++i) {
    row[i] = calloc(cap, sizeof **row);
    for (int j = 0; j < i % cap; ++j) {
      row[i][j] = malloc(sizeof(struct node));
      row[i][j]->n = (i * 7 + j) % 300;
    }
  }
  printf("%.1f %.1f %.1f\n", lists(rows, cap), steps(rows), rooms(rows, 0));
  fflush(stdout);
  cancelled(rows);
  cancelled_deep(rows);
  if (argc > 4) searched_behind(rows);
  if (argc > 3) searched_before(rows);
  if (argc > 2) unread(rows, argv[argc] == NULL ? NULL : all);
  if (argc > 1) searched(rows);
  searched_deep(rows);
}
