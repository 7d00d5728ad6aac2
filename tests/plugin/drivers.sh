#!/bin/bash
# The compiler drivers as build systems and people use them:
#   drivers.sh BIN
# BIN is the folder of the command.
set -u
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME=$work
unset XDG_CONFIG_HOME DOALL_SCHEDULE DOALL_NUM_THREADS DOALL_CC DOALL_CXX DOALL_FC OMP_SCHEDULE OMP_NUM_THREADS
export PATH=$bin:$PATH CCACHE_DIR=$work/ccache LC_ALL=C

checks=0
failures=0
# check WHAT COMMAND...: the command succeeds.
check() {
  local what=$1
  shift
  checks=$((checks + 1))
  "$@" >out 2>err </dev/null && return
  failures=$((failures + 1))
  echo "FAILED: $what"
  sed 's/^/  out: /' out | head -n 20
  sed 's/^/  err: /' err | head -n 20
}
fails() { ! "$@"; }
# expect WHAT FILE PATTERN: the last command's `out` or `err` says it.
expect() {
  checks=$((checks + 1))
  grep -q -e "$3" "$2" && return
  failures=$((failures + 1))
  echo "FAILED: $1: not said: $3"
  sed "s/^/  $2: /" "$2" | head -n 20
}

cat >none.c <<'END'
#include <stdio.h>
int square(int i) { return i * i; }
int main(int argc, char** argv) { printf("%s %d\n", argv[0], square(argc)); }
END
cat >loop.c <<'END'
#include <omp.h>
#include <stdio.h>
static int by[1000];
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i) by[i] = omp_get_thread_num();
  for (int i = 0; i < 1000; ++i) printf("%d\n", by[i]);
}
END
cat >half.c <<'END'
extern int other(int);
int main(void) { return other(1); }
END
cat >other.c <<'END'
int other(int n) {
  int s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) s += i;
  return s;
}
END

# Objects and texts are GCC's where no loop is steered.
for flags in -O2 '-O2 -g' '-O2 -g -fopenmp -frecord-gcc-switches' '-O0 -fopenmp'; do
  # shellcheck disable=SC2086
  check "gcc $flags" gcc $flags -c none.c -o gcc.o
  # shellcheck disable=SC2086
  check "doall cc $flags" doall cc $flags -c none.c -o doall.o
  check "the same object with $flags" cmp gcc.o doall.o
done
for flags in -E -M -MM '-S -O1'; do
  # shellcheck disable=SC2086
  check "$flags" doall-cc -fopenmp $flags none.c -o doall.txt
  # shellcheck disable=SC2086
  gcc -fopenmp $flags none.c -o gcc.txt
  check "the same text with $flags" cmp gcc.txt doall.txt
done
check "the version is GCC's" test "$(doall-cc --version)" = "$(gcc --version)"
check "the Fortran driver" test "$(doall fortran --version)" = "$(gfortran --version)"

# As it was compiled, a loop is static unless it is steered: the same thread runs each iteration as in GCC's program.
gcc -fopenmp -O2 loop.c -o plain
check "a loop" doall-cc -fopenmp -O2 loop.c -o loop
for p in 1 2 3 7; do
  OMP_NUM_THREADS=$p ./plain >expected
  OMP_NUM_THREADS=$p ./loop >on_libgomp
  DOALL_DEFAULT_SCHEDULE=compiled OMP_NUM_THREADS=$p doall run ./loop >on_doall
  check "static on libgomp, $p threads" cmp expected on_libgomp
  check "static on doall, $p threads" cmp expected on_doall
done
# On plain libgomp nobody is asked for ranges: each thread computes its block.
cat >trap.c <<'END'
#include <stdlib.h>
void GOMP_loop_start(void) { abort(); }
void GOMP_loop_runtime_next(void) { abort(); }
void GOMP_loop_end(void) { abort(); }
void GOMP_loop_end_nowait(void) { abort(); }
END
gcc -shared -fPIC trap.c -o trap.so
for flags in -O0 -O2 '-O2 -fno-pie -no-pie' '-O2 -flto' '-O2 -static'; do
  # shellcheck disable=SC2086
  check "a loop, $flags" doall-cc -fopenmp $flags loop.c -o other_loop
  check "asks nobody, $flags" env LD_PRELOAD=./trap.so OMP_NUM_THREADS=3 ./other_loop
  OMP_NUM_THREADS=3 ./plain >expected
  OMP_NUM_THREADS=3 ./other_loop >on_libgomp
  check "and is static, $flags" cmp expected on_libgomp
done
check "a report" doall run --threads=2 --schedule=guided --report ./loop
expect "which says that it was steered" err 'loop .*guided'
check "without steering" doall run --threads=2 --report ./loop
expect "auto runs it" err 'loop .*auto'
check "as compiled" env DOALL_DEFAULT_SCHEDULE=compiled doall run --threads=2 --report ./loop
expect "it is static" err 'loop .*static'
doall run --threads=2 --schedule=cyclic ./loop >cyclic
check "steered" test "$(sort -n cyclic | uniq -c | sed -n '1s/ *\([0-9]*\) .*/\1/p')" = 500
check "and not in one block" test "$(uniq cyclic | wc -l)" -gt 100

# Options of doall's own.
cat >static.c <<'END'
void f(int* a) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 1000; ++i) a[i] = i;
}
END
check "static is kept" doall-cc -fopenmp -S static.c -o static.s
check "as GCC compiles it" fails grep -q GOMP_loop static.s
check "-fdoall-static" doall-cc -fopenmp -fdoall-static -S static.c -o static.s
check "steers it" grep -q doall_loop_start static.s
for flags in -m32 -mx32; do
  echo 'int main(void) { return 0; }' | gcc $flags -S -x c - -o none.s 2>/dev/null || continue # no x86
  check "$flags" doall-cc -fopenmp $flags -fdoall-static -Wdoall -S static.c -o static.s
  expect "is left alone" err 'static.c:2:.*note:.*long has fewer than 64 bits'
  check "as GCC compiles it" fails grep -q GOMP_loop static.s
done
check "--explain of two sources" doall cc --explain -DN=1 half.c other.c loop.c
expect "says of the one" out 'other.c:3: schedule none'
expect "and of the other" out 'loop.c:5: schedule none'
mkdir explained
check "--explain in a command of a build" doall-cc --explain -MMD -MF explained/loop.d -MT loop -c loop.c -o explained/loop.o
expect "says it" out 'loop.c:5: schedule none'
check "and writes nothing" test -z "$(ls explained)"
cp loop.c explained/
cd explained || exit 1
for option in '--output=x.s' '--output x.s' -save-temps --save-temps=obj '-Wp,-MD,x.d' '-Wp,-MMD,x.d,-MT,x,-DN=1' \
  '-Xpreprocessor -MD -Xpreprocessor x.d' '--write-dependencies -c' '-M -MFx.d' --coverage '-fprofile-arcs -ftest-coverage' \
  -fdump-tree-optimized '-Wp,-fdump-tree-original' -da --dump=a -fstack-usage -fcallgraph-info=su '-aux-info x.c' \
  -fopt-info-vec=x.opt -fsave-optimization-record -time=x.time; do
  # shellcheck disable=SC2086
  check "--explain $option" env DEPENDENCIES_OUTPUT=x.env doall-cc --explain $option loop.c
  expect "says it with $option" out 'loop.c:5: schedule none'
  rm -f out err
  check "and writes nothing with $option" test "$(ls)" = loop.c
  rm -f x.* ./*.c.* ./*.gcno out err
done
cd ..
echo 'int wrong(' >error.c
check "--explain of a wrong source and another" fails doall cc --explain error.c loop.c
expect "says of the other" out 'loop.c:5: schedule none'
check "-Wdoall" doall-cc -fopenmp -Wdoall -c static.c
expect "says why, and where" err 'static.c:2:.*note:.*schedule(static) is kept'
check "without it nothing is said" doall-cc -fopenmp -c static.c
expect_nothing=$(cat err)
check "nothing" test -z "$expect_nothing"
for map in -ffile-prefix-map -fmacro-prefix-map; do
  check "$map" doall-cc -fopenmp "$map=$work=/usr/src" -S "$work/loop.c" -o mapped.s
  check "is heeded" grep -q '"/usr/src/loop.c' mapped.s
  check "and leaves no other name" fails grep -q "$work/loop.c" mapped.s
done
check "an unknown option" fails doall-cc -fopenmp -fdoall-statik -c static.c
expect "is named" err 'unknown option "-fdoall-statik", expected one of'
for prices in abc 1,2, 1,-2 1,2,3,4,5,6,7 ''; do
  check "prices $prices" fails doall-cc -fopenmp "-fdoall-prices=$prices" -c static.c
  expect "prices $prices are named" err "bad prices \"-fdoall-prices=$prices\", expected one to six"
done
check "prices" doall-cc -fopenmp -fdoall-prices=2,3 -S static.c -o static.s
# The machine's table.
cat >rows.c <<'END'
void f(int* row, double* a) {
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i)
    for (int j = row[i]; j < row[i + 1]; ++j) a[i] += a[j] / 3;
}
END
export XDG_CONFIG_HOME=$work/config
check "no table" doall cc --explain rows.c
cp out usual
check "calibrating" doall calibrate
expect "which says where it writes" out "written to $work/config/doall/prices"
check "six prices" test "$(grep -c -E '^(statement|load|division|call|round|atomic) +[1-9][0-9]* ' config/doall/prices)" = 6
of() { sed -n "s/^$1 *\([0-9]*\) .*/\1/p" config/doall/prices; }
check "a division costs more than an addition" test "$(of division)" -gt "$(of statement)"
check "a call more than a load" test "$(of call)" -gt "$(of load)"
check "to standard output" doall calibrate --output -
expect "a table" out '^atomic '
printf '# a comment\nload 1000\n' >config/doall/prices
check "the usual table" doall cc --explain rows.c
expect "counts" out ' \* [1-9][0-9][0-9][0-9] '
check "numbers come before it" test "$(cat usual)" = \
  "$(doall cc --explain -fdoall-prices=1,2,12,40,1,8 rows.c)"
mv config/doall/prices own
check "a table's file" doall cc --explain -fdoall-prices=own rows.c
expect "counts, too" out ' \* [1-9][0-9][0-9][0-9] '
echo 'lood 3' >own
check "a bad table" fails doall cc -fopenmp -fdoall-prices=own -c rows.c
expect "is named" err 'own:1: "lood 3" is no price, expected NAME CYCLES'
mv own config/doall/prices
check "a bad usual table" doall cc -fopenmp -c rows.c
expect "is named and left" err 'is no price.*own prices are used'
unset XDG_CONFIG_HOME
check "a report without a file" fails doall-cc -fopenmp -fdoall-report= -c static.c
expect "what is missing" err 'no file in "-fdoall-report=", expected -fdoall-report=FILE'
check "the last one counts" doall-cc -fopenmp -fdoall-static -fno-doall-static -S static.c -o static.s
check "which is not to" fails grep -q GOMP_loop static.s

# Response files.
printf -- '-fopenmp -fdoall-static\n"-O2" -S static.c\\\n' >"all options"
sed -i 's/\\$//' "all options"
check "a response file" doall-cc "@all options" -o static.s
check "counts" grep -q doall_loop_start static.s
echo '-fopenmp -O1' >some
check "one without own options" doall-cc @some -S loop.c -o loop.s
check "counts, too" grep -q doall_loop_start loop.s
echo '@itself @itself' >itself
check "one that names itself twice" fails timeout 20 doall-cc -fopenmp @itself -c none.c
expect "is named" err 'response file "@itself" is number 2000, expected fewer'
echo '@there' >here
echo '-O1 @here -O2 @here' >there
for arguments in '@there -c none.c' '--explain none.c @here' '@itself -fopenmp' '@here -c none.c'; do
  # shellcheck disable=SC2086
  check "two that name each other, $arguments" test "$(timeout 20 doall-cc $arguments >out 2>err; echo $?)" = 1
done

# Several sources; linking alone; LTO; standard input; errors.
check "two sources" doall-cc -fopenmp half.c other.c -o two
check "run" ./two
check "one" doall-cc -fopenmp -O2 -flto -c half.c -o half.o
check "other" doall-cc -fopenmp -O2 -flto -c other.c -o other.o
check "linked with LTO" doall-cc -fopenmp -O2 -flto half.o other.o -o two
check "run, too" ./two
check "linked by gcc" gcc -fopenmp -O2 -flto half.o other.o -o two
check "run once more" doall run --schedule=guided ./two
check "standard input" bash -c 'doall-cc -fopenmp -x c -c - -o piped.o <loop.c'
echo 'int main(void) { return x; }' >wrong.c
check "an error" fails doall-cc -fopenmp -c wrong.c
cp err of_doall
gcc -fopenmp -c wrong.c 2>of_gcc
check "is GCC's" cmp of_gcc of_doall
check "its status, too" test "$(doall-cc -c wrong.c 2>of_doall; echo $?)" = "$(gcc -c wrong.c 2>of_gcc; echo $?)"

# What counts a program's functions counts none that the plugin has made.
cat >counted.c <<'END'
static int row[1001];
static long sum[1000];
int main(void) {
  for (int i = 0; i <= 1000; ++i) row[i] = i * (i - 1) / 2;
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i)
    for (int j = row[i]; j < row[i + 1]; ++j) sum[i] += j;
  return sum[2] != 3;
}
END
gcov=$(command -v "gcov-$(gcc -dumpversion | cut -d. -f1)" || echo gcov)
check "its costs are told" doall cc --explain --coverage counted.c
expect "in a function" out 'costs weighted'
check "coverage" doall-cc -O2 -fopenmp --coverage counted.c -o counted
check "of a run by costs" doall run --schedule=best-static ./counted
check "gcov" "$gcov" -n counted.gcno
expect "names the source" out "File 'counted.c'"
check "and nothing else" test "$(grep -c '^File' out)" = 1
check "-fprofile-generate" doall-cc -O2 -fopenmp -fprofile-generate -S counted.c -o counted.s
check "counts the program's" grep -q '__gcov0.main' counted.s
check "and none of doall's" fails grep -q '__gcov0.*doall' counted.s
check "-finstrument-functions" doall-cc -O2 -fopenmp -finstrument-functions -S counted.c -o counted.s
check "of main alone" test "$(grep -c '__cyg_profile_func_enter' counted.s)" = 1

# Other compilers.
cat >fake <<'END'
#!/bin/bash
[ "$1" = -dumpversion ] && echo 99.1 && exit
echo "compiled: $*"
END
chmod +x fake
check "another version" env DOALL_CC=./fake doall-cc -fopenmp -Wdoall -c none.c
expect "compiles" out 'compiled: -fopenmp -c none.c'
expect "with a note" err 'no plugin for .*version "99.1".*Plugins are here for GCC 1.*gcc-99-plugin-doall.*make plugin GCC=99'
major=$(gcc -dumpversion)
printf '#!/bin/bash\n[ "$1" = -dumpversion ] && echo %s && exit\n[ "$1" = -dumpmachine ] && echo arm-none-eabi && exit\necho "compiled: $*"\n' "${major%%.*}" >foreign
chmod +x foreign
check "a cross compiler" env DOALL_CC=./foreign doall-cc -fopenmp -Wdoall -c none.c
expect "compiles" out 'compiled: -fopenmp -c none.c'
expect "with a note" err 'no plugin for .*foreign, which compiles for "arm-none-eabi", expected'
if clang=$(command -v clang-19 clang-23 clang | head -n 1) && [ -n "$clang" ]; then
  check "Clang" env DOALL_CC="$clang" doall-cc -fopenmp=libgomp -fopenmp -c none.c
  version=$("$clang" -dumpversion)
  if [ -e "$bin/../lib/doall/llvm-${version%%.*}/doall.so" ]; then
    [ ! -s err ] || failures=$((failures + 1)) # it has a pass plugin: nothing to say
  else
    expect "has none" err 'no pass plugin for .*clang.*: it compiles as it is'
  fi
  ln -s "$clang" clang-16 # GCC has that version, too
  check "another Clang" env DOALL_CC=./clang-16 doall-cc -fopenmp=libgomp -fopenmp -c none.c
fi
check "a compiler that is not there" fails env DOALL_CC=no-such-cc doall-cc -c none.c
expect "is named" err no-such-cc
mkdir -p again
ln -s "$(command -v doall-cc)" again/named-otherwise
printf '#!/bin/bash\nexec doall-cc "$@"\n' >again/gcc
chmod +x again/gcc
for driver in doall-cc doall doall-c++ "$PWD/again/named-otherwise"; do
  check "$driver for itself" fails env DOALL_CC="$driver" timeout 20 doall-cc -fopenmp -c none.c
  expect "is named" err "the compiler \"$driver\" .* is doall's own driver, expected one .* in DOALL_CC"
done
check "doall cc" fails env DOALL_CC=doall-cc timeout 20 doall cc -c none.c
expect "says it, too" err 'the compiler "doall-cc" .*own driver'
check "a tool" fails env DOALL_CC=doall-gcc timeout 20 doall-gcc-ar --version
expect "says it, too" err 'the compiler "doall-gcc-ar" .*own driver'
for named in "" "$PWD/again/gcc"; do
  for flags in '-fopenmp -c none.c' '-c none.c' --version; do
    # shellcheck disable=SC2086
    check "a script that starts it, $flags" fails env DOALL_CC="$named" PATH="$PWD/again:$PATH" timeout 20 doall-cc $flags
    expect "is named" err 'the compiler ".*gcc" .*again/gcc) starts doall.s driver again, expected one .* in DOALL_CC'
  done
done
printf '#!/bin/bash\nDOALL_CC=%s exec doall-cc "$@"\n' "$(command -v gcc)" >again/gcc
check "a script that names another" env DOALL_CC="$PWD/again/gcc" doall-cc -fopenmp -c none.c

# Build systems.
mkdir cmake autoconf
cat >cmake/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(p LANGUAGES C CXX Fortran)
find_package(OpenMP REQUIRED)
add_executable(app ../other.c ../half.c)
target_link_libraries(app OpenMP::OpenMP_C)
END
check "CMake" env CC=doall-cc CXX=doall-c++ FC=doall-fortran cmake -S cmake -B cmake/build -G Ninja
check "with two words" env CC="doall cc" CXX="doall c++" FC="doall fortran" cmake -S cmake -B cmake/words -G Ninja
for b in build words; do
  check "builds in $b" cmake --build "cmake/$b"
  check "a program in $b" doall run --schedule=guided --report "cmake/$b/app"
  expect "of steered loops in $b" err 'loop .*guided'
done
cat >autoconf/configure.ac <<'END'
AC_INIT([p], [1])
AC_PROG_CC
AC_PROG_CXX
AC_PROG_FC
AC_LANG([C])
AC_OPENMP
AC_SUBST([OPENMP_CFLAGS])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >autoconf/Makefile.in <<'END'
app: ../other.c ../half.c
	@CC@ @CFLAGS@ @OPENMP_CFLAGS@ $^ -o $@
END
check "autoconf" bash -c 'cd autoconf && autoconf'
check "configure" bash -c 'cd autoconf && ./configure CC=doall-cc CXX=doall-c++ FC=doall-fortran'
check "make" make -C autoconf
check "its program" doall run --schedule=guided --report autoconf/app
expect "is steered" err 'loop .*guided'
mkdir meson
cp other.c half.c meson
cat >meson/meson.build <<'END'
project('p', 'c', 'cpp')
executable('app', 'other.c', 'half.c', dependencies: dependency('openmp'))
END
check "meson" env CC=doall-cc CXX=doall-c++ meson setup meson/build meson
check "ninja" ninja -C meson/build
check "its program" doall run --schedule=guided --report meson/build/app
expect "is steered" err 'loop .*guided'
for i in 1 2; do
  check "ccache, $i" ccache doall-cc -fopenmp -O2 -c loop.c -o cached.o
  check "links, $i" ccache doall-cc -fopenmp cached.o -o cached
  check "and steers, $i" doall run --schedule=guided --report ./cached
  expect "as always, $i" err 'loop .*guided'
done
check "ccache has found it" bash -c 'ccache -s | grep -iE "hits: +[1-9]"'

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
