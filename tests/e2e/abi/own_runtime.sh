#!/bin/sh
# A program may bring a libstdc++ or libgcc_s of its own, older or newer than the one here. So the
# libraries need neither, and show no symbol of their own copies.
#   own_runtime.sh CC FOLDER-OF-LIBDOALL LIBRARY...
set -eu
cc=$1
here=$2
shift 2
command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }
failures=0
for library in "$@"; do
  needs=$(LC_ALL=C readelf -dW "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  for need in $needs; do
    case $need in
      libc.so.* | libm.so.* | libpthread.so.* | libdl.so.* | ld-linux* | libhwloc.so.* | libdoall*) ;;
      *)
        echo "wrong: $library needs $need: a program with another one of it may not start"
        failures=$((failures + 1))
        ;;
    esac
  done
  # Names of the C++ library and of its ABI, defined and visible.
  shown=$(LC_ALL=C nm -D --defined-only "$library" |
    awk '$3 ~ /^(_ZNK?S|_ZT[ISV][NS]?St|_ZN9__gnu_cxx|_ZN10__cxxabiv1|__cxa_|__gxx_|_Unwind_|_Zn[wa]|_Zd[la])/ { print $3 }')
  if [ -n "$shown" ]; then
    echo "wrong: $library shows symbols of its C++ library:"
    echo "$shown" | head
    failures=$((failures + 1))
  fi
done

# A program that links a libstdc++ which has nothing but a version that no real one has starts, with
# doall's libraries preloaded, and without that.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/own"
echo 'GLIBCXX_9.9 { global: newer_thing; local: *; };' >"$folder/map"
echo 'int newer_thing(void) { return 99; }' >"$folder/newer.c"
cat >"$folder/app.c" <<'END'
#include <stdio.h>
int newer_thing(void);
int main(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
  for (int i = 0; i < 100; ++i) sum += i;
  printf("%d %d\n", newer_thing(), sum);
}
END
if "$cc" -shared -fPIC "$folder/newer.c" -Wl,-soname,libstdc++.so.6 \
  -Wl,--version-script="$folder/map" -o "$folder/own/libstdc++.so.6" 2>"$folder/errors" &&
  "$cc" -fopenmp "$folder/app.c" "$folder/own/libstdc++.so.6" -Wl,-rpath,"$folder/own" \
    -o "$folder/app" 2>>"$folder/errors"; then
  for preloaded in "" "$here/libdoall-omp.so.0"; do
    printed=$(LD_PRELOAD=$preloaded LD_LIBRARY_PATH=$here/doall/omp "$folder/app" 2>&1) || true
    if [ "$printed" != "99 4950" ]; then
      echo "wrong: a program with a libstdc++ of its own, preloaded \"$preloaded\": $printed"
      failures=$((failures + 1))
    fi
  done
else
  echo "not tried: $(head -1 "$folder/errors")"
fi
[ "$failures" -eq 0 ] || exit 1
echo "the libraries need the C library and hwloc alone"
