#!/bin/sh
# Runs loop programs under every schedule of the registry and several team sizes:
#   every_schedule.sh DOALL PROGRAM...
# The names come from `doall schedules`, so that a new one is tested by itself.
set -eu
doall=$1
shift

names=$("$doall" schedules --json | sed -n 's/^ *"name": "\([^"]*\)",*$/\1/p' | sort -u)
[ "$(echo "$names" | wc -l)" -ge 5 ] || { echo "no schedules found"; exit 1; }

failures=0
for name in $names; do
  for threads in 1 2 3 16; do
    for program in "$@"; do
      if ! output=$("$doall" run "--schedule=$name" "--threads=$threads" -- "$program" 2>&1); then
        echo "$output"
        echo "failed: doall run --schedule=$name --threads=$threads -- $program"
        failures=$((failures + 1))
      fi
    done
  done
done
echo "$(echo "$names" | wc -l) schedules, $failures failures"
[ "$failures" -eq 0 ]
