#!/bin/sh
# Makes, in FOLDER, a program and a library (as an extension of Python's) that bring a libstdc++ of
# their own. It has nothing but a version that no real one has, so they start with no other.
#   newer_runtime.sh CC FOLDER
# The program prints "99 4950", and plug() of the library returns 5049.
set -eu
cc=$1
folder=$2
mkdir -p "$folder/own"
echo 'GLIBCXX_9.9 { global: newer_thing; local: *; };' >"$folder/map"
echo 'int newer_thing(void) { return 99; }' >"$folder/newer.c"
cat >"$folder/plug.c" <<'END_OF_FILE'
int newer_thing(void);
static int sum_of(int n) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
  for (int i = 0; i < n; ++i) sum += i;
  return sum;
}
int plug(void) { return newer_thing() + sum_of(100); }
END_OF_FILE
cat >"$folder/app.c" <<'END_OF_FILE'
#include <stdio.h>
#include "plug.c"
int main(void) { printf("%d %d\n", newer_thing(), sum_of(100)); }
END_OF_FILE
"$cc" -shared -fPIC "$folder/newer.c" -Wl,-soname,libstdc++.so.6 \
  -Wl,--version-script="$folder/map" -o "$folder/own/libstdc++.so.6"
# shellcheck disable=SC2016
"$cc" -fopenmp "$folder/app.c" "$folder/own/libstdc++.so.6" '-Wl,-rpath,$ORIGIN/own' \
  -o "$folder/app"
# shellcheck disable=SC2016
"$cc" -fopenmp -shared -fPIC "$folder/plug.c" "$folder/own/libstdc++.so.6" \
  '-Wl,-rpath,$ORIGIN/own' -o "$folder/plug.so"
