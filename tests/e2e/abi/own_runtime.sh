#!/bin/sh
# A program may bring a libstdc++ or libgcc_s of its own, older or newer than the one here. So the
# libraries need neither, and show no symbol of their own copies. Each program's start pays for what
# they need, and for what is to be relocated in them: libstdc++'s streams alone are 2,600 places.
#   own_runtime.sh CC FOLDER-OF-LIBDOALL LIBRARY...
set -eu
cc=$1
here=$2
shift 2
command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }
failures=0
relocations_most=2000
for library in "$@"; do
  needs=$(LC_ALL=C readelf -dW "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  for need in $needs; do
    case $need in
      libc.so.* | libpthread.so.* | libdl.so.* | ld-linux* | libdoall*) ;;
      libm.so.*)
        # Where rounding and square roots are instructions.
        LC_ALL=C readelf -hW "$library" | grep -q 'Machine:.*X86-64' || continue
        echo "wrong: $library needs $need"
        failures=$((failures + 1))
        ;;
      *)
        echo "wrong: $library needs $need: a program with another one of it may not start"
        failures=$((failures + 1))
        ;;
    esac
  done
  relocations=$(LC_ALL=C readelf -dW "$library" | awk '/RELACOUNT/ { print $3 }')
  if [ "${relocations:-0}" -gt "$relocations_most" ]; then
    echo "wrong: $library has $relocations relative relocations, expected $relocations_most at most"
    failures=$((failures + 1))
  fi
  # Names of the C++ library and of its ABI, defined and visible.
  shown=$(LC_ALL=C nm -D --defined-only "$library" |
    awk '$3 ~ /^(_ZNK?S|_ZT[ISV][NS]?St|_ZN9__gnu_cxx|_ZN10__cxxabiv1|__cxa_|__gxx_|_Unwind_|_Zn[wa]|_Zd[la])/ { print $3 }')
  if [ -n "$shown" ]; then
    echo "wrong: $library shows symbols of its C++ library:"
    echo "$shown" | head
    failures=$((failures + 1))
  fi
done

# A program and an extension of Python's that bring a newer libstdc++ start, with doall's libraries
# preloaded, and without that.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# starts TEXT WHAT COMMAND...: which has to print that, both ways.
starts() {
  text=$1
  what=$2
  shift 2
  for preloaded in "" "$here/libdoall-omp.so.0"; do
    printed=$(LD_PRELOAD=$preloaded LD_LIBRARY_PATH=$here/doall/omp "$@" 2>&1) || true
    if [ "$printed" != "$text" ]; then
      echo "wrong: $what with a libstdc++ of its own, preloaded \"$preloaded\": $printed"
      failures=$((failures + 1))
    fi
  done
}
if sh "$(dirname "$0")/newer_runtime.sh" "$cc" "$folder" 2>"$folder/errors"; then
  starts "99 4950" "a program" "$folder/app"
  # A python of /usr: wrappers elsewhere are shell scripts, which need more.
  if [ -x /usr/bin/python3 ]; then
    starts 5049 "an extension" /usr/bin/python3 -c \
      'import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).plug())' "$folder/plug.so"
  fi
else
  echo "not tried: $(head -1 "$folder/errors")"
fi
[ "$failures" -eq 0 ] || exit 1
echo "the libraries need the C library alone"
