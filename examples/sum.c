/* first.cpp in C: the sum of 1/k^2 up to a million, with the very same digits. */
#include <doall/doall.h>

#include <stdio.h>

enum { n = 1000000 };

static int invert(void* context, int64_t i) {
  double* x = context;
  x[i] = 1.0 / (double)(i + 1);
  return 0; /* anything else would stop the loop */
}

static int add_squares(void* context, int64_t first, int64_t last, void* view) {
  const double* x = context;
  double sum = *(double*)view;
  for (int64_t i = first; i < last; ++i) sum += x[i] * x[i];
  *(double*)view = sum;
  return 0;
}

static void add(void* context, void* left, const void* right) {
  (void)context;
  *(double*)left += *(const double*)right;
}

int main(void) {
  static double x[n];
  doall_schedule guided;
  char why[256];
  if (doall_schedule_parse("guided,1000", &guided, why, sizeof why) != 0) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  doall_for(0, n, invert, x, &(doall_options){.schedule = &guided});

  double sum = 0;
  if (doall_reduce(0, n, &sum, sizeof sum, add_squares, add, x, NULL) != 0) return 1;
  printf("%.17g\n", sum);
  return 0;
}
