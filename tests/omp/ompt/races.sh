#!/bin/sh
# Programs built with ThreadSanitizer on doall, with LLVM's Archer (libomp-19-dev) as their tool: no
# report of what OpenMP orders, and one of each race. The same without Archer: doall says itself
# what it orders.
#   races.sh OMP_FOLDER ARCHER PROGRAM...
set -eu
omp=$1
archer=$2
shift 2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run ARCHER_OR_NOTHING PROGRAM KIND: the status, and what was said in $work/out and $work/err
run() {
  status=0
  env LD_LIBRARY_PATH="$omp" OMP_TOOL_LIBRARIES="$1" ARCHER_OPTIONS=verbose=1 \
    TSAN_OPTIONS=ignore_noninstrumented_modules=1:exitcode=66:atexit_sleep_ms=0 \
    "$2" "$3" >"$work/out" 2>"$work/err" || status=$?
  # With no tool to look for there is no Archer; with one it must have begun.
  [ -z "$1" ] || grep -q 'with TSan, supplying OpenMP synchronization' "$work/out" "$work/err" ||
    fail "$2" "$3" "Archer did not begin"
}

fail() {
  echo "wrong: $1 $2 (Archer: ${tool:-none}): $3; status $status"
  cat "$work/out"
  head -60 "$work/err"
  exit 1
}

for tool in "$archer" ""; do
  for program in "$@"; do
    run "$tool" "$program" ordered
    [ "$status" = 0 ] && grep -q '^done 1$' "$work/out" || fail "$program" ordered "reports"
    [ -n "$tool" ] && locks= || locks=locks
    for kind in region tasks grandchild $locks; do
      # Of two accesses at the same moment ThreadSanitizer may overlook one.
      for _ in 1 2 3 4 5; do
        run "$tool" "$program" "$kind"
        [ "$status" = 0 ] || break
      done
      [ "$status" = 66 ] && grep -q '^done 1$' "$work/out" || fail "$program" "$kind" "no report"
      grep -q 'WARNING: ThreadSanitizer: data race' "$work/err" ||
        fail "$program" "$kind" "another report"
    done
    echo "$program: as expected (Archer: ${tool:-none})"
  done
done
