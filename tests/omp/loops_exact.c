// Every worksharing loop runs each of its iterations exactly once: all kinds of
// schedule clause, types, directions, steps, `nowait` chains and trip counts.
// The runner repeats it under every schedule of the registry and several P.
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

enum { most = 5000 };
static unsigned char seen[most];
static int failures = 0;

static void expect_once(const char* what, long count) {
  for (long i = 0; i < most; ++i) {
    const unsigned char wanted = i < count;
    if (seen[i] != wanted) {
      printf("%s: iteration %ld of %ld ran %d times\n", what, i, count, seen[i]);
      ++failures;
      break;
    }
  }
  memset(seen, 0, sizeof seen);
}

static void hit(long i) {
  if (i < 0 || i >= most) {
    printf("iteration %ld is out of range\n", i);
    exit(1);
  }
#pragma omp atomic
  seen[i]++;
}

#define UP(...)                                                      \
  do {                                                               \
    PRAGMA(omp parallel) {                                           \
      PRAGMA(omp for __VA_ARGS__)                                    \
      for (long i = 0; i < n; ++i) hit(i);                           \
    }                                                                \
    expect_once("in a region, " #__VA_ARGS__, n);                    \
    PRAGMA(omp parallel for __VA_ARGS__)                             \
    for (long i = 0; i < n; ++i) hit(i);                             \
    expect_once("combined, " #__VA_ARGS__, n);                       \
    PRAGMA(omp parallel for __VA_ARGS__)                             \
    for (long i = 3 * n - 1; i >= 0; i -= 3) hit(i / 3);             \
    expect_once("downward, " #__VA_ARGS__, n);                       \
    PRAGMA(omp parallel for __VA_ARGS__)                             \
    for (unsigned long long i = ULLONG_MAX - n; i < ULLONG_MAX; ++i) \
      hit((long)(i - (ULLONG_MAX - n)));                             \
    expect_once("unsigned long long, " #__VA_ARGS__, n);             \
    PRAGMA(omp parallel) {                                           \
      PRAGMA(omp for __VA_ARGS__)                                    \
      for (unsigned long long i = n; i > 0; --i) hit((long)i - 1);   \
    }                                                                \
    expect_once("unsigned downward, " #__VA_ARGS__, n);              \
  } while (0)

static void all_kinds(long n) {
  UP(schedule(static));
  UP(schedule(static, 7));
  UP(schedule(dynamic));
  UP(schedule(dynamic, 3));
  UP(schedule(guided));
  UP(schedule(guided, 5));
  UP(schedule(runtime));
  UP(schedule(auto));
  UP(schedule(monotonic : dynamic, 2));
  UP(schedule(nonmonotonic : dynamic, 2));
  UP(schedule(nonmonotonic : guided));
  UP(schedule(monotonic : runtime));
  UP(schedule(nonmonotonic : runtime));
}

// More loops in flight than a team has slots for, of which some are empty.
static void nowait_chain(void) {
  static int counts[64];
  memset(counts, 0, sizeof counts);
#pragma omp parallel
  for (int loop = 0; loop < 64; ++loop) {
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < (loop % 3) * 20; ++i) {
#pragma omp atomic
      counts[loop]++;
    }
  }
  for (int loop = 0; loop < 64; ++loop) {
    if (counts[loop] != (loop % 3) * 20) {
      printf("nowait: loop %d ran %d iterations, not %d\n", loop, counts[loop], (loop % 3) * 20);
      ++failures;
    }
  }
}

// Negative bounds, and steps that overshoot the end of the type.
static void edges(void) {
  long sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
  for (int i = INT_MAX - 10; i < INT_MAX - 2; i += 4) sum += INT_MAX - i;
  if (sum != 10 + 6) printf("int's end: %ld, not 16\n", sum), ++failures;
  sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (long i = LONG_MIN; i < LONG_MIN + 5; ++i) sum += i - LONG_MIN;
  if (sum != 10) printf("long's beginning: %ld, not 10\n", sum), ++failures;
  sum = 0;
#pragma omp parallel for schedule(guided) reduction(+ : sum)
  for (unsigned long long i = 0; i < ULLONG_MAX / 8 * 4; i += ULLONG_MAX / 8) sum += 1;
  if (sum != 4) printf("huge steps: %ld, not 4\n", sum), ++failures;
  sum = 0;
#pragma omp parallel for schedule(dynamic, 1000000000000000000) reduction(+ : sum)
  for (long i = -20; i < 20; i += 3) sum += i;
  if (sum != -7) printf("huge chunk: %ld, not -7\n", sum), ++failures;
}

static void last_and_collapsed(void) {
  long last = -1, sum = 0;
#pragma omp parallel for schedule(runtime) lastprivate(last)
  for (long i = 0; i < 777; ++i) last = i;
  if (last != 776) printf("lastprivate: %ld, not 776\n", last), ++failures;
#pragma omp parallel for collapse(3) schedule(dynamic, 3) reduction(+ : sum)
  for (int a = 0; a < 7; ++a)
    for (int b = 0; b < 11; ++b)
      for (int c = 0; c < 13; ++c) sum += a * 10000 + b * 100 + c;
  if (sum != 30000L * 1001 + 500 * 1001 + 6 * 1001) printf("collapse: %ld\n", sum), ++failures;
}

static void nested(void) {
  long sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
  for (int i = 0; i < 20; ++i) {
    long inner = 0;
#pragma omp parallel for schedule(guided) reduction(+ : inner)
    for (int j = 0; j < 50; ++j) inner += j;
    sum += inner;
  }
  if (sum != 20 * 1225) printf("nested: %ld, not %d\n", sum, 20 * 1225), ++failures;
}

int main(void) {
  static const long counts[] = {0, 1, 2, 15, 16, 17, 100, 1023, 1600};
  for (unsigned c = 0; c < sizeof counts / sizeof *counts; ++c) all_kinds(counts[c]);
  for (int round = 0; round < 20; ++round) nowait_chain();
  edges();
  last_and_collapsed();
  nested();
  if (failures == 0) puts("every iteration ran exactly once");
  return failures != 0;
}
