#!/bin/sh
# Every header of the native door, by a compiler that is told to do without what it needs: the first
# error is a sentence, and the compilation ends there.
#   refused.sh INCLUDES COMPILER
set -eu
includes=$1 compiler=$2
file=$(mktemp --suffix=.cpp)
trap 'rm -f "$file" "$file.out"' EXIT

says() { # OPTION SENTENCE
  if "$compiler" -std=c++20 "$1" -I"$includes" -fsyntax-only "$file" 2>"$file.out"; then
    echo "wrong: $header compiles with $1"
    exit 1
  fi
  if ! grep -m1 'error:' "$file.out" | grep -q "$2" || [ "$(grep -c 'error:' "$file.out")" != 2 ]; then
    echo "wrong: $header with $1 says:"
    cat "$file.out"
    exit 1
  fi
}

for path in "$includes"/doall/*.hpp; do
  header=$(basename "$path")
  case $header in mpi*) continue ;; esac  # they need MPI's
  echo "#include <doall/$header>" >"$file"
  says -std=c++17 "doall needs C++20"
  says -fno-exceptions "doall needs exceptions"
done
echo "each header says what it needs"
