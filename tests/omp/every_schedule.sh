#!/bin/sh
# Runs loop programs under every schedule of the registry and several team sizes,
# and from the loop's other end:
#   every_schedule.sh DOALL PROGRAM... [-- PROGRAM...]
# Those behind `--` name their team's size, so they run once. The names come from
# `doall schedules`, so that a new one is tested by itself. With DOALL_TEST_LONG there
# are more team sizes.
set -eu
doall=$1
shift

names=$("$doall" schedules --json | sed -n 's/^ *"name": "\([^"]*\)",*$/\1/p' | sort -u)
[ "$(echo "$names" | wc -l)" -ge 5 ] || { echo "no schedules found"; exit 1; }

team_sizes='1 3'
[ -z "${DOALL_TEST_LONG:-}" ] || team_sizes='1 2 3 16'

failures=0
run() { # SCHEDULE THREADS PROGRAM
  output=$("$doall" run "--schedule=$1" "--threads=$2" -- "$3" 2>&1) && return
  echo "$output"
  echo "failed: doall run --schedule=$1 --threads=$2 -- $3"
  failures=$((failures + 1))
}

for name in $names; do
  sizes=$team_sizes
  for program in "$@"; do
    if [ "$program" = -- ]; then
      sizes=3
      continue
    fi
    for threads in $sizes; do
      run "$name" "$threads" "$program"
    done
    run "$name,order=reverse" 3 "$program"
  done
done
echo "$(echo "$names" | wc -l) schedules, $failures failures"
[ "$failures" -eq 0 ]
