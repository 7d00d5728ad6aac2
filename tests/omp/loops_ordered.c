// `ordered` regions run in the order of the iterations, and doacross sinks wait
// for their sources. The runner repeats it under every schedule of the registry.
#include <omp.h>
#include <stdio.h>

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

enum { count = 600 };
static int failures = 0;

#define IN_ORDER(...)                                                                    \
  do {                                                                                   \
    long next = 0;                                                                       \
    PRAGMA(omp parallel for ordered __VA_ARGS__)                                         \
    for (long i = 0; i < count; ++i) {                                                   \
      PRAGMA(omp ordered) {                                                              \
        if (next != i) {                                                                 \
          printf(#__VA_ARGS__ ": iteration %ld came when it was %ld's turn\n", i, next); \
          ++failures;                                                                    \
        }                                                                                \
        ++next;                                                                          \
      }                                                                                  \
    }                                                                                    \
    if (next != count) printf(#__VA_ARGS__ ": %ld iterations\n", next), ++failures;      \
  } while (0)

// Not every iteration enters its ordered region, and work comes before it.
static void sometimes(void) {
  long last = -1;
#pragma omp parallel for ordered schedule(runtime)
  for (long i = 0; i < count; ++i) {
    volatile double work = 1;
    for (int k = 0; k < (i * 7) % 50; ++k) work = work * 1.5 - k;
    if (i % 3 != 0) continue;
#pragma omp ordered
    {
      if (last >= i) printf("sometimes: %ld after %ld\n", i, last), ++failures;
      last = i;
    }
  }
  if (last != count - count % 3 - (count % 3 == 0 ? 3 : 0)) {
    printf("sometimes: the last one was %ld\n", last);
    ++failures;
  }
}

static void downward(void) {
  long next = count - 1;
#pragma omp parallel for ordered schedule(runtime)
  for (unsigned long long i = count - 1; i > 0; --i) {
#pragma omp ordered
    {
      if (next != (long)i) printf("downward: %lld, not %ld\n", (long long)i, next), ++failures;
      --next;
    }
  }
}

// A wavefront: each cell is the sum of its upper and left neighbours.
#define WAVEFRONT(...)                                                                      \
  do {                                                                                      \
    static double grid[40][50];                                                             \
    for (int i = 0; i < 40; ++i)                                                            \
      for (int j = 0; j < 50; ++j) grid[i][j] = i == 0 || j == 0;                           \
    PRAGMA(omp parallel for ordered(2) __VA_ARGS__)                                         \
    for (int i = 1; i < 40; ++i)                                                            \
      for (int j = 1; j < 50; ++j) {                                                        \
        PRAGMA(omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1))                 \
        grid[i][j] = 0.5 * (grid[i - 1][j] + grid[i][j - 1]) + (i * j) % 3;                 \
        PRAGMA(omp ordered depend(source))                                                  \
      }                                                                                     \
    static double alone[40][50];                                                            \
    for (int i = 0; i < 40; ++i)                                                            \
      for (int j = 0; j < 50; ++j)                                                          \
        alone[i][j] =                                                                       \
            i == 0 || j == 0 ? 1 : 0.5 * (alone[i - 1][j] + alone[i][j - 1]) + (i * j) % 3; \
    for (int i = 0; i < 40; ++i)                                                            \
      for (int j = 0; j < 50; ++j)                                                          \
        if (alone[i][j] != grid[i][j]) {                                                    \
          printf("doacross " #__VA_ARGS__ ": cell %d,%d\n", i, j);                          \
          ++failures;                                                                       \
          i = j = 1000;                                                                     \
        }                                                                                   \
  } while (0)

int main(void) {
  for (int round = 0; round < 3; ++round) {
    IN_ORDER(schedule(static));
    IN_ORDER(schedule(static, 3));
    IN_ORDER(schedule(dynamic));
    IN_ORDER(schedule(dynamic, 5));
    IN_ORDER(schedule(guided));
    IN_ORDER(schedule(runtime));
    sometimes();
    downward();
    WAVEFRONT(schedule(static));
    WAVEFRONT(schedule(static, 1));
    WAVEFRONT(schedule(dynamic, 2));
    WAVEFRONT(schedule(guided));
    WAVEFRONT(schedule(runtime));
  }
  if (failures == 0) puts("everything came in its turn");
  return failures != 0;
}
