#!/bin/sh
# Checks that whatever LLVM's libomp.so.5 exports is exported here too, with its version, or is in
# the list of what is left out, which is of LLVM 19 to 23. 77: there is no libomp.
#   exports.sh OURS LEFT_OUT [LIBOMP]    by default that of the newest LLVM that is installed
set -eu
ours=$1
left_out=$2
libomp=${3-$(ls -v /usr/lib/llvm-*/lib/libomp.so.5 2>/dev/null | tail -n 1)}
if [ ! -e "$libomp" ]; then
  echo "skipped: no libomp.so.5 of LLVM's"
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
awk '{ print $1 }' "$folder/ours" | sort -u | comm -12 - "$folder/left_out" >"$folder/here"
if [ -s "$folder/missing" ] || [ -s "$folder/here" ]; then
  echo "not exported here, and not in $left_out:"
  cat "$folder/missing"
  echo "in $left_out, but exported here:"
  cat "$folder/here"
  exit 1
fi
echo "$(wc -l <"$folder/wanted") symbols of $libomp are here"
