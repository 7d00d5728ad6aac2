#!/bin/bash
# A test of this folder, by the GCC of that version, as if it were the system's:
#   with_gcc.sh VERSION SCRIPT ARGUMENT...
set -eu
version=$1
shift
links=$(mktemp -d)
trap 'rm -rf "$links"' EXIT
for name in gcc g++ gfortran gcc-ar gcc-nm gcc-ranlib; do
  ln -s "$(command -v "$name-$version")" "$links/$name"
done
PATH=$links:$PATH
export PATH
"$@"
