#!/bin/sh
# A program built with ThreadSanitizer, on libraries that are not: what the runtime
# orders must not be reported, and what it does not must be.
#   tsan.sh omp CC SOURCES FOLDER-OF-LIBGOMP
#   tsan.sh native CXX SOURCES FOLDER-OF-LIBDOALL INCLUDES
set -eu
door=$1
compiler=$2
sources=$3
library=$4
includes=${5:-.}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

build() { # NAME OPTION...
  name=$1
  shift
  case $door in
    omp) set -- -fopenmp "$@" "$sources/tsan_omp.c" ;;
    native) set -- -std=c++20 -I"$includes" "$@" "$sources/tsan_native.cpp" -L"$library" -ldoall ;;
  esac
  "$compiler" -fsanitize=thread -O1 -g "$@" -o "$folder/$name"
}
if ! build ordered 2>"$folder/errors"; then
  echo "skipped: no ThreadSanitizer: $(head -1 "$folder/errors")"
  exit 77
fi
build racing -DRACE

on_doall() { # PROGRAM
  TSAN_OPTIONS='exitcode=66 die_after_fork=0' LD_LIBRARY_PATH=$library timeout 60 "$folder/$1" \
    >"$folder/$1.out" 2>&1
}
status=0
on_doall ordered || status=$?
case $status in
  0) ;;
  66)
    echo "wrong: reported as a race, which it is not:"
    cat "$folder/ordered.out"
    exit 1
    ;;
  *)
    cat "$folder/ordered.out"
    # A kernel whose address layout this ThreadSanitizer does not know.
    if grep -q 'unexpected memory mapping' "$folder/ordered.out"; then exit 77; fi
    exit 1
    ;;
esac
grep -q '^all right' "$folder/ordered.out" || { cat "$folder/ordered.out"; exit 1; }

# On a busy machine one worker may run all of a short loop, or ThreadSanitizer overlook what overlaps.
for _ in 1 2 3 4 5; do
  status=0
  on_doall racing || status=$?
  [ "$status" = 0 ] || break
done
if [ "$status" -ne 66 ]; then
  echo "wrong: a race was not reported (status $status)"
  exit 1
fi
echo "ThreadSanitizer sees what the runtime orders"
