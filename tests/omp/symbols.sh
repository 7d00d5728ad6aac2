#!/bin/sh
# Compares the versioned symbols that a library exports with the list, both ways.
#   symbols.sh LIST LIBRARY     exits 0 when they agree, 1 with the difference
#   symbols.sh LIST installed   the libgomp.so.1 of the installed GCC; 77: there is
#                               none of the list's version
set -eu
list=$1
library=$2
of=$2
list_is_of_gcc=12

skip() {
  echo "skipped: $1"
  exit 77
}

command -v readelf >/dev/null || skip "no readelf"
if [ "$library" = installed ]; then
  command -v gcc >/dev/null || skip "no gcc to ask for its libgomp.so.1"
  version=$(gcc -dumpversion)
  [ "${version%%.*}" = "$list_is_of_gcc" ] ||
    skip "the installed gcc is $version, the list is of GCC $list_is_of_gcc"
  library=$(gcc -print-file-name=libgomp.so.1)
  [ -e "$library" ] || skip "gcc has no libgomp.so.1"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C

# OpenACC's functions and those of offloading plugins are not in the list, nor LLVM's.
readelf --dyn-syms --wide "$library" |
  awk '$7 != "UND" && $8 ~ /@/ { print $8 }' |
  grep -Ev '^(acc_|GOACC_|GOMP_PLUGIN_)|@VERSION$' |
  sed -e 's/@@\(.*\)/ \1 default/' -e 's/@\(.*\)/ \1 old/' |
  sort >"$folder/exported"

sort -c "$list" || exit 1
if [ "$of" = installed ]; then  # of GCC 13 and 14, and doall's own
  grep -Ev ' (DOALL_OMP_[0-9]|OMP_5\.1\.1|OMP_5\.2|GOMP_5\.1\.[0-9]) ' "$list" >"$folder/list"
  list=$folder/list
fi
if ! diff -u "$list" "$folder/exported" >"$folder/difference"; then
  echo "$library (+) does not export what $list (-) has:"
  cat "$folder/difference"
  exit 1
fi
echo "$(wc -l <"$list") symbols of $library agree with $list"
