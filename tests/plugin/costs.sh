#!/bin/bash
# What the plugin finds of iterations' costs balances loops, and never faults:
#   costs.sh BIN SOURCES KERNELS
set -u
bin=$1
sources=$2
kernels=$3
source "$(dirname "$(readlink -f "$0")")/common.sh"
export OMP_NUM_THREADS=4

# busiest PROGRAM LOOP [SCHEDULE]: the busiest thread's rounds in percent of the mean.
busiest() { "$bin/doall" run ${3:+"--schedule=$3"} "$1" | sed -n "s/^$2 \([0-9]*\) .*/\1/p"; }

"$bin/doall" cc --explain "$sources/costs.c" >found || failed "--explain"
for kind in 'weighted: .*row' 'weighted: .* / 2' guarded unknown; do
  grep -q "costs $kind" found || failed "no loop is $kind: $(cat found)"
done
# Expressions are C (COWS, Figure 1).
for words in 'max(g.vertices.at\[k\]->degree, 0) \* [0-9]* + [0-9]*;' \
  'max(row\[k + 1\] - row\[k\], 0) \* [0-9]* + [0-9]*;' 'sum(p < max(row\[k + 1\] - row\[k\], 0): '; do
  grep -q "weighted: $words" found || failed "no loop costs $words: $(cat found)"
done
"$bin/doall" cc -fopenmp -O2 "$sources/costs.c" -o app -fdoall-report=found.json || failed "compiling"
grep -q '"costs": "weighted"' found.json || failed "the report: $(cat found.json)"
"$bin/doall" doctor ./app >doctor || failed "doctor"
loops='13: 11 weighted by costs, 0 uniform, 1 guarded, 1 unknown'
grep -q "loops that doall compiled *$loops" doctor || failed "doctor: $(cat doctor)"
for loop in rows rows-backwards triangle pyramid two-hops orphaned early either calls; do
  unsteered=$(busiest ./app $loop)
  [ "$unsteered" -gt 120 ] || failed "$loop unsteered: $unsteered percent"
  steered=$(busiest ./app $loop best-static)
  [ "$steered" -le 103 ] || failed "$loop by best-static: $steered percent"
done

grep -q 'weighted: at most max(row\[k + 1\] - row\[k\], 0) \* ' found || failed "early: $(cat found)"
grep -q 'weighted: max(end\[k\] - begin\[k\], 0) \* ' found || failed "orphaned: $(cat found)"

# Counts and results of one type, functions of the file, collapsed nests, counters of other steps, and
# iterators. (What loops of them cost is checked by nests.py.)
cat >more.c <<'EOF'
double unknown(double);
__attribute__((noinline)) static double fixed(const double* x) {
  double s = 0;
  for (int i = 0; i < 300; ++i) s += x[i];
  return s;
}
__attribute__((noinline)) static void one(int i, const int* row, const double* v, double* y) {
  double s = 0;
  for (int j = row[i]; j < row[i + 1]; ++j) s += v[j];
  y[i] = s;
}
void f(int n, int m, const int* len, int* out, const int* row, double* y, const double* v) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) for (int j = 0; j < len[i]; ++j) out[i] += j;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) one(i, row, v, y);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) for (int j = 0; j < len[i]; ++j) y[i] += fixed(v + j);
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) for (int k = 0; k < len[j]; ++k) y[i * m + j] += k;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) for (int j = 1; j < i; j *= 2) y[i] += j;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) for (int j = i; j < n; j += i + 1) y[i] += j;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) for (int j = 0; j < i; ++j) y[i] += unknown(j);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) for (int j = 0; j < len[i]; ++j) y[i] += unknown(j);
#pragma omp parallel for
  for (int i = 2; i < n; ++i) for (int j = 2; j * j <= i; ++j) if (i % j == 0) { y[i] = 1; break; }
#pragma omp parallel for
  for (int i = 2; i < n; ++i) for (int j = 1; j <= i / j; ++j) y[i] += j;
#pragma omp parallel for
  for (int i = 2; i < n; ++i) for (int j = 3; j <= __builtin_sqrt(i); j += 2) y[i] += j;
}
EOF
"$bin/doall" cc --explain -O2 -fopenmp more.c | sed 's/.*costs //; s/;.*//; s/ [*+] [0-9][0-9]*//g' >more
cat >wanted <<'EOF'
weighted: max(len[k], 0)
weighted: max(row[k] - row[k], 0)
weighted: max(len[k], 0)
weighted: max(len[k % before], 0)
weighted: k > 1 ? (64 - clz(k - 1 | 1)) : 3
weighted: max((n - k + (max(k, 1) - 1)) / max(k, 1), 0)
weighted: max(k, 0)
weighted: max(len[k], 0)
weighted: at most k >= 0 ? max(sqrt(max(k, 0)) - 1, 0) : 5
weighted: k >= 0 ? max(sqrt(max(k, 0)), 0) : 3
weighted: max((sqrt(k) - 1) / 2, 0)
EOF
diff more wanted || failed "what costs are found of"
cat >more.cpp <<'EOF'
#include <vector>
long f(const std::vector<std::vector<int>>& rows) {
  long s = 0;
#pragma omp parallel for reduction(+ : s)
  for (const auto& row : rows) for (int v : row) s += v;
#pragma omp parallel for reduction(+ : s)
  for (auto at = rows.begin(); at < rows.end(); ++at) for (int v : *at) s += v;
  return s;
}
EOF
[ "$("$bin/doall" c++ --explain -O2 -fopenmp more.cpp | grep -c 'weighted: (rows\[k\]._M_impl._M_finish - rows\[k\]) / 4')" -eq 2 ] ||
  failed "iterators: $("$bin/doall" c++ --explain -O2 -fopenmp more.cpp)"

# What waits for other threads goes on.
cat >critical.c <<'EOF'
double best_of(int n, const int* row, const int* col, const double* v) {
  double best = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int k = row[i]; k < row[i + 1]; ++k)
      for (int j = row[col[k]]; j < row[col[k] + 1]; ++j) s += v[j];
#pragma omp critical
    best = s > best ? s : best;
  }
  return best;
}
EOF
"$bin/doall" cc --explain -O2 critical.c | grep -q 'weighted: sum(p' ||
  failed "critical.c: $("$bin/doall" cc --explain -O2 critical.c)"

# Costs neither read nor count what no iteration reaches: the program ends before, or the loop is left.
for flags in -O1 -O2 -O3; do
  gcc -fopenmp $flags "$sources/ends.c" "$sources/leave.c" -o plain
  "$bin/doall" cc -fopenmp $flags "$sources/ends.c" "$sources/leave.c" -o ends || failed "ends.c $flags"
  for s in wsrw best-static; do
    for more in '' searched 'never read' 'a call before' 'a call behind it'; do
      # shellcheck disable=SC2086
      found=$(OMP_CANCELLATION=true timeout 300 "$bin/doall" run --schedule=$s ./ends $more 2>err) ||
        failed "ends.c $flags $more under $s: status $?: $(cat err)"
      [ "$found" = "$(OMP_CANCELLATION=true ./plain)" ] || failed "ends.c $flags $more under $s: $found"
    done
  done
done

# Branches that meet again and again, and values that are used twice, are walked through once.
write_long >long.c
timeout 300 "$bin/doall" cc --explain long.c >walked || failed "long.c: status $?"
[ "$(sed 's/.*costs \([a-z]*\).*/\1/' walked | xargs)" = "weighted unknown guarded" ] || failed "long.c: $(cat walked)"

# What sanitizers check hides nothing of it, and costs little.
classes_of() { sed -n 's/^[^:]*:\([0-9]*\): .*costs \([a-z]*\).*/\1 \2/p' "$1"; }
for flags in -fsanitize=undefined '-fsanitize=undefined -fno-sanitize-recover=all' \
  -fsanitize=address,undefined -fsanitize=thread; do
  # shellcheck disable=SC2086
  "$bin/doall" cc --explain $flags "$sources/costs.c" >checked || failed "--explain $flags"
  [ "$(classes_of checked)" = "$(classes_of found)" ] || failed "$flags: $(diff found checked)"
  for words in 'max(row\[k + 1\] - row\[k\], 0) \* 1\?[0-9] + [0-9]*;' ' / 2'; do
    grep -q "weighted: .*$words" checked || failed "$flags: no loop costs $words: $(cat checked)"
  done
done
"$bin/doall" cc -O2 -fopenmp -fsanitize=undefined "$sources/costs.c" -o checked || failed "UBSan"
for loop in rows rows-backwards triangle two-hops orphaned early; do
  steered=$(busiest ./checked $loop best-static)
  [ "$steered" -le 103 ] || failed "$loop by best-static, with UBSan: $steered percent"
done

# COWS's five kernels, as they are: the paper's number of loops in each (Figure 12: 6, 3, 2, 2, 3; KC
# runs one of its five twice), one of them weighted by the vertex's degree, or guarded.
"$bin/doall" cc --explain -I"$kernels/.." "$kernels/cows_programs.c" >found ||
  failed "--explain"
classes() {
  sed -n "s/^.*cows_programs.inc:\([0-9]*\): schedule runtime:.*costs \([a-z]*\).*/\1 \2/p" found |
    sort -n | sed 's/.* //' | xargs
}
expected="weighted uniform uniform uniform uniform"
expected+=" uniform weighted uniform"
expected+=" uniform guarded"
expected+=" weighted uniform"
expected+=" uniform weighted uniform"
[ "$(classes)" = "$expected" ] || failed "COWS's loops are $(classes)"
[ "$(grep -c 'runtime: .*weighted: max(g.first\[k + 1\] - g.first\[k\], 0) \* [0-9]* + [0-9]*;' found)" -eq 4 ] ||
  failed "COWS's expressions: $(cat found)"

# COWS's optimisations, each with a switch: sums that are kept (Opt1), uniform loops that need none
# (Opt2), guarded ones (Opt3). Opt4 is the schedule's (wsrw,cut=walk).
without() { "$bin/doall" cc --explain "$1" -I"$kernels/.." "$kernels/cows_programs.c" >found; }
without -fno-doall-uniform
grep -q 'runtime: .*costs weighted: (k == 0) + [0-9]*;' found || failed "Opt2 stays: $(cat found)"
! grep -q 'runtime: .*costs uniform' found || failed "Opt2 stays: $(cat found)"
without -fno-doall-guards
grep -q 'weighted: max(max(g.first\[k + 1\] - g.first\[k\], 0) \* [0-9]* + [0-9]*, 1)' found ||
  failed "Opt3 stays: $(cat found)"
# In the notes: weighted, begun by an entry of the object's, with a grain of 1.
facts() { "$bin/doall" cc -fopenmp -O2 -S "$@" "$sources/costs.c" -o - | grep -c -E "\.quad\s$fact\$"; }
fact=324 kept=$(facts)
fact=332 anew=$(facts -fno-doall-kept)
[ "$kept" -gt 0 ] && [ "$kept" = "$anew" ] || failed "Opt1: $kept loops keep their sums, $anew do not"
"$bin/doall" cc -fopenmp -O2 -fno-doall-kept -fno-doall-uniform "$sources/costs.c" -o anew || failed "no Opt1"
for loop in rows triangle; do
  steered=$(busiest ./anew $loop best-static)
  [ "$steered" -le 103 ] || failed "$loop without Opt1 and Opt2: $steered percent"
done

# Under schedule(runtime), too, sums are made of them: no word of a loop without costs.
sed 's/omp parallel for/& schedule(runtime)/' "$sources/costs.c" >runtime.c
"$bin/doall" cc -fopenmp -O2 runtime.c -o runtime || failed "schedule(runtime)"
for loop in rows triangle; do
  by_env=$(OMP_SCHEDULE=best-static "$bin/doall" run ./runtime | sed -n "s/^$loop \([0-9]*\) .*/\1/p")
  [ "$by_env" -le 103 ] || failed "$loop, schedule(runtime): $by_env percent"
done
# The same of other clauses that a runtime deals. A chunk that the source names is dealt whole, so
# a block may differ by one, of which the largest are the first rows'.
for clause in dynamic 'guided, 4' 'monotonic : dynamic, 8'; do
  sed "s/omp parallel for/& schedule($clause)/" "$sources/costs.c" >dealt.c
  "$bin/doall" cc -fopenmp -O2 dealt.c -o dealt || failed "schedule($clause)"
  ./dealt >out || failed "schedule($clause) on libgomp"
  "$bin/doall" cc -fopenmp -O2 -fno-doall-runtime dealt.c -o plain || failed "$clause, -fno-doall-runtime"
  [ "$(./plain | sed 's/ [0-9]* / /')" = "$(sed 's/ [0-9]* / /' out)" ] || failed "$clause: another answer"
  for loop in rows triangle; do
    steered=$(busiest ./dealt $loop best-static)
    chunk=${clause//[!0-9]/}
    largest=2001 total=745693  # rounds of the first row, of all
    [ "$steered" -le $((103 + ${chunk:-0} * largest * 100 * OMP_NUM_THREADS / total)) ] ||
      failed "$loop, schedule($clause), steered: $steered percent"
  done
  "$bin/doall" run --report ./dealt 2>&1 | grep -q "loop *${clause%%[, :]*}\|loop *dynamic,8\|loop *static-steal" ||
    failed "$clause is not dealt as ever: $("$bin/doall" run --report ./dealt 2>&1)"
done
OMP_SCHEDULE=guided ./runtime >out || failed "schedule(runtime) on libgomp"

# Nothing is read that an iteration would not read.
"$bin/doall" cc -g -O1 -fopenmp -fsanitize=address,undefined "$sources/costs.c" -o checked || failed "ASan"
for s in best-static wsrw; do
  LD_LIBRARY_PATH=$bin/../lib/doall/omp DOALL_SCHEDULE=$s ASAN_OPTIONS=detect_leaks=0 ./checked \
    >out 2>err || failed "ASan under $s: status $?"
  ! grep -e 'ERROR: ' -e 'runtime error' err || failed "ASan under $s"
done
end
