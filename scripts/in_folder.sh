#!/bin/bash
# Runs a command in another Debian, which lies in a folder: compilers and runtimes of today on a
# machine that has older ones.
#   scripts/in_folder.sh FOLDER [COMMAND...]
# The command runs where this one was called: this tree, that folder, /proc, /sys and /dev lie in
# FOLDER at their own places, for the command alone. Without root it needs user namespaces.
#
# A folder that has not the compilers is made, or filled, first, as root: by debootstrap, RELEASE
# (default sid) with GCC (default 16) and LLVM (default 23), their runtimes, what their tests come
# with, and oneTBB; 3 GB.
set -euo pipefail
folder=$(realpath -m "${1:?folder}")
shift
tree=$(realpath "$(dirname "$0")/..")
release=${RELEASE:-sid}
gcc=${GCC:-16}
llvm=${LLVM:-23}
mirror=http://deb.debian.org/debian

# libhwloc15 is what doall's libraries need there, zlib and lzma the benchmarks' lanes.
packages=("gcc-$gcc" "g++-$gcc" "gfortran-$gcc" "gcc-$gcc-source" "clang-$llvm" "libomp-$llvm-dev"
  libtbb-dev libhwloc15 zlib1g-dev liblzma-dev python3 dpkg-dev)

enter() { # COMMAND...
  local user=()
  ((EUID == 0)) || user=(--map-root-user)
  # shellcheck disable=SC2016  # the inner shells'
  unshare "${user[@]}" --mount bash -euc '
    folder=$1 tree=$2 here=$3
    shift 3
    places=(/proc /sys /dev "$tree")
    [[ $here == / || $here/ == "$tree"/* ]] || places+=("$here")
    for at in "${places[@]}"; do
      mkdir -p "$folder$at"
      mount --rbind "$at" "$folder$at"
    done
    exec chroot "$folder" sh -c '\''cd "$1" && shift && exec "$@"'\'' sh "$here" "$@"
  ' bash "$folder" "$tree" "$PWD" "$@"
}

has_all() {
  local file
  for file in "bin/g++-$gcc" "bin/gfortran-$gcc" "bin/clang-$llvm" bin/python3 bin/dpkg-source \
    "lib/llvm-$llvm/lib/libomp.so.5" include/tbb/version.h "src/gcc-$gcc" \
    lib/*-linux-gnu/libhwloc.so.15 include/lzma.h include/zlib.h; do
    compgen -G "$folder/usr/$file" >/dev/null || return 1
  done
}

if ! has_all; then
  if ((EUID != 0)); then
    echo "in_folder: $folder has not all of GCC $gcc, LLVM $llvm and oneTBB; as root, this puts them there: $0 $folder" >&2
    exit 1
  fi
  if [[ ! -x $folder/usr/bin/apt-get ]]; then
    command -v debootstrap >/dev/null || apt-get install -y --no-install-recommends debootstrap >&2
    debootstrap --variant=minbase "$release" "$folder" "$mirror" >&2
  fi
  for kind in deb deb-src; do echo "$kind $mirror $release main"; done >"$folder/etc/apt/sources.list"
  (cd / && DEBIAN_FRONTEND=noninteractive enter apt-get update >&2)
  (cd / && DEBIAN_FRONTEND=noninteractive enter apt-get install -y --no-install-recommends "${packages[@]}" >&2)
fi
if (($# > 0)); then enter "$@"; fi
