// A region's threads compute as the thread that met it does: they take over its
// rounding and its flushing of tiny numbers, and keep nothing of what an earlier
// region's body set.
#include <fenv.h>
#include <omp.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "check.h"

static void set_flush(int on) {
#if defined(__x86_64__)
  _mm_setcsr((_mm_getcsr() & ~0x8000u) | (on ? 0x8000u : 0));
#else
  (void)on;
#endif
}

static int flushes(void) {
#if defined(__x86_64__)
  return (_mm_getcsr() & 0x8000u) != 0;
#else
  return 0;
#endif
}

static volatile double one = 1, three = 3;
static volatile long double one_x87 = 1, three_x87 = 3;

int main(void) {
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
  enum { threads = 4 };
  for (int round = 0; round < 200; ++round) {
    const int mode = modes[round % 4];
    fesetround(mode);
    set_flush(round % 3 == 0);
    const int flush = flushes();
    const double third = one / three;
    const long double third_x87 = one_x87 / three_x87;
    int ran = 0;
#pragma omp parallel num_threads(threads) reduction(+ : ran)
    {
      CHECK(fegetround() == mode);
      CHECK(flushes() == flush);
      CHECK(one / three == third);
      CHECK(one_x87 / three_x87 == third_x87);
      // What a worker sets and leaves behind must not reach the next region.
      if (omp_get_thread_num() != 0) {
        fesetround(modes[(round + omp_get_thread_num()) % 4]);
        set_flush(!flush);
        volatile double inexact = one / three;  // a sticky flag
        (void)inexact;
      }
      ran += 1;
    }
    CHECK(ran == threads);
    CHECK(fegetround() == mode && flushes() == flush);
  }
  return check_result();
}
