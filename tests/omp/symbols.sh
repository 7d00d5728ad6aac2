#!/bin/sh
# Compares the versioned symbols that a library exports with the list, both ways.
#   symbols.sh LIST LIBRARY            exits 0 when they agree, 1 with the difference
#   symbols.sh LIST installed          the libgomp.so.1 of the installed GCC, with those of the list
#                                      that its release has; 77: the list does not know the release
#   symbols.sh LIST LIBRARY RELEASE    the libgomp.so.1 of that release
set -eu
list=$1
library=$2
release=${3-}

skip() {
  echo "skipped: $1"
  exit 77
}

command -v readelf >/dev/null || skip "no readelf"
if [ "$library" = installed ]; then
  command -v gcc >/dev/null || skip "no gcc to ask for its libgomp.so.1"
  release=$(gcc -dumpversion | cut -d . -f 1)
  library=$(gcc -print-file-name=libgomp.so.1)
  [ -e "$library" ] || skip "gcc has no libgomp.so.1"
fi

# What releases after it have added, by the nodes of versions that came with them; and doall's own.
newer_than() { # RELEASE
  case $1 in
    12) echo 'OMP_5\.1\.1|OMP_5\.2|GOMP_5\.1\.[1-3]|GOMP_6\.0(\.1)?' ;;
    13) echo 'GOMP_5\.1\.[23]|GOMP_6\.0(\.1)?' ;;
    14) echo 'GOMP_5\.1\.3|GOMP_6\.0(\.1)?' ;;
    15) echo 'GOMP_6\.0\.1' ;;
    16) echo 'none' ;;
    *) return 1 ;;
  esac
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C

# OpenACC's functions and those of offloading plugins are not in the list, nor LLVM's.
readelf --dyn-syms --wide "$library" |
  awk '$7 != "UND" && $8 ~ /@/ { print $8 }' |
  grep -Ev '^(acc_|GOACC_|GOMP_PLUGIN_)|@(VERSION|OMP_6\.0)$' |
  sed -e 's/@@\(.*\)/ \1 default/' -e 's/@\(.*\)/ \1 old/' |
  sort >"$folder/exported"

sort -c "$list" || exit 1
if [ -n "$release" ]; then
  newer=$(newer_than "$release") || skip "the list knows GCC 12 to 16, not $release"
  grep -Ev " (DOALL_OMP_[0-9]|$newer) " "$list" | cut -d ' ' -f 1,2 | sort >"$folder/list"
  list=$folder/list
  # Which version of a name is the default is not told: some names here are LLVM's too.
  cut -d ' ' -f 1,2 "$folder/exported" | sort >"$folder/named"
  mv "$folder/named" "$folder/exported"
fi
if ! diff -u "$list" "$folder/exported" >"$folder/difference"; then
  echo "$library (+) does not export what $list (-) has:"
  cat "$folder/difference"
  exit 1
fi
echo "$(wc -l <"$list") symbols of $library agree with $list"
