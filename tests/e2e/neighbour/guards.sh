#!/bin/sh
# A static of a function that is made at its first use has a guard, which is a lock:
# the child of a fork that comes while another thread makes the value waits for a
# thread that it does not have. src/base/lazy.hpp is for such values.
#   guards.sh LIBRARY...
set -eu
failures=0
for library in "$@"; do
  symbols=$(LC_ALL=C nm -C "$library")
  case $symbols in
    *doall::*) ;;
    *)
      echo "wrong: nm shows nothing of $library"
      failures=$((failures + 1))
      ;;
  esac
  guards=$(echo "$symbols" | grep 'guard variable for doall::.*)' || true)
  if [ -n "$guards" ]; then
    echo "wrong: in $library a first use takes a lock:"
    echo "$guards"
    failures=$((failures + 1))
  fi
done
exit "$failures"
