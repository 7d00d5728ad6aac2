/* firstprivate arrays of many sizes: each task has its own copy, whichever way the memory for it is
 * found, executed at once, by others, with dependences or a priority. */
#include <omp.h>
#include <string.h>

#include "check.h"

#define MAKE(bytes)                                                                              \
  static void make_##bytes(void) {                                                               \
    unsigned char all[bytes], sum = 0;                                                           \
    for (int i = 0; i < 40; ++i) {                                                               \
      memset(all, i + 1, sizeof all);                                                            \
      _Pragma("omp task firstprivate(all, i)") {                                                 \
        int wrong = 0;                                                                           \
        for (int k = 0; k < bytes; ++k) wrong += all[k] != i + 1;                                \
        CHECK(wrong == 0);                                                                       \
        memset(all, 0, sizeof all);                                                              \
      }                                                                                          \
      _Pragma("omp task firstprivate(all, i) depend(inout : sum) shared(sum) priority(i % 3)") { \
        CHECK(all[0] == i + 1 && all[bytes - 1] == i + 1);                                       \
        ++sum;                                                                                   \
      }                                                                                          \
    }                                                                                            \
    _Pragma("omp taskwait") CHECK(sum == 40);                                                    \
  }
MAKE(1)
MAKE(60)
MAKE(200)
MAKE(440)
MAKE(560)
MAKE(1200)
MAKE(4100)
MAKE(16500)
MAKE(17000)
MAKE(70000)

static void make_all(void) {
  make_1();
  make_60();
  make_200();
  make_440();
  make_560();
  make_1200();
  make_4100();
  make_16500();
  make_17000();
  make_70000();
}

int main(void) {
  for (int threads = 1; threads <= 8; threads *= 2) {
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
      make_all();
#pragma omp barrier
      make_all();
    }
  }
  return check_result();
}
