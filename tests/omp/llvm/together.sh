#!/bin/sh
# Runs together.c in both orders, and with a library of each compiler loaded at the start.
#   together.sh OMP_FOLDER TOGETHER GCC_LIBRARY CLANG_LIBRARY [VARIABLE=VALUE...]
set -eu
folder=$1
together=$2
gcc=$3
clang=$4
shift 4
run() {
  env LD_LIBRARY_PATH="$folder" "$@" || { echo "wrong: $*"; exit 1; }
}
run "$@" "$together" "$gcc" "$clang"
run "$@" "$together" "$clang" "$gcc"
run "$@" LD_PRELOAD="$gcc" "$together" "$gcc" "$clang"
run "$@" LD_PRELOAD="$clang" "$together" "$gcc" "$clang"
run "$@" LD_PRELOAD="$folder/libgomp.so.1" "$together" "$clang" "$gcc"
run "$@" LD_PRELOAD="$folder/libomp.so.5" "$together" "$gcc" "$clang"

# No other runtime is in the process, and all that the libraries name is found, with its version.
for library in "$gcc" "$clang"; do
  LD_LIBRARY_PATH=$folder ldd -r "$library" >ldd.out 2>&1
  if grep -E 'undefined|not found|no version' ldd.out; then exit 1; fi
  ours=$(grep -cE "=> .*(libdoall-omp|$folder/)" ldd.out)
  [ "$ours" -ge 2 ] || { cat ldd.out; exit 1; }
done
rm ldd.out
