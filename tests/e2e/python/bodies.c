/* What the tests of the Python package run: bodies in C, and an OpenMP loop of GCC's. */
#include <stdint.h>

int squares(void** arrays, int64_t first, int64_t last) {
  double* out = arrays[0];
  const double* in = arrays[1];
  for (int64_t i = first; i < last; ++i) out[i] += in[i] * in[i];
  return 0;
}

int stops(void** arrays, int64_t first, int64_t last) {
  (void)arrays;
  return first <= 50 && 50 < last ? 7 : 0;
}

int add(void** arrays, int64_t first, int64_t last, void* value) {
  const double* in = arrays[0];
  for (int64_t i = first; i < last; ++i) *(double*)value += in[i];
  return 0;
}

/* Both return arrays[0][0] for the range that has iteration 50. */
int returns(void** arrays, int64_t first, int64_t last) {
  return first <= 50 && 50 < last ? (int)*(const double*)arrays[0] : 0;
}

int returns_of(void** arrays, int64_t first, int64_t last, void* value) {
  (void)value;
  return returns(arrays, first, last);
}

void add_two(void** arrays, void* left, const void* right) {
  (void)arrays;
  *(double*)left += *(const double*)right;
}

long openmp_sum(long n) {
  long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (long i = 0; i < n; ++i) sum += i;
  return sum;
}
