#!/bin/bash
# What steers a program of Clang's, and where its report says that it ran.
#   steering.sh DOALL PROGRAM   PROGRAM: probe_steering.c
set -euo pipefail
doall=$1
program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DOALL_SCHEDULE OMP_SCHEDULE OMP_NUM_THREADS LD_PRELOAD

fail() {
  echo "wrong: $*"
  cat "$work/report" "$work/output" 2>/dev/null
  exit 1
}
run() { # SCHEDULE
  "$doall" run --threads=4 "--schedule=$1" "--report=$work/report" "$program" >"$work/output" 2>&1 ||
    fail "under $1 it ended with $?"
}

for schedule in best-static fine-grain; do
  run "$schedule"
  grep -q "\"schedule\": \"$schedule\"" "$work/report" || fail "no loop ran under $schedule"
  grep -q "probe_steering.c" "$work/report" || fail "no file in the report"
done
# Without a schedule auto runs what names none, here in blocks of equal measured cost. Short loops,
# too: how short these are depends on who else is at work.
run_unsteered() { # [VARIABLE=VALUE]
  env DOALL_SMALL_LOOPS=shared "$@" "$doall" run --threads=4 "--report=$work/report" "$program" >"$work/output" 2>&1 ||
    fail "without a schedule it ended with $?"
}
says() { grep -q "\"why\": \"$1\"" "$work/report" || fail "not said: why $1"; }
run_unsteered
says "auto: blocks cut by their times"
says "its source names it"
run_unsteered DOALL_DEFAULT_SCHEDULE=compiled
says "names none: as compiled"
# Sums keep their bits only if the loop is cut at the same places.
run_unsteered KMP_DETERMINISTIC_REDUCTION=true
says "names none: as compiled"
run affinity
grep -q '"schedule": "affinity"' "$work/report" || fail "the dynamic loop did not run under affinity"
grep -q '"schedule": "static"' "$work/report" || fail "the static loop did not stay static"
grep -q '"dynamic_loop"' "$work/report" || fail "no function in the report"
