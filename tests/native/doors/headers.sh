#!/bin/bash
# The headers by every compiler that is here: GCC from 12, Clang from 19; on libstdc++ and libc++;
# under each standard that the compiler knows; with and without RTTI; warnings are errors. Nothing
# is linked.
#   headers.sh SOURCES INCLUDES short|full [COMPILER...]
# `full`: each header alone and doors.cpp, which uses all of them, under all of these, the C header
# likewise, and without exceptions the sentence that they are needed (refused.sh). `short`: doors.cpp
# once a compiler and library, under the newest standard, without RTTI. In both forms doors.cpp also
# among the macros of C's complex numbers (I, in GNU mode) and of Qt.
set -u
sources=$1 includes=$2 form=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Werror)

# Compilers of C++ of those versions, each once.
if (($# == 0)); then
  declare -A seen=()
  for name in g++ g++-{12..20} clang++ clang++-{19..30}; do
    file=$(command -v "$name") || continue
    file=$(readlink -f "$file")
    [[ $name == clang* ]] && oldest=19 file=$file++ || oldest=12
    version=$("$name" -dumpversion | cut -d. -f1)
    ((version >= oldest)) && [[ -z ${seen[$file]:-} ]] || continue
    seen[$file]=1
    set -- "$@" "$name"
  done
fi

runs=0
failures=0
# compiles WHAT COMMAND...
compiles() {
  local what=$1
  shift
  runs=$((runs + 1))
  "$@" -I"$includes" -fsyntax-only >"$work/out" 2>&1 && return
  failures=$((failures + 1))
  echo "FAILED: $what: $*"
  head -n 8 "$work/out"
}

# The standards among these that the compiler knows.
known() { # COMPILER LANGUAGE STANDARD...
  local compiler=$1 language=$2 standard
  shift 2
  for standard in "$@"; do
    "$compiler" -x "$language" -std="$standard" -fsyntax-only /dev/null 2>/dev/null && echo "$standard"
  done
}

for path in "$includes"/doall/*.hpp; do
  header=$(basename "$path")
  case $header in mpi*) continue ;; esac # they need MPI's
  printf '#include <doall/%s>\n' "$header" >"$work/$header.cpp"
done
printf '#include <doall/doall.h>\n#include <doall/abi.h>\nint main(void) { return 0; }\n' >"$work/doall.c"

for compiler in "$@"; do
  libraries=("")
  if "$compiler" -stdlib=libc++ -x c++ -include vector -fsyntax-only /dev/null 2>/dev/null; then
    libraries+=(-stdlib=libc++)
  fi
  mapfile -t standards < <(known "$compiler" c++ c++20 c++23 c++26)
  compiles "$compiler among macros" "$compiler" -std=gnu++20 -w -include complex.h -Dslots= \
    -Dsignals=public -Dforeach=for '-Dforever=for (;;)' -Demit= "$sources/doors.cpp"
  for library in "${libraries[@]}"; do
    if [[ $form == short ]]; then
      compiles "$compiler" "$compiler" "-std=${standards[-1]}" -fno-rtti $library \
        "${warnings[@]}" -Wold-style-cast "$sources/doors.cpp"
      continue
    fi
    for standard in "${standards[@]}"; do
      for options in "" -fno-rtti; do
        for file in "$sources/doors.cpp" "$work"/*.cpp; do
          # Each header alone once: it differs by compiler, library and standard alone.
          [[ -n $options && $file != */doors.cpp ]] && continue
          # shellcheck disable=SC2086
          compiles "$(basename "$file")" "$compiler" "-std=$standard" $options $library \
            "${warnings[@]}" -Wold-style-cast "$file"
        done
      done
    done
  done
  [[ $form == short ]] && continue
  for standard in $(known "$compiler" c c11 c17 c23); do
    compiles doall.h "$compiler" -x c "-std=$standard" "${warnings[@]}" "$work/doall.c"
  done
  runs=$((runs + 1))
  sh "$sources/refused.sh" "$includes" "$compiler" || failures=$((failures + 1))
done
echo "$* : $runs runs, $failures failed"
((failures == 0 && runs > 0))
