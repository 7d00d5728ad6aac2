#!/bin/sh
# Runs loop programs under every schedule of the registry and several team sizes,
# and from the loop's other end:
#   every_schedule.sh DOALL PROGRAM...
# The names come from `doall schedules`, so that a new one is tested by itself. With
# DOALL_TEST_LONG there are more team sizes.
set -eu
doall=$1
shift

names=$("$doall" schedules --json | sed -n 's/^ *"name": "\([^"]*\)",*$/\1/p' | sort -u)
[ "$(echo "$names" | wc -l)" -ge 5 ] || { echo "no schedules found"; exit 1; }

team_sizes='1 3'
[ -z "${DOALL_TEST_LONG:-}" ] || team_sizes='1 2 3 16'

failures=0
run_all() { # SCHEDULE THREADS PROGRAM...
  schedule=$1
  threads=$2
  shift 2
  for program in "$@"; do
    if ! output=$("$doall" run "--schedule=$schedule" "--threads=$threads" -- "$program" 2>&1); then
      echo "$output"
      echo "failed: doall run --schedule=$schedule --threads=$threads -- $program"
      failures=$((failures + 1))
    fi
  done
}

for name in $names; do
  for threads in $team_sizes; do
    run_all "$name" "$threads" "$@"
  done
  run_all "$name,order=reverse" 3 "$@"
done
echo "$(echo "$names" | wc -l) schedules, $failures failures"
[ "$failures" -eq 0 ]
