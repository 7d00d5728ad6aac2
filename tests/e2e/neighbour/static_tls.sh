#!/bin/sh
# A library with the flag STATIC_TLS cannot be loaded late into a process whose
# reserve of static thread-local storage is used up.
#   static_tls.sh LIBRARY...
set -eu
failures=0
for library in "$@"; do
  dynamic=$(LC_ALL=C readelf -dW "$library")
  case $dynamic in
    *STATIC_TLS*)
      echo "wrong: $library wants static thread-local storage"
      failures=$((failures + 1))
      ;;
    *SONAME*) ;;
    *)
      echo "wrong: readelf shows no soname of $library"
      failures=$((failures + 1))
      ;;
  esac
done
exit "$failures"
