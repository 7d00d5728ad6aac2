#!/bin/sh
# A process that uses no OpenMP when it starts opens the library later, from wherever it is called
# first: in the constructor of a library that is just being loaded (late_region.c).
#   late_region.sh DOALL CC SOURCES
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$2" -O2 "$3/late_region.c" -o "$folder/program" -ldl
"$2" -O2 -fopenmp -DLIBRARY -fPIC -shared "$3/late_region.c" -o "$folder/library.so"
sum=$(timeout 60 "$1" run "$folder/program" "$folder/library.so")
[ "$sum" = 8 ] || { echo "wrong: two workers count \"$sum\", not 8"; exit 1; }
echo "a region in a constructor ends"
