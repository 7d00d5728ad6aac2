#!/bin/bash
# What the pass plugin finds of Clang's loops balances them, and a program is what it is without it:
#   costs.sh BIN OMP CLANG SOURCES
set -u
bin=$1
omp=$2
clang=$3
sources=$4
here=$(dirname "$(readlink -f "$0")")
source "$here/../common.sh"
export OMP_NUM_THREADS=4
export DOALL_CC=$clang DOALL_CXX=${clang/clang/clang++}

# busiest PROGRAM LOOP SCHEDULE: the busiest thread's rounds in percent of the mean.
busiest() { DOALL_SCHEDULE=$3 LD_LIBRARY_PATH=$omp "./$1" | sed -n "s/^$2 \([0-9]*\) .*/\1/p"; }

"$bin/doall" cc --explain "$sources/costs.c" >found || failed "--explain"
for words in 'g\[1\]\[k\]\[0\] > 0 ? g\[1\]\[k\]\[0\] \* [0-9]* ' 'sum(p < k: ' 'unknown: ' \
  'row\[k\] < row\[k + 1\] ? ' 'at most (row'; do
  grep -q "costs [a-z]*:.*$words" found || grep -q "$words" found || failed "no loop costs $words: $(cat found)"
done

"$clang" -O2 -fopenmp "$sources/costs.c" -o plain || failed "$clang"
./plain | sed 's/ [0-9]* / /' >right
for level in -O0 -O1 -O2 -O3 '-O2 -no-pie'; do
  # shellcheck disable=SC2086
  "$bin/doall" cc -fopenmp -fdoall-static -Wall -Werror $level "$sources/costs.c" -o app || failed "compiling by $level"
  ./app >out || failed "$level, LLVM's libomp"
  cmp -s <(./plain) out || failed "$level, LLVM's libomp: $(cat out)"
  for schedule in best-static auto; do
    DOALL_SCHEDULE=$schedule LD_LIBRARY_PATH=$omp ./app 2>&1 | sed 's/ [0-9]* / /' | cmp - right ||
      failed "$level, $schedule: other answers"
  done
  [ "$level" = -O0 ] && continue
  for loop in rows-backwards triangle pyramid two-hops orphaned early either calls; do
    of_plain=$(busiest plain $loop best-static)
    steered=$(busiest app $loop best-static)
    [ "$of_plain" -gt 120 ] || failed "$loop without costs: $of_plain percent"
    [ "$steered" -le 103 ] || failed "$level, $loop by best-static: $steered percent"
  done
done
"$bin/doall" doctor ./app >doctor || failed "doctor"
grep -q 'loops that doall compiled *13: [0-9]* weighted by costs' doctor || failed "doctor: $(cat doctor)"

# Loops whose chunks the code asks for tell their costs, too.
sed 's/omp parallel for/& schedule(runtime)/' "$sources/costs.c" >runtime.c
"$bin/doall" cc -fopenmp -O2 runtime.c -o runtime || failed "schedule(runtime)"
for loop in triangle pyramid two-hops; do
  by_env=$(OMP_SCHEDULE=best-static LD_LIBRARY_PATH=$omp ./runtime | sed -n "s/^$loop \([0-9]*\) .*/\1/p")
  [ "$by_env" -le 103 ] || failed "$loop, schedule(runtime): $by_env percent"
done

# Loops without a barrier between them keep equal blocks, whatever their costs are: each thread reads
# what it has written itself.
cat >pairs.c <<'EOF'
#include <stdio.h>
enum { n = 3000 };
static double a[n], b[n];
__attribute__((noinline)) static void behind(void) {
#pragma omp for
  for (int i = 0; i < n; ++i) b[i] += a[i];
}
int main(void) {
  int wrong = 0;
  for (int t = 1; t <= 50; ++t) {
#pragma omp parallel
    {
#pragma omp for nowait
      for (int i = 0; i < n; ++i) { double s = 0; for (int j = 0; j < i; ++j) s += j * 1e-9 * t; a[i] = t + s * 0; }
#pragma omp for
      for (int i = 0; i < n; ++i) b[i] = a[i];
#pragma omp for nowait
      for (int i = 0; i < n; ++i) { double s = 0; for (int j = i; j < n; ++j) s += j * 1e-9 * t; a[i] += s * 0; }
      behind();
    }
    for (int i = 0; i < n; ++i) wrong += b[i] != 2 * t;
  }
  printf("%d\n", wrong);
}
EOF
kept() { "$bin/doall" cc --explain "$@" pairs.c | grep -c "not steered by costs: $words"; }
words='there may be no barrier'
[ "$(kept -fdoall-static)" -eq 2 ] || failed "pairs: $("$bin/doall" cc --explain -fdoall-static pairs.c)"
words='' # whatever the reason
[ "$(kept)" -eq 4 ] || failed "pairs: $("$bin/doall" cc --explain pairs.c)"
for option in -fdoall-static -fno-doall-static; do
  "$bin/doall" cc -fopenmp -O2 $option pairs.c -o pairs || failed "pairs"
  for schedule in "" best-static auto; do
    out=$(env ${schedule:+"DOALL_SCHEDULE=$schedule"} LD_LIBRARY_PATH=$omp ./pairs)
    [ "$out" = 0 ] || failed "pairs, $option, ${schedule:-unsteered}: $out wrong values"
  done
done

# A function of the library's calls one of the program's, which no name tells.
cat >calls_back.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
enum { n = 4000 };
static double a[n], b[n];
static int by_loops(const void* x, const void* y) {
#pragma omp for
  for (int i = 0; i < n; ++i) b[i] = a[i];
  return (x > y) - (x < y);
}
int (*volatile compares)(const void*, const void*) = by_loops;
int main(void) {
  int wrong = 0;
  int (*compare)(const void*, const void*) = compares;
  for (int t = 1; t <= 50; ++t) {
#pragma omp parallel
    {
      int two[2] = {1, 2};
#pragma omp for nowait
      for (int i = 0; i < n; ++i) { double s = 0; for (int j = 0; j < i; ++j) s += j * 1e-9 * t; a[i] = t + s * 0; }
      qsort(two, 2, sizeof *two, compare);
    }
    for (int i = 0; i < n; ++i) wrong += b[i] != t;
  }
  printf("%d\n", wrong);
}
EOF
"$bin/doall" cc -fopenmp -O2 -fdoall-static calls_back.c -o calls_back || failed "calls_back.c"
out=$(DOALL_SCHEDULE=best-static LD_LIBRARY_PATH=$omp ./calls_back)
[ "$out" = 0 ] || failed "calls_back.c: $out wrong values"

# Iterators, and what is reached through references.
cat >more.cpp <<'EOF'
#include <vector>
long f(const std::vector<std::vector<int>>& rows) {
  long s = 0;
#pragma omp parallel for reduction(+ : s)
  for (const auto& row : rows) for (int v : row) s += v * s;
  return s;
}
EOF
"$bin/doall" c++ --explain more.cpp | grep -q 'weighted: ' || failed "vectors: $("$bin/doall" c++ --explain more.cpp)"

# A function of the program's own whose name begins as OpenMP's do.
sed -i 's/\<behind\>/omp_get_behind/; s/static void omp/void omp/' pairs.c
words='there may be no barrier'
[ "$(kept -fdoall-static)" -eq 2 ] || failed "omp_get_behind: $("$bin/doall" cc --explain -fdoall-static pairs.c)"
"$bin/doall" cc -fopenmp -O2 -fdoall-static pairs.c -o pairs || failed "omp_get_behind"
out=$(DOALL_SCHEDULE=best-static LD_LIBRARY_PATH=$omp ./pairs)
[ "$out" = 0 ] || failed "omp_get_behind: $out wrong values"

# Costs neither read nor count what no iteration reaches: the program ends before, or the loop is left.
export OMP_CANCELLATION=true
for flags in -O1 -O2 -O3; do
  "$clang" -fopenmp $flags "$sources/ends.c" "$sources/leave.c" -o plain
  "$bin/doall" cc -fopenmp $flags -fdoall-static "$sources/ends.c" "$sources/leave.c" -o ends || failed "ends.c $flags"
  for more in '' searched 'never read' 'a call before' 'a call behind it'; do
    # shellcheck disable=SC2086
    found=$(DOALL_SCHEDULE=best-static LD_LIBRARY_PATH=$omp timeout 300 ./ends $more 2>err) ||
      failed "ends.c $flags $more: status $?: $(cat err)"
    [ "$found" = "$(./plain)" ] || failed "ends.c $flags $more: $found"
  done
done
unset OMP_CANCELLATION

# Branches that meet again and again, and values that are used twice, are walked through once.
write_long >long.c
timeout 300 "$bin/doall" cc --explain long.c >walked || failed "long.c: status $?"
[ "$(sed 's/.*costs \([a-z]*\).*/\1/' walked | xargs)" = "weighted weighted guarded" ] || failed "long.c: $(cat walked)"

# Costs of many loops are said, as a formula only if that can be read.
for many in 3 50 120; do
  write_loops $many >many.c
  timeout 300 "$bin/doall" cc --explain many.c >walked || failed "$many loops: status $?"
  words='row\[k + 1\] < row\[k + 2\] ? '
  [ $many = 3 ] || words='\.\.\.; grain'
  grep -q "costs weighted: .*$words" walked && ! grep -q 'weighted: .*\.\.\..* [-+] ' walked ||
    failed "$many loops: $(cat walked)"
done

# A cost function begins as functions do that are called through a pointer.
if "$clang" -print-targets | grep -q aarch64; then
  echo 'void f(int n, const int* row, double* y) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) for (int j = 0; j < row[i]; ++j) y[i] += j;
}' >rows.c
  "$bin/doall" cc --target=aarch64-linux-gnu -mbranch-protection=standard -O2 -fopenmp -S rows.c -o rows.s || failed "AArch64"
  sed -n '/^doall_cost:/,/cfi_endproc/p' rows.s | grep -q -e 'bti\sc' -e 'hint\s#34' -e paciasp || failed "BTI: $(cat rows.s)"
fi

# Loops run as often as is said.
for flags in -O1 -O2 -O3; do
  "$bin/doall" cc -fopenmp $flags -fdoall-prices=0,0,0,0,1,0 -DLOOPS -c "$here/counts.c" -o loops.o &&
    "$clang" -fopenmp -O1 "$here/counts.c" loops.o -o counts || failed "counts.c $flags"
  ./counts >out || failed "counts.c $flags: $(cat out)"
done
cat >exact.c <<'EOF'
void f(int n, const int* row, int* out) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      for (int k = 0; k < row[j]; ++k) out[i] += k;
}
EOF
"$bin/doall" cc --explain exact.c | grep -q 'weighted: (k > 0 ? sum(q < k: ' || failed "exact.c: $("$bin/doall" cc --explain exact.c)"

# Flang, whose options are fewer.
if flang=$(command -v "${clang/clang/flang-new}" "${clang/clang/flang}" | head -n 1) && [ -n "$flang" ]; then
  export DOALL_FC=$flang
  cat >rows.f90 <<'EOF'
program p
  implicit none
  integer :: i, j, row(1001)
  real(8) :: y(1000)
  row = [(i * (i - 1) / 2, i = 1, 1001)]
  y = 0
  !$omp parallel do
  do i = 1, 1000
    do j = row(i), row(i + 1)
      y(i) = y(i) + 1 / (1d0 + j)
    end do
  end do
  if (abs(y(2) - 13d0 / 12) > 1d-9) stop 1
end program
EOF
  "$bin/doall" fortran --explain -O2 rows.f90 >found 2>err || failed "flang --explain: $(cat err)"
  grep -q '^[^:]*:7: .*costs weighted: ' found || failed "flang: $(cat found)"
  for more in '' '-fdoall-static -fdoall-prices=1,2'; do
    # shellcheck disable=SC2086
    "$bin/doall" fortran -O2 -fopenmp $more -c rows.f90 -o rows.o 2>err || failed "flang $more: $(cat err)"
    # shellcheck disable=SC2086
    "$bin/doall" fortran -fopenmp $more rows.o -o rows 2>>err || failed "linked by flang $more: $(cat err)"
    [ ! -s err ] || failed "flang $more says: $(cat err)"
    DOALL_SCHEDULE=best-static LD_LIBRARY_PATH=$omp ./rows || failed "flang $more: status $?"
  done
fi

# Nothing is read that an iteration would not read.
"$bin/doall" cc -g -O1 -fopenmp -fsanitize=address,undefined "$sources/costs.c" -o checked 2>err ||
  failed "ASan: $(cat err)"
"$bin/doall" cc -S -O1 -fopenmp -fsanitize=address "$sources/costs.c" -o - |
  sed -n '/^doall_cost[.0-9]*:/,/cfi_endproc/p' | grep -q __asan_report_load || failed "costs are not checked"
for schedule in best-static auto; do
  LD_LIBRARY_PATH=$omp DOALL_SCHEDULE=$schedule ASAN_OPTIONS=detect_leaks=0 ./checked >out 2>err ||
    failed "ASan under $schedule: status $?"
  ! grep -e 'ERROR: ' -e 'runtime error' err || failed "ASan under $schedule"
done
end
