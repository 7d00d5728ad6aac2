#!/bin/bash
# Schedules that the source names, in C, C++ and Fortran:
#   names.sh BIN
# BIN is the folder of the command.
set -u
bin=$1
source "$(dirname "$(readlink -f "$0")")/common.sh"
export LC_ALL=C OMP_NUM_THREADS=2
unset DOALL_CC DOALL_CXX DOALL_FC

# reported PROGRAM: LINE-SCHEDULE of each loop that ran, by line.
reported() {
  "$bin/doall" run --report "$1" 2>&1 >out |
    sed -n 's/.*[:(][a-zA-Z0-9_.]*:\([0-9]*\)) *loop  *\([^ ]*\) .*/\1-\2/p' | sort -n | xargs
}
# found DRIVER SOURCE EXPECTED: --explain's lines and schedules.
found() {
  local said
  said=$("$bin/doall" "$1" --explain "$2" | sed -n 's/.*:\([0-9]*\): schedule \(.*\): steered.*/\1-\2/p' | xargs)
  [ "$said" = "$3" ] || failed "$2 names $said, not $3"
}
# refused DRIVER SOURCE PATTERN...: an error of the compiler's, and what it says.
refused() {
  local driver=$1 file=$2
  shift 2
  ! "$bin/doall" "$driver" -fopenmp -c "$file" -o refused.o 2>err || failed "$file is not refused"
  for pattern in "$@"; do grep -q -e "$pattern" err || failed "$file: not said: $pattern: $(cat err)"; done
}

# Every schedule of the registry but OpenMP's own words, in each language: it is what runs, and on
# libgomp the loop is static and right.
names=$("$bin/doall" schedules | sed -n '2,/^$/s/^\([a-z+-]*\) .*/\1/p' | grep -v -x -e static -e dynamic -e guided -e auto)
{
  echo '#include <stdio.h>'
  echo 'static long s; static int a[1000];'
  echo 'int main(void) {'
  for n in $names; do
    echo "#pragma omp parallel for schedule($n)"
    echo 'for (int i = 0; i < 1000; ++i) a[i] += i;'
  done
  echo 'for (int i = 0; i < 1000; ++i) s += a[i];'
  echo 'printf("%ld\n", s); }'
} >all.c
cp all.c all.cpp
{
  echo 'integer :: i, a(0:999) = 0'
  for n in $names; do
    echo "!\$omp parallel do schedule($n)"
    echo 'do i = 0, 999; a(i) = a(i) + i; end do'
  done
  echo 'print "(i0)", sum(a)'
  echo 'end'
} >all.f90
{
  echo '      integer i, a(0:999)'
  echo '      a = 0'
  for n in $names; do
    echo "c\$omp parallel do"
    echo "C\$OMP+ SCHEDULE($n)"
    echo '      do i = 0, 999'
    echo '        a(i) = a(i) + i'
    echo '      end do'
  done
  echo '      print "(i0)", sum(a)'
  echo '      end'
} >all.f
count=$(echo "$names" | wc -l)
for source in all.c all.cpp all.f90 all.f; do
  case $source in
    *.c) driver=cc ;;
    *.cpp) driver=c++ ;;
    *) driver=fortran ;;
  esac
  for flags in -O0 -O2; do
    "$bin/doall" $driver $flags -g -fopenmp $source -o all 2>err || failed "$source: $(head -n 5 err)"
    [ "$(./all)" = $((count * 499500)) ] || failed "$source $flags on libgomp"
    ran=$("$bin/doall" run --report ./all 2>&1 >out | sed -n 's/.*) *loop  *\([a-z+-]*\)[, ].*/\1/p' | sort | xargs)
    [ "$(cat out)" = $((count * 499500)) ] || failed "$source $flags on doall"
    for n in $names; do
      [ "$n" != wsrw ] || continue  # without costs that vary it is another (docs/schedules.md)
      echo " $ran " | grep -q -F -e " $n " || failed "$source $flags: $n did not run: $ran"
    done
  done
done

# Parameters, modifiers, macros, pragmas from macros, headers, templates.
cat >sched.h <<'END_H'
#define FROM_HEADER schedule(hybrid)
#define BODY for (int i = 0; i < 1000; ++i) a[i] += i
END_H
cat >names.c <<'END_C'
#include "sched.h"
#define SCHED wsri
#define BEHIND(n) n, 16
#define PRAGMA(text) _Pragma(#text)
#define LOOP(s) PRAGMA(omp parallel for schedule(s))
static int a[1000];
const char* text = "\n\
#pragma omp for schedule(wsrw)\n";
int main(void) {
#pragma omp parallel for schedule(SCHED)
  BODY;
#pragma omp parallel for FROM_HEADER
  BODY;
  LOOP(fine-grain) BODY; LOOP(BEHIND(wsri)) BODY;
#pragma omp parallel \
    for             \
    schedule(BEHIND(SCHED))
  BODY;
#pragma omp parallel for schedule(nonmonotonic : guided, k = 2)
  BODY;
#pragma omp parallel
  {
#pragma omp for schedule(cyclic) nowait
    BODY;
#pragma omp for schedule(dynamic, sizeof(int) == 4 ? 2 : 1)
    BODY;
#pragma omp for schedule(monotonic : static, order = forward)
    BODY;
  }
  return a[2] == 18 && text[1] == '#' ? 0 : 1;
}
END_C
expected='10-wsri 12-hybrid 14-fine-grain 14-wsri,16 15-wsri,16 19-guided,k=2 23-cyclic 25-dynamic 27-static'
found cc names.c "$expected"
"$bin/doall" cc -g -fopenmp names.c -o names 2>err || failed "names.c: $(cat err)"
./names || failed "names.c on libgomp"
"$bin/doall" run ./names || failed "names.c on doall"
[ "$("$bin/doall" run --schedule=affinity --report ./names 2>&1 | grep -c 'loop *affinity ')" -ge 8 ] ||
  failed "names.c is not steered"
for way in '-O1 -save-temps' '-O1 -pipe' '-O2 -flto' '-O1 -fdoall-names'; do
  # shellcheck disable=SC2086
  "$bin/doall" cc -fopenmp $way names.c -o names 2>err || failed "names.c with $way: $(cat err)"
  ./names || failed "names.c with $way"
done
grep -q 'schedule(wsri)' ./*names.i || failed "-save-temps: $(grep pragma ./*names.i)"
"$bin/doall" cc -fopenmp -c "$(ls ./*names.i)" -o of_i.o 2>err || failed "names.i: $(cat err)"
"$bin/doall" cc -fopenmp -x c -c - -o of_i.o <names.c 2>err || failed "standard input: $(cat err)"
"$bin/doall" cc -fopenmp -MD -c names.c 2>err || failed "-MD: $(cat err)"
grep -q 'names.o: names.c.*sched.h' names.d || failed "-MD: $(cat names.d)"
echo '-fopenmp names.c' >all.rsp
"$bin/doall" cc @all.rsp -o names 2>err || failed "a response file: $(cat err)"
"$bin/doall" cc -fopenmp '-DKIND=best-static' -c -xc - -o of_i.o <<'END_C' 2>err || failed "-D: $(cat err)"
void f(int* a) {
#pragma omp parallel for schedule(KIND)
  for (int i = 0; i < 1000; ++i) a[i] = i;
}
END_C
for count in --coverage -fprofile-arcs -fprofile-generate '--coverage -fprofile-update=atomic' '-fprofile-generate -fprofile-update=single'; do
  rm -f -- *.gcno *.gcda
  # shellcheck disable=SC2086
  "$bin/doall" cc -fopenmp $count names.c -o counted 2>err && ./counted || failed "names.c with $count: $(cat err)"
  ls -- *names.gcda >/dev/null || failed "names.c with $count has counted nothing"
done

# Sources that can be read once: standard input and pipes, also where comments are heeded.
for kind in -W -Wextra -Wimplicit-fallthrough; do
  for where in - /dev/stdin; do
    ! echo 'this is no C' | "$bin/doall-cc" -fopenmp $kind '-DX=schedule(wsrw)' -x c -c $where -o once.o 2>err ||
      failed "$kind: what is no C is compiled from $where"
  done
  "$bin/doall-cc" -fopenmp $kind '-DX=schedule(wsrw)' -x c -c <(cat names.c) -I. -o once.o 2>err && nm once.o | grep -q ' T main' ||
    failed "$kind: a pipe: $(cat err)"
  "$bin/doall-cc" -fopenmp $kind -c names.c -I. -include <(echo 'int from_a_pipe;') -o once.o 2>err && nm once.o | grep -q from_a_pipe ||
    failed "$kind: a pipe that is included: $(cat err)"
done
cat names.c | "$bin/doall-cc" -fopenmp -Wextra -x c -c - -o once.o 2>err && nm once.o | grep -q ' T main' ||
  failed "-Wextra: standard input: $(cat err)"
"$bin/doall-cc" -fopenmp -fdoall-names -x cpp-output -c <(echo 'int f(void) { return 1; }') -o once.o 2>err && nm once.o | grep -q ' T f' ||
  failed "a preprocessed pipe: $(cat err)"
printf 'subroutine f(i)\ninteger :: i\ni = 1\nend\n' >once.f90
for language in f95 f95-cpp-input; do
  "$bin/doall-fortran" -fopenmp -fdoall-names -ffree-form -x $language -c <(cat once.f90) -o once.o 2>err && nm once.o | grep -q ' T f_' ||
    failed "a pipe of $language: $(cat err)"
done

cat >names.cpp <<'END_C'
#include <vector>
template <class T>
void twice(std::vector<T>& v) {
#pragma omp parallel for schedule(wsrw)
  for (auto at = v.begin(); at < v.end(); ++at) *at *= 2;
}
const char* text = R"(
#pragma omp for schedule(no-name)
)";
int main() {
  std::vector<int> a(1000, 1);
  twice(a);
  auto f = [&] {
#pragma omp parallel for simd schedule(best-static)
    for (int i = 0; i < 1000; ++i) a[i] += 1;
  };
  f();
  return a[5] == 3 && text[1] == '#' ? 0 : 1;
}
END_C
found c++ names.cpp '5-wsrw 14-best-static'
"$bin/doall" c++ -g -fopenmp names.cpp -o names 2>err || failed "names.cpp: $(cat err)"
./names || failed "names.cpp on libgomp"
"$bin/doall" run ./names || failed "names.cpp on doall"

cat >names.F90 <<'END_F'
#define SCHED guided, k=2
module m
contains
  subroutine f(a)
    integer :: a(:), i
    !$omp parallel do &
    !$omp schedule(SCHED)
    do i = 1, 1000
      a(i) = a(i) + 1
    end do
    !$OMP PARALLEL DO schedule ( Wsri , 16 ) shared(a) ! schedule(no-name)
    do i = 1, 1000
      a(i) = a(i) + 1
    end do
    !$omp parallel do schedule( &
    !$omp& wsri, &
    !$omp& 8,    &
    !$omp& order=reverse &
    !$omp& )
    do i = 1, 1000
      a(i) = a(i) + 1
    end do
  end subroutine
end module
program p
  use m
  integer :: a(1000)
  a = 0
  call f(a)
  if (any(a /= 3)) stop 1
end program
END_F
"$bin/doall" fortran -g -fopenmp names.F90 -o names 2>err || failed "names.F90: $(cat err)"
./names || failed "names.F90 on libgomp"
ran=$(reported ./names)
for s in guided,k=2 wsri,16 wsri,8,order=reverse; do
  echo "$ran" | grep -q -F -e "-$s" || failed "names.F90: $s did not run: $ran"
done
# Lists of what a source needs have Fortran's include lines and modules, as the compiler's own.
mkdir sub
echo 'integer :: k' >sub/inc.inc
printf 'module needed\nend module\n' >needed.f90
"$bin/doall" fortran -c needed.f90 2>err || failed "needed.f90: $(cat err)"
{
  printf 'subroutine f(a)\nuse needed\ninteger :: a(:), i\ninclude "sub/inc.inc"\n'
  for i in {1..30}; do
    printf '!$omp parallel do schedule(wsrw)\ndo i = 1, 1000\na(i) = a(i) + 1\nend do\n'
  done
  printf 'end subroutine\nmodule made\nuse needed\nend module\n'
} >needs.F90
mkdir plain
sed 's/(wsrw)/(guided)/' needs.F90 >plain/needs.F90
for list in -MD -MMD '-MD -MF needs.d -MT needs.o -Wfatal-errors'; do
  # shellcheck disable=SC2086
  (cd plain && ln -sf ../sub ../needed.mod . && gfortran -fopenmp $list -c needs.F90 2>../err) || failed "gfortran $list: $(cat err)"
  rm -f needs.d
  # shellcheck disable=SC2086
  "$bin/doall" fortran -fopenmp $list -c needs.F90 2>err || failed "needs.F90 with $list: $(cat err)"
  cmp plain/needs.d needs.d || failed "$list: $(cat needs.d), not $(cat plain/needs.d)"
  grep -q inc.inc needs.d || failed "$list: $(cat needs.d)"
done

# A language that the command line says, and headers that are precompiled.
cp names.c names.inc
"$bin/doall" cc -fopenmp -xc names.inc -o named 2>err || failed "-xc: $(cat err)"
"$bin/doall" cc -fopenmp --language=c names.inc -o named 2>err || failed "--language: $(cat err)"
mkdir precompiled
cat >precompiled/all.h <<'END_C'
static inline void add(int* a) {
#pragma omp parallel for schedule(cyclic)
  for (int i = 0; i < 1000; ++i) a[i] += i;
}
END_C
printf '#include "all.h"\nint main(void) { static int a[1000]; add(a); return a[9] - 9; }\n' >precompiled/main.c
"$bin/doall" cc -g -O1 -fopenmp precompiled/all.h 2>err && [ -e precompiled/all.h.gch ] || failed "a precompiled header: $(cat err)"
"$bin/doall" cc -g -O1 -fopenmp precompiled/main.c -o named 2>err || failed "with a precompiled header: $(cat err)"
[ "$(reported ./named)" = 3-cyclic ] || failed "with a precompiled header: $(reported ./named)"

# Wrong names: where, and what was meant. What else GCC has to say stays where it was.
cat >wrong.c <<'END_C'
void f(int* a) {
#pragma omp parallel for schedule(hybrid)
  for (int i = 0; i < 10; ++i) a[i] = i;
#pragma omp parallel for schedule(wsrv)
  for (int i = 0; i < 10; ++i) a[i] = i;
#pragma omp parallel for schedule(wsri, c=x)
  for (int i = 0; i < 10; ++i) a[i] = unknown;
}
END_C
refused cc wrong.c '^wrong.c:4:[0-9]*: error: unknown schedule "wsrv".*; the nearest is "wsr' \
  '^wrong.c:6:[0-9]*: error: bad value "x" for c' \
  "^wrong.c:7:39: error: 'unknown' undeclared"
cp wrong.c wrong.cpp
refused c++ wrong.cpp '^wrong.cpp:4:[0-9]*: error: unknown schedule "wsrv"'
cat >wrong.f90 <<'END_F'
subroutine f(a)
  integer :: a(10), i
  !$omp parallel do &
  !$omp schedule(wsrv)
  do i = 1, 10
    a(i) = i
  end do
end
END_F
refused fortran wrong.f90 '^wrong.f90:4:9:' 'Error: unknown schedule "wsrv"'
cat >ordered.c <<'END_C'
void f(int* a) {
#pragma omp parallel for schedule(hybrid) ordered
  for (int i = 0; i < 10; ++i) a[i] = i;
#pragma omp target teams distribute parallel for schedule(wsrw)
  for (int i = 0; i < 10; ++i) a[i] = i;
}
END_C
refused cc ordered.c '^ordered.c:2:.*error: .*schedule(hybrid).* cannot be had for this loop: it is ordered' \
  '^ordered.c:4:.*error: .*schedule(wsrw).* cannot be had for this loop: it may be compiled'

# A function or an array of that name, in another clause's brackets.
cat >other.c <<'END_C'
int schedule(int n) { return n; }
int main(void) {
  static int a[1000];
#pragma omp parallel for num_threads(schedule(2)) if (a[0] != '(') schedule(wsri)
  for (int i = 0; i < 1000; ++i) a[i] = i;
#pragma omp parallel for schedule(dynamic, schedule(3)) num_threads((schedule(2)))
  for (int i = 0; i < 1000; ++i) a[i] += i;
#pragma omp parallel for if (a[0] != L'(' && a[1] != u8")("[0] && a[2] != R"x("(()x"[0]) schedule(affinity)
  for (int i = 0; i < 1000; ++i) a[i] += 0;
  return a[9] - 18;
}
END_C
found cc other.c '4-wsri 8-affinity'
"$bin/doall" cc -fopenmp other.c -o other 2>err && ./other || failed "other.c: $(cat err)"
cat >other.f90 <<'END_F'
subroutine plan(schedule, n)
  integer :: n, j, schedule(n)
  !$omp parallel
  !$omp single
  do j = 2, n
    !$omp task depend(in: schedule(j - 1)) &
    !$omp depend(inout: schedule(j))
    schedule(j) = schedule(j) + schedule(j - 1)
    !$omp end task
  end do
  !$omp end single
  !$omp do schedule(cyclic) private(j)
  do j = 1, n
    schedule(j) = schedule(j) + 1
  end do
  !$omp end parallel
end subroutine
program p
  integer :: a(10) = 1
  call plan(a, 10)
  if (a(10) /= 11) stop 1
end program
END_F
"$bin/doall" fortran -g -fopenmp other.f90 -o other 2>err && ./other || failed "other.f90: $(cat err)"
[ "$(reported ./other)" = 12-cyclic ] || failed "other.f90: $(reported ./other)"

# Source for both compilers (docs/guide/compiler.md).
cat >both.c <<'END_C'
#ifdef __DOALL__
#define BY_COST schedule(wsrw)
#else
#define BY_COST
#endif
int main(void) {
  int a[100];
#pragma omp parallel for BY_COST
  for (int i = 0; i < 100; ++i) a[i] = i;
  return a[99] - 99;
}
END_C
gcc -fopenmp -Wall -Werror both.c -o both && ./both || failed "both.c by gcc"
found cc both.c 8-wsrw
end
