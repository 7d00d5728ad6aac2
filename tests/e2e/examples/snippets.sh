#!/bin/bash
# The C++ and C examples of documents, compiled: snippets.sh INCLUDE CC CXX DOCUMENT...
# A C++ block stands in a function that has n, a, x and y; a C block is a file.
set -euo pipefail
include=$1 cc=$2 cxx=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for document in "$@"; do
  # Each block in a scope of its own, and its lines numbered as in the document.
  {
    printf '#include <%s>\n' doall/doall.hpp array atomic cmath cstdint cstdio functional list memory stop_token string vector
    echo 'void f(int n, double a, std::vector<double>& x, std::vector<double>& y) {'
    awk -v document="$document" '
      /^```cpp$/ { inside = 1; print "{"; printf "#line %d \"%s\"\n", NR + 1, document; next }
      /^```$/ && inside { inside = 0; print "}"; ++blocks; next }
      inside { print /^#include/ ? "" : $0 }
      END { exit !blocks }' "$document" || { echo "FAILED: $document has no C++ block"; exit 1; }
    echo '}'
  } >"$folder/snippets.cpp"
  "$cxx" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-unused -I"$include" "$folder/snippets.cpp"

  awk -v folder="$folder" -v document="$document" '
    /^```c$/ { file = folder "/" ++blocks ".c"; printf "#line %d \"%s\"\n", NR + 1, document >file; next }
    /^```$/ { file = "" }
    file { print >file }' "$document"
  for file in "$folder"/*.c; do
    [[ -e $file ]] || continue
    "$cc" -std=c11 -fsyntax-only -Wall -Wextra -Werror -I"$include" "$file"
    rm "$file"
  done
done
