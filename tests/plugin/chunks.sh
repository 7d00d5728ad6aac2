#!/bin/bash
# A chunk that the source names is dealt whole and on its multiples, whatever steers, also by loops
# that the driver hands over: chunks.sh BIN
set -u
bin=$1
source "$(dirname "$(readlink -f "$0")")/common.sh"
export OMP_NUM_THREADS=3

# As of a bitmap's words: the iterations of a chunk have one thread. The last chunk is a short one.
cat >chunks.c <<'END_C'
#include <omp.h>
#include <stdio.h>
enum { n = 5000, chunk = 64 };
static int by[n], first[n];
int main(void) {
  long bad = 0;
  for (int r = 0; r < 5; ++r) {
#pragma omp parallel for SCHEDULE
    for (int i = 0; i < n; ++i) by[i] = omp_get_thread_num();
    for (int i = 0; i < n; ++i) bad += by[i] != by[i / chunk * chunk];
#pragma omp parallel for SCHEDULE
    for (unsigned i = n; i > 0; --i) first[n - i] = omp_get_thread_num();
    if (UNSIGNED)
      for (int i = 0; i < n; ++i) bad += first[i] != first[i / chunk * chunk];
  }
  printf("%ld\n", bad);
}
END_C
for schedule in 'dynamic, 64' 'guided, 64' 'static, 64'; do
  for flags in '' -fdoall-static -fno-doall-runtime; do
    # GCC's own dynamic loops do not count down in an unsigned type.
    right=1
    case $schedule-$flags in static*) ;; *runtime) right=0 ;; esac
    "$bin/doall" cc -O1 -fopenmp ${flags:+"$flags"} "-DSCHEDULE=schedule($schedule)" -DUNSIGNED=$right chunks.c -o chunks ||
      failed "compiling $schedule $flags"
    for s in $("$bin/doall" schedules | sed -n '2,/^$/s/^\([a-z+-]*\) .*/\1/p'); do
      found=$("$bin/doall" run --schedule="$s" ./chunks 2>err)
      [ "$found" = 0 ] || failed "schedule($schedule) $flags under $s: $found apart"
    done
  done
done
end
