#!/bin/sh
# LLVM's Archer, a tool that Debian ships (libomp-19-dev), gets its events: it annotates as many
# orders between threads as events have them, on a runtime of annotations that counts.
#   archer.sh OMP_FOLDER ARCHER ANNOTATIONS PROGRAM...
set -eu
omp=$1
archer=$2
annotations=$3
shift 3
for program in "$@"; do
  out=$(env LD_LIBRARY_PATH="$omp" LD_PRELOAD="$annotations" OMP_TOOL_LIBRARIES="$archer" \
    "$program" 2>/dev/null)
  echo "$out"
  echo "$out" | grep -q '^sum 1 1 104$'
  counts=$(echo "$out" | sed -n 's/^annotations: \(.*\) functions left open$/\1/p')
  before=${counts%% before*}
  after=${counts#*before, }
  after=${after%% after*}
  # Per thread: the region, four barriers, the critical section; and the tasks'.
  [ "$before" -ge 24 ] && [ "$after" -ge 20 ] || { echo "wrong: too few for $program"; exit 1; }
  [ "${counts##* }" = 0 ] || { echo "wrong: implicit tasks without end in $program"; exit 1; }
done
