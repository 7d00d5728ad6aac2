#!/bin/sh
# Compiles a program of oneTBB or of the standard's algorithms with doall's headers, and runs it.
#   run.sh PROGRAM INCLUDES FOLDER-OF-LIBDOALL ROUNDS COMPILER OPTION...
# Warnings of the headers are errors. Skipped (77) where the compiler lacks a library.
set -eu
program=$1 includes=$2 library=$3 rounds=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

printf '#include <vector>\nint main() { return std::vector<int>().size(); }\n' >"$folder/empty.cpp"
if ! "$@" "$folder/empty.cpp" -o "$folder/empty" 2>"$folder/errors" || ! "$folder/empty"; then
  echo "skipped: $* makes no program: $(head -1 "$folder/errors")"
  exit 77
fi
# The standard library's own headers of the parallel algorithms are not free of these warnings.
warnings='-Wall -Wextra -Werror'
case $program in
*/loops.cpp | */lifetimes.cpp | */patience.cpp)
  warnings="$warnings -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast
    -Wcast-qual -Wundef"
  ;;
esac
"$@" $warnings -I"$includes" "$program" -o "$folder/program" -L"$library" -ldoall -pthread
status=0
TSAN_OPTIONS='exitcode=66' LD_LIBRARY_PATH=$library DOALL_NUM_THREADS=4 DOALL_OVERSUBSCRIBE=true \
  timeout 500 "$folder/program" "$rounds" >"$folder/out" 2>&1 || status=$?
cat "$folder/out"
# A kernel whose address layout this ThreadSanitizer does not know.
if grep -q 'unexpected memory mapping' "$folder/out"; then exit 77; fi
exit $status
