#!/bin/sh
# Checks that whatever LLVM's libomp.so.5 exports is exported here too, with its version, or is in
# the list of what is left out. 77: there is no libomp of the list's version.
#   exports.sh OURS LEFT_OUT
set -eu
ours=$1
left_out=$2
libomp=/usr/lib/llvm-19/lib/libomp.so.5
if [ ! -e "$libomp" ]; then
  echo "skipped: no $libomp"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C

symbols() { # LIBRARY
  readelf --dyn-syms --wide "$1" | awk '$7 != "UND" && $8 ~ /@/ { sub(/@+/, " ", $8); print $8 }' | sort -u
}
grep -v '^#' "$left_out" | cut -d ' ' -f 1 | sort >"$folder/left_out"
symbols "$ours" >"$folder/ours"
# LLVM's versions of the nodes that GCC has too are those of GCC's functions: the name is enough.
symbols "$libomp" >"$folder/theirs"
awk 'NR == FNR { left[$1]; next } !($1 in left)' "$folder/left_out" "$folder/theirs" >"$folder/wanted"
comm -13 "$folder/ours" "$folder/wanted" >"$folder/missing"
awk '{ print $1 }' "$folder/theirs" | sort -u | comm -13 - "$folder/left_out" >"$folder/unknown"
if [ -s "$folder/missing" ] || [ -s "$folder/unknown" ]; then
  echo "not exported here, and not in $left_out:"
  cat "$folder/missing"
  echo "in $left_out, but not in $libomp:"
  cat "$folder/unknown"
  exit 1
fi
echo "$(wc -l <"$folder/wanted") symbols of $libomp are here"
