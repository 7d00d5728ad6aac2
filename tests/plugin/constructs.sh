#!/bin/bash
# A program of constructs gives the same answers compiled by GCC and by doall's driver:
#   constructs.sh BIN COMPILER DRIVER SOURCE
# BIN is the folder of the command. At every level of optimisation, with LTO and under sanitizers;
# on GCC's own libgomp, on doall unsteered, and on doall under schedules: all of the registry's at
# -O2, a few elsewhere.
set -u
bin=$1
compiler=$2
driver=$1/$3
source=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME=$work
unset XDG_CONFIG_HOME DOALL_SCHEDULE DOALL_NUM_THREADS OMP_NUM_THREADS OMP_SCHEDULE
export OMP_CANCELLATION=true

checks=0
failures=0
failed() {
  failures=$((failures + 1))
  echo "FAILED: $*"
}

# same WHAT COMMAND...: prints what GCC's program prints.
same() {
  local what=$1
  shift
  checks=$((checks + 1))
  timeout 60 "$@" >out 2>err || failed "$what: status $?: $(tail -n 3 err)"
  cmp -s expected out || failed "$what: $(diff expected out | head -n 3)"
}

# builds FLAGS...: by the driver, into ./app.
builds() {
  checks=$((checks + 1))
  "$driver" -fopenmp "$@" "$source" -o app 2>errors || {
    failed "$*: $(head -n 3 errors)"
    return 1
  }
  ! grep -q 'internal compiler error' errors || failed "$*: an internal compiler error"
}

under() {
  same "$flags under $1" env OMP_NUM_THREADS=3 "$bin/doall" run --schedule="$1" ./app
}

"$compiler" -O1 -fopenmp "$source" -o plain 2>errors || {
  cat errors
  exit 1
}
OMP_NUM_THREADS=2 ./plain >expected || exit 1
[ -s expected ] || failed "the program prints nothing"

for flags in -O0 -O1 -O2 -O3 -Os '-O2 -flto' '-O2 -fno-pie -no-pie' '-O2 -g -fPIC' \
  '-O2 -fdoall-static'; do
  # shellcheck disable=SC2086
  builds $flags || continue
  same "$flags on libgomp" env OMP_NUM_THREADS=3 ./app
  same "$flags on doall" env OMP_NUM_THREADS=3 "$bin/doall" run ./app
  case $flags in
    *-O2 | *static) for s in $("$bin/doall" schedules | sed -n '2,/^$/s/^\([a-z+-]*\) .*/\1/p'); do
      under "$s"
    done ;;
    *) for s in dynamic,3 hybrid; do under "$s"; done ;;
  esac
done

# A sanitizer's runtime comes with the program, and must come before a preloaded library.
omp=$bin/../lib/doall/omp
for flags in '-O1 -fsanitize=address,undefined' '-O1 -fsanitize=thread'; do
  # shellcheck disable=SC2086
  builds -g $flags || continue
  for s in static hybrid; do
    same "$flags on doall, $s" env LD_LIBRARY_PATH="$omp" DOALL_SCHEDULE=$s OMP_NUM_THREADS=3 \
      ASAN_OPTIONS=detect_leaks=0 ./app
    [ ! -s err ] || failed "$flags under $s: $(head -n 3 err)"
  done
done

echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
