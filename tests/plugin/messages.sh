#!/bin/bash
# What the drivers say is what GCC says, and once: messages.sh BIN
set -u
bin=$1
source "$(dirname "$(readlink -f "$0")")/common.sh"
export LC_ALL=C
unset DOALL_CC DOALL_CXX DOALL_FC

# A function of the name `schedule` is no clause: nothing is preprocessed apart, nothing is said.
cat >function.c <<'END_C'
#include <omp.h>
static int schedule(int task, int when) { return task * when; }
int f(int a) {
  int r = 0;
  switch (a) {
    case 1: r = schedule(a, 2);
    /* fall through */
    case 2: r += 1; break;
    default: r = 9;
  }
  return r;
}
int main(void) {
  int s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < 100; i++) s += f(i % 4);
  return s != 550;
}
END_C
"$bin/doall" cc -fopenmp -Wall -Wextra -Werror function.c -o app >out 2>&1 || failed "function.c: $(cat out)"
./app || failed "function.c: another sum"
"$bin/doall" cc -fopenmp -### function.c 2>&1 | grep -q -- -no-integrated-cpp && failed "function.c goes through the step"

# Where there are names, comments that GCC heeds stay, and none of them is taken for a pragma.
for named in '#pragma omp parallel for schedule(wsri)' '_Pragma("omp parallel for schedule(wsri)")' \
  'PRAGMA(omp parallel for schedule(wsri))' 'LOOP'; do
  {
    echo '#define PRAGMA(text) _Pragma(#text)'
    [ "$named" = LOOP ] && printf '#define LOOP \\\n  PRAGMA(omp parallel for \\\n  schedule(wsri))\n'
    echo "/* don't take this for a string's beginning, nor"
    echo '#pragma omp parallel for schedule(no_such)'
    echo 'for a pragma */'
    sed "s/^#pragma omp.*/$named reduction(+ : s)/; s/schedule(wsri)) reduction(+ : s)/schedule(wsri) reduction(+ : s))/; s/^LOOP.*/LOOP/" function.c |
      sed 's/)") reduction(+ : s)/) reduction(+ : s)")/; s/s += f/__atomic_fetch_add(\&s, f/; s/(i % 4);/(i % 4), 0);/'
  } >named.c
  "$bin/doall" cc -fopenmp -Wall -Wextra -Werror named.c -o app >out 2>&1 || failed "$named: $(cat out)"
  ./app || failed "$named: another sum"
  "$bin/doall" cc --explain named.c | grep -q 'schedule wsri' || failed "$named is not found"
done
# A comment may stand before a directive, or between a macro and its arguments.
{
  echo '/* standard things */ #include <stdio.h>'
  printf '#define MY_SCHEDULE static, 4\n/* a\n   b */ #define N 10\n#define ADD(x) ((x) + 1)\n'
  printf 'const char* text = "/* no */ // comment";\nint main(void) {\n  int s = 0;\n'
  echo '#pragma omp parallel for schedule(MY_SCHEDULE) reduction(+ : s)'
  echo '  for (int i = 0; i < N; i++) s += ADD /* one more */ (i);'
  printf '  return s != 55 || text[0] != 47;\n}\n'
} >before.c
for flags in '' -Wextra; do
  # shellcheck disable=SC2086
  "$bin/doall" cc -fopenmp -Werror $flags before.c -o app >out 2>&1 || failed "before.c $flags: $(cat out)"
  ./app || failed "before.c $flags: another sum"
done
"$bin/doall" cc -fopenmp -E named.c >ours
gcc -fopenmp -E named.c >gccs
cmp -s ours gccs || failed "-E: $(diff ours gccs | head -n 3)"
"$bin/doall" cc -fopenmp '-DCLAUSE=schedule(finegrain)' -x c -c - -o named.o <<'END_C' || failed "-DCLAUSE"
void f(int* a) {
#pragma omp parallel for CLAUSE
  for (int i = 0; i < 1000; ++i) a[i] = i;
}
END_C

# An unknown schedule is one error among GCC's, in each of its formats.
cat >wrong.c <<'END_C'
int main(void) {
  int n = 10, a[10];
#pragma omp parallel for schedule(wat)
  for (int i = 0; i < n; i++) a[i] = i;
#pragma omp parallel for shared(zz)
  for (int i = 0; i < n; i++) a[i] = i;
  return a[3] }
END_C
sed '/zz/,+1d; s/a\[3\] }/a[3]; }/' wrong.c >one.c
for file in wrong one; do
  "$bin/doall" cc -fopenmp -c $file.c -o $file.o 2>err && failed "$file.c compiles"
  [ ! -e $file.o ] || failed "$file.c leaves an object"
  [ "$(grep -c 'wat' err)" -le 2 ] && [ "$(grep -c 'error: .*wat' err)" -eq 1 ] && ! grep -q 'invalid schedule kind' err ||
    failed "$file.c: $(cat err)"
  grep -q "^$file.c:3:26: error: unknown schedule \"wat\"" err || failed "$file.c: $(cat err)"
  # JSON of GCC's own, up to GCC 15, or SARIF.
  format=json
  gcc -fdiagnostics-format=json -E -x c /dev/null >out 2>&1 || format=sarif-stderr
  "$bin/doall" cc -fopenmp -fdiagnostics-format=$format -c $file.c -o $file.o 2>err
  python3 - err <<'END_P' || failed "$file.c in $format: $(cat err)"
import json, sys
text = open(sys.argv[1]).read()
places = []
while start := min((at for at in map(text.find, "{[") if at >= 0), default=0) + 1:
    found, end = json.JSONDecoder().raw_decode(text[start - 1:])
    text = text[start - 1 + end:]
    if isinstance(found, list):
        places += [(one["message"], one["locations"][0]["caret"]["line"]) for one in found]
    else:
        places += [(one["message"]["text"], one["locations"][0]["physicalLocation"]["region"]["startLine"])
                   for one in found["runs"][0]["results"]]
    if not text.strip():
        break
sys.exit([line for message, line in places if "wat" in message] != [3])
END_P
done
cp one.c one.cpp
"$bin/doall" c++ -fopenmp -c one.cpp 2>err && failed "one.cpp compiles"
[ "$(grep -c 'error: ' err)" -eq 1 ] || failed "one.cpp: $(cat err)"

# One report for several sources; a source's own entries are replaced.
for name in first second; do
  printf 'void %s(int* a) {\n#pragma omp parallel for\n  for (int i = 0; i < 9; ++i) a[i] = i;\n}\n' $name >$name.c
done
entries() { python3 -c "import json; print(*sorted(f'{e[\"source\"]}:{e[\"line\"]}' for e in json.load(open('all.json'))))"; }
"$bin/doall" cc -fopenmp -c first.c second.c -fdoall-report=all.json || failed "two sources"
[ "$(entries)" = "first.c:2 second.c:2" ] || failed "two sources: $(cat all.json)"
sed -i '1i\\' first.c
"$bin/doall" cc -fopenmp -c first.c -fdoall-report=all.json || failed "again"
[ "$(entries)" = "first.c:3 second.c:2" ] || failed "again: $(cat all.json)"
for flags in -E -M -MM; do
  "$bin/doall" cc -fopenmp $flags first.c -fdoall-report=all.json >out || failed "$flags with a report"
  [ "$(entries)" = "first.c:3 second.c:2" ] || failed "$flags with a report: $(cat all.json)"
done
mkdir -p one other
for folder in one other; do
  (cd $folder && cp ../first.c . && "$bin/doall" cc -fopenmp -c first.c -fdoall-report=../all.json) || failed "in $folder"
done
[ "$(entries)" = "first.c:3 first.c:3 first.c:3 second.c:2" ] || failed "one name in several folders: $(cat all.json)"
rm -r one other
"$bin/doall" cc -fopenmp -c -x c /dev/null -o none.o -fdoall-report=none.json || failed "no loops"
[ "$(python3 -c 'import json; print(json.load(open("none.json")))')" = "[]" ] || failed "no loops: $(cat none.json)"

# A compiler without a plugin: said at once, and once.
printf '#!/bin/bash\n[ "$1" = -dumpversion ] && echo 99.1 && exit\necho "compiled: $*"\n' >other
chmod +x other
export DOALL_CC=./other
[ "$("$bin/doall" cc -fopenmp -c first.c 2>err)" = "compiled: -fopenmp -c first.c" ] || failed "another compiler"
[ "$(grep -c 'no plugin for .*version "99.1": it compiles as it is' err)" -eq 1 ] || failed "another compiler: $(cat err)"
"$bin/doall" cc -fopenmp -Wno-doall -c first.c >out 2>err
[ ! -s err ] || failed "-Wno-doall: $(cat err)"
"$bin/doall" cc --explain first.c >out 2>err && failed "--explain without a plugin succeeds"
grep -q 'no plugin for .*: nothing can be said of the loops' err && [ ! -s out ] || failed "--explain: $(cat err out)"
unset DOALL_CC

# What the costs say.
cat >costs.c <<'END_C'
void f(int n, double* a) {
#pragma omp parallel for
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= i - 1; j++) a[i - 1] += j;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 1; j < i; j++) a[i] += j;
}
END_C
"$bin/doall" cc --explain costs.c >found || failed "--explain costs.c"
! grep -q 42949 found && [ "$(grep -c '(k - 1) \*\| k \*' found)" -eq 2 ] || failed "costs: $(cat found)"

# Calls hide no costs that need no load, or one that each iteration does before the call; behind that
# the program may have ended.
cat >calls.c <<'END_C'
double g(double);
static void wrap(double* x, const float* box) {
  for (int i = 0; i < 3; i++)
    if (box[i] > 1e-7f) x[i] -= box[i];
}
void pairs(int n, const float (*p)[3], const float* box, double* d) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      double x[3] = {p[j][0] - p[i][0], p[j][1] - p[i][1], p[j][2] - p[i][2]};
      wrap(x, box);
      d[i * (long)n + j] = x[0] + x[1] + x[2];
    }
}
void triangle(int n, double* d) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) d[i] += g(j);
}
void rows(int n, const int* row, double* d) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = row[i]; j < row[i + 1]; j++) d[i] += g(j);
}
void rows_behind(int n, const int* row, double* d) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    d[i] = g(i);
    for (int j = row[i]; j < row[i + 1]; j++) d[i] += j;
  }
}
void rows_of_rows(int n, const int* row, double* d) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = row[i]; j < row[i + 1]; j++) {
      for (int k = row[j]; k < row[j + 1]; k++) d[i] += k;
      d[i] += g(j);
    }
}
void alike(int n, double* d) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) d[i] += g(i);
}
END_C
"$bin/doall" cc --explain calls.c >found || failed "--explain calls.c"
[ "$(sed 's/.*costs \([a-z]*\).*/\1/' found | xargs)" = "weighted weighted weighted unknown unknown unknown" ] || failed "calls: $(cat found)"
grep -q 'weighted: .*(n - k - 1) \*' found && grep -q 'weighted: max(k, 0) \*' found || failed "calls: $(cat found)"

# A program of AddressSanitizer's, whose runtime must come first.
if echo 'int main(void) {}' | gcc -fsanitize=address -x c - -o checked 2>err; then
  "$bin/doall" cc -O1 -g -fopenmp -fsanitize=address function.c -o checked || failed "with ASan"
  ASAN_OPTIONS=detect_leaks=0 "$bin/doall" run --schedule=wsri ./checked >out 2>&1 || failed "run with ASan: $(cat out)"
fi

# A cache of objects is told when prices change.
before=$("$bin/doall" cc -fdoall-identity)
[ "$before" = "$("$bin/doall-cc" -fopenmp -O2 -fdoall-identity)" ] || [ -n "$before" ] || failed "no identity"
export XDG_CONFIG_HOME=$work/config
mkdir -p config/doall
printf 'load 1000\n' >config/doall/prices
[ "$before" != "$("$bin/doall" cc -fdoall-identity)" ] || failed "the same identity: $before"
if command -v ccache >/dev/null; then
  export CCACHE_DIR=$work/ccache CCACHE_COMPILERCHECK='%compiler% -fdoall-identity'
  hits() { ccache --print-stats | sed -n 's/^\(direct\|preprocessed\)_cache_hit\t//p' | awk '{ all += $1 } END { print all + 0 }'; }
  ccache "$bin/doall-cc" -fopenmp -O2 -c costs.c && ccache "$bin/doall-cc" -fopenmp -O2 -c costs.c
  [ "$(hits)" = 1 ] || failed "ccache keeps nothing: $(ccache -s)"
  printf 'load 900\n' >config/doall/prices
  ccache "$bin/doall-cc" -fopenmp -O2 -c costs.c
  [ "$(hits)" = 1 ] || failed "ccache gives an object of other prices"
fi
unset XDG_CONFIG_HOME CCACHE_COMPILERCHECK

# Archives for LTO: CMake looks for these beside the compiler.
echo 'int seven(void) { return 7; }' >seven.c
echo 'int seven(void); int main(void) { return seven() - 7; }' >main.c
PATH=$bin:$PATH
doall-cc -O2 -flto -c seven.c && doall-gcc-ar rcs libseven.a seven.o && doall-gcc-ranlib libseven.a &&
  doall-gcc-nm libseven.a | grep -q seven && doall-cc -O2 -flto main.c libseven.a -o app && ./app ||
  failed "archives"
mkdir ipo
cat >ipo/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(p LANGUAGES C CXX)
include(CheckIPOSupported)
check_ipo_supported()
END
CC=doall-cc CXX=doall-c++ cmake -S ipo -B ipo/build >out 2>&1 || failed "check_ipo_supported: $(cat out)"
end
