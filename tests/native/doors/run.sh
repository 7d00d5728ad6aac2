#!/bin/sh
# Compiles doors.cpp as its user does and runs it.
#   run.sh SOURCES INCLUDES FOLDER-OF-LIBDOALL ROUNDS COMPILER OPTION...
# Warnings of the headers are errors. Skipped (77) where the compiler lacks a library.
set -eu
sources=$1 includes=$2 library=$3 rounds=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

printf '#include <vector>\nint main() { return std::vector<int>().size(); }\n' >"$folder/empty.cpp"
if ! "$@" -std=c++20 "$folder/empty.cpp" -o "$folder/empty" 2>"$folder/errors" || ! "$folder/empty"; then
  echo "skipped: $* makes no program: $(head -1 "$folder/errors")"
  exit 77
fi
"$@" -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast \
  -Wcast-qual -Wundef -Werror -I"$includes" "$sources/doors.cpp" -o "$folder/doors" \
  -L"$library" -ldoall
status=0
TSAN_OPTIONS='exitcode=66' LD_LIBRARY_PATH=$library DOALL_NUM_THREADS=4 DOALL_OVERSUBSCRIBE=true \
  timeout 500 "$folder/doors" "$rounds" >"$folder/out" 2>&1 || status=$?
cat "$folder/out"
# A kernel whose address layout this ThreadSanitizer does not know.
if grep -q 'unexpected memory mapping' "$folder/out"; then exit 77; fi
exit $status
