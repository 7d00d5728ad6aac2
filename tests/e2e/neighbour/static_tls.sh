#!/bin/sh
# A library with the flag STATIC_TLS cannot be loaded late into a process whose reserve of static
# thread-local storage is used up.
#   static_tls.sh LIBRARY LOADS USER NAME
# The library of OpenMP's door has that flag, as libgomp has, for its calls look up their thread:
# LOADS (static_tls.c) loads USER, which takes 1024 bytes of the reserve, and then NAME.
set -eu
dynamic=$(LC_ALL=C readelf -dW "$1")
case $dynamic in
  *STATIC_TLS*)
    echo "wrong: $1 wants static thread-local storage"
    exit 1
    ;;
  *SONAME*) ;;
  *)
    echo "wrong: readelf shows no soname of $1"
    exit 1
    ;;
esac
shift
"$@"
