#!/bin/bash
# What scripts/setup.sh does on systems that are not this one, by programs that stand for theirs:
#   run.sh ROOT
set -u
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
  failures=$((failures + 1))
  echo "FAILED: $*"
}

# system NAME: a folder of programs that is all that the script finds.
system() {
  programs=$work/$1
  mkdir -p "$programs"
  local name
  for name in bash awk sed sort cut dirname grep cat; do ln -s "$(command -v $name)" "$programs/$name"; done
}
# program NAME TEXT: one of them.
program() {
  printf '#!/bin/bash\n%s\n' "$2" >"$programs/$1"
  chmod +x "$programs/$1"
}
# The script there; what it says is in $said.
setup() { said=$(env -i PATH="$programs" "${given[@]}" "$programs/bash" "$root/scripts/setup.sh" "$@" 2>&1); }
given=(HOME=/)
says() { [[ $said == *"$1"* ]] || fail "$programs: \"$1\" is not in: $said"; }
says_not() { [[ $said != *"$1"* ]] || fail "$programs: \"$1\" is in: $said"; }

system fedora
program dnf 'exit 1'
program rpm '[[ ${*: -1} == gcc ]]'
setup build plugin
says 'Run this as root: dnf install '
for name in gcc-c++ hwloc-devel elfutils-devel json-devel cli11-devel gcc-plugin-devel; do says " $name"; done
says_not ' gcc '
program rpm 'exit 0'
setup build test
[[ -z $said ]] || fail "nothing is missing, but: $said"

system arch
program pacman 'shift; printf "%s\n" "$@" | grep -v "^make$"'
setup build test
says 'Run this as root: pacman -S '
for name in ninja hwloc nlohmann-json gtest; do says " $name"; done
says_not ' make '
says_not ' -'$'\n'

system another
setup build
says "by Debian's names"
says 'libhwloc-dev: cores, caches and NUMA domains'

# Debian's tools, with what is installed in $installed and what the lists have in $lists.
debian() { # NAME, the system's GCC
  system "$1"
  program dpkg 'case $1 in --print-architecture) echo amd64 ;; esac'
  program dpkg-query 'for p in $INSTALLED; do printf "%s=installed " "$p"; done'
  program apt-get 'echo "apt-get $*"'
  program apt-cache "shift
for p in \"\$@\"; do
  [[ \$p == gcc ]] && version=4:$2.2.0-1 || version=1.0
  [[ \$p == chromium ]] && continue
  printf '%s:\n  Installed: (none)\n  Candidate: %s\n' \"\$p\" \"\$version\"
done"
}
debian trixie 14
setup build plugin
says 'gcc-14-plugin-dev'
given+=(GCC='13 16')
setup plugin
for version in 13 14 16; do says "gcc-$version-plugin-dev"; done
given=(HOME=/)
setup test
says 'this system has no chromium; what needs that is left out'
says_not 'install -y --no-install-recommends chromium'
given=(HOME=/ INSTALLED='gcc-14-plugin-dev:amd64 gfortran:amd64 autoconf:all meson:all ccache:amd64')
setup plugin
[[ -z $said ]] || fail "nothing is missing, but: $said"
given=(HOME=/ CROSS=riscv64)
setup cross
says 'crossbuild-essential-riscv64 qemu-user libhwloc-dev:riscv64'
given=(HOME=/)

debian jammy 11
setup build plugin
says 'gcc-12 g++-12'
says 'gcc-12-plugin-dev'
says_not 'gcc-11'
program gcc '[[ $1 == -dumpversion ]] && echo 11'
program g++-12 ''
setup --compilers
[[ $said == '-DCMAKE_C_COMPILER=gcc-12 -DCMAKE_CXX_COMPILER=g++-12' ]] || fail "old GCC: $said"
setup nonsense
says 'unknown group "nonsense"'

# CMake alone, where no library is: one message for each.
disabled=()
for name in fmt CLI11 nlohmann_json GTest ZLIB LibLZMA; do disabled+=("-DCMAKE_DISABLE_FIND_PACKAGE_$name=ON"); done
said=$(PKG_CONFIG_LIBDIR=/none cmake -S "$root" -B "$work/build" "${disabled[@]}" 2>&1) &&
  fail "CMake succeeds without libraries"
[[ $(grep -c 'doall needs' <<<"$said") -eq 8 && $(grep -c 'CMake Error' <<<"$said") -eq 8 ]] ||
  fail "CMake without libraries: $said"

echo "$failures failed"
[[ $failures -eq 0 ]]
