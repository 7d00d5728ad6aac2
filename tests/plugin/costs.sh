#!/bin/bash
# What the plugin finds of iterations' costs balances loops, and never faults:
#   costs.sh BIN SOURCES
set -u
bin=$1
sources=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset DOALL_SCHEDULE DOALL_NUM_THREADS OMP_SCHEDULE
export OMP_NUM_THREADS=4
failures=0
failed() {
  failures=$((failures + 1))
  echo "FAILED: $*"
}

# busiest PROGRAM LOOP [SCHEDULE]: the busiest thread's rounds in percent of the mean.
busiest() { "$bin/doall" run ${3:+"--schedule=$3"} "$1" | sed -n "s/^$2 \([0-9]*\) .*/\1/p"; }

"$bin/doall" cc --explain "$sources/costs.c" >found || failed "--explain"
for kind in 'weighted: .*row' 'weighted: .* / 2' guarded unknown; do
  grep -q "costs $kind" found || failed "no loop is $kind: $(cat found)"
done
"$bin/doall" cc -fopenmp -O2 "$sources/costs.c" -o app -fdoall-report=found.json || failed "compiling"
grep -q '"costs": "weighted"' found.json || failed "the report: $(cat found.json)"
for loop in rows rows-backwards triangle; do
  unsteered=$(busiest ./app $loop)
  [ "$unsteered" -gt 120 ] || failed "$loop unsteered: $unsteered percent"
  steered=$(busiest ./app $loop best-static)
  [ "$steered" -le 103 ] || failed "$loop by best-static: $steered percent"
done

# Nothing is read that an iteration would not read.
"$bin/doall" cc -g -O1 -fopenmp -fsanitize=address,undefined "$sources/costs.c" -o checked || failed "ASan"
for s in best-static wsrw; do
  LD_LIBRARY_PATH=$bin/../lib/doall/omp DOALL_SCHEDULE=$s ASAN_OPTIONS=detect_leaks=0 ./checked \
    >out 2>err || failed "ASan under $s: status $?"
  ! grep -e 'ERROR: ' -e 'runtime error' err || failed "ASan under $s"
done
echo "$failures failed"
[ "$failures" -eq 0 ]
