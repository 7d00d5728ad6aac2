#!/bin/sh
# Libraries that are loaded, used and unloaded leave no memory behind. A program with
# AddressSanitizer's search for leaks, on libraries that are not built with it: those
# could not be unloaded.
#   leaks.sh CXX SOURCES INCLUDES LIBDOALL LIBGOMP
set -eu
cxx=$1
sources=$2
includes=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if ! "$cxx" -std=c++20 -O1 -g -fsanitize=address -I"$includes" "$sources/unload.cpp" \
  -o "$folder/unload" -ldl 2>"$folder/errors"; then
  echo "skipped: no AddressSanitizer: $(head -1 "$folder/errors")"
  exit 77
fi

expect_no_leak() { # WHAT VARIABLE=VALUE...
  what=$1
  shift
  status=0
  env ASAN_OPTIONS=detect_leaks=1:exitcode=66 DOALL_NUM_THREADS=3 "$@" timeout 100 \
    "$folder/unload" "$libdoall" "$libgomp" >"$folder/out" 2>&1 || status=$?
  if grep -q 'LeakSanitizer has encountered a fatal error' "$folder/out"; then
    echo "skipped: leaks cannot be searched for under a debugger"
    exit 77
  fi
  [ "$status" -eq 0 ] && return
  echo "wrong, $what (status $status):"
  cat "$folder/out"
  exit 1
}
libdoall=$1
libgomp=$2
expect_no_leak "usual settings" DOALL_SPIN_NS=0
expect_no_leak "settings of every kind, half of them bad" OMP_PROC_BIND=true OMP_SCHEDULE=guided,3 \
  DOALL_SCHEDULE=trapezoid OMP_STACKSIZE=none OMP_PLACES=cores OMP_WAIT_POLICY=no
expect_no_leak "with a report" DOALL_REPORT_FOLDER="$folder"
find "$folder" -name 'report.*' | grep -q . || { echo "wrong: there is no report"; exit 1; }
echo "nothing was left behind"
