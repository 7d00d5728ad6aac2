#!/bin/bash
# Builds Debian's source packages of programs with OpenMP by GCC alone and by the compiler drivers,
# and compares what the programs print:
#   packages.sh BIN [FOLDER [PACKAGE...]]
# BIN is the folder of the command. FOLDER keeps what is fetched and built, by default
# build/packages; what GCC alone has built stays. A package is a function of its name below; by default all are built. Sources and
# the libraries that they need are fetched from Debian by their names, with apt, into FOLDER alone;
# nothing is installed.
#
# Prints for each package a table: how many loops are steered, by what is known of their costs, and
# how many are left as they are, and why.
set -u
bin=$(readlink -f "$1")
folder=$(mkdir -p "${2:-build/packages}" && readlink -f "${2:-build/packages}")
shift; [ $# -eq 0 ] || shift
export LC_ALL=C HOME=$folder
unset XDG_CONFIG_HOME DOALL_SCHEDULE DOALL_CC DOALL_CXX DOALL_FC OMP_SCHEDULE
failures=0
failed() {
  failures=$((failures + 1))
  echo "FAILED: $*"
}

# apt with lists of its own, which have the sources of the machine's release.
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
apt_get() {
  apt-get -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" \
    -o APT::Sandbox::User=root -qq "$@"
}
prepare_apt() {
  [ ! -e "$folder/apt/ready" ] || return 0
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
  local from="[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $release main"
  printf 'deb %s\ndeb-src %s\n' "$from" "$from" >"$folder/apt/sources.list"
  apt_get update && touch "$folder/apt/ready"
}

# source_of PACKAGE: its upstream source, as two folders PACKAGE/gcc and PACKAGE/doall.
source_of() {
  local name=$1
  mkdir -p "$folder/$name"
  cd "$folder/$name" || return 1
  # Debian's own changes may be gone from the mirror: upstream's source is what is built.
  ls ./*.orig.tar.* >/dev/null 2>&1 || apt_get source --download-only "$name" >fetched 2>&1
  ls ./*.orig.tar.* >/dev/null 2>&1 || { cat fetched; return 1; }
  for one in gcc doall; do
    [ $one = doall ] || [ ! -e gcc.built ] || continue
    rm -rf "$one" && mkdir "$one" && tar -xf ./*.orig.tar.* --strip-components=1 -C "$one" || return 1
  done
}

# libraries PACKAGE...: unpacked in FOLDER/root, where compilers find them.
libraries() {
  local root=$folder/root
  mkdir -p "$root"
  for one in "$@"; do
    [ ! -e "$root/$one" ] || continue
    (cd "$root" && apt_get download "$one" && dpkg-deb -x "${one}"_*.deb . && touch "$one") || return 1
  done
  local lib
  lib=$root/usr/lib/$(gcc -print-multiarch)
  export CPATH=$root/usr/include LIBRARY_PATH=$lib LD_LIBRARY_PATH=$lib
}

# same WHAT FILE FILE
same() { cmp -s "$2" "$3" || failed "$1: another result than GCC's program has"; }

# compilers ONE: sets cc, cxx and fc for gcc or doall, and the options that they get.
compilers() {
  cc=gcc cxx=g++ fc=gfortran note=
  [ "$1" = gcc ] || { cc=$bin/doall-cc cxx=$bin/doall-c++ fc=$bin/doall-fortran note='-Wdoall -fdoall-static'; }
}

# counted PROGRAM: its loops by what is known of their costs.
counted() { "$bin/doall" doctor "$1" | grep 'loops that doall compiled'; }

clustalo() {
  libraries libargtable2-0 libargtable2-dev || return 1
  source_of clustalo || return 1
  for one in gcc doall; do
    compilers $one
    [ $one = doall ] || [ ! -e gcc.built ] || continue
    (cd "$one" && ./configure -q CC="$cc" CXX="$cxx" CFLAGS="-O2 -fopenmp $note" \
      CXXFLAGS="-O2 -fopenmp -std=c++11 -fpermissive -w $note" && make -j2) >"$one.log" 2>&1 ||
      { tail -n 5 "$one.log"; return 1; }
    touch "$one.built"
  done
  python3 - >sequences.fa <<'END_PY'
import random
random.seed(1)
acids = "ACDEFGHIKLMNPQRSTVWY"
root = [random.choice(acids) for _ in range(120)]
for number in range(20):
    copy = [random.choice(acids) if random.random() < 0.25 else c for c in root]
    print(f">s{number}\n{''.join(c for c in copy if random.random() > 0.03)}")
END_PY
  gcc/src/clustalo -i sequences.fa --threads=2 --force -o gcc.fa || return 1
  doall/src/clustalo -i sequences.fa --threads=2 --force -o doall.fa || failed "clustalo on libgomp"
  same "clustalo on libgomp" gcc.fa doall.fa
  for s in hybrid wsrw; do
    "$bin/doall" run --threads=2 --schedule=$s doall/src/clustalo -i sequences.fa --threads=2 --force \
      -o doall.fa || failed "clustalo under $s"
    same "clustalo under $s" gcc.fa doall.fa
  done
  counted doall/src/clustalo
}

# Of SuiteSparse, CHOLMOD, which has the OpenMP loops that programs call (int version, without
# METIS), and its own program cholmod_simple on a plane of 60 by 60 points.
suitesparse() {
  libraries libblas3 libblas-dev liblapack3 liblapack-dev || return 1
  source_of suitesparse || return 1
  local lib
  lib=$folder/root/usr/lib/$(gcc -print-multiarch)
  local parts="SuiteSparse_config AMD/Source COLAMD/Source CHOLMOD/Core CHOLMOD/Cholesky CHOLMOD/Check
    CHOLMOD/MatrixOps CHOLMOD/Modify CHOLMOD/Supernodal"
  for one in gcc doall; do
    compilers $one
    [ $one = doall ] || [ ! -e gcc.built ] || continue
    (cd "$one" && mkdir -p objects && for part in $parts; do
      find "$part" -maxdepth 1 -name '*.c' ! -name 't_*' ! -name 'amd_l*'
    done | xargs -P2 -I{} sh -c "$cc -O2 -fopenmp $note -w -DDINT -DNPARTITION -DNCAMD \
      -DCHOLMOD_OMP_NUM_THREADS=2 -ISuiteSparse_config -IAMD/Include -ICOLAMD/Include \
      -ICHOLMOD/Include -ICHOLMOD/Core -ICHOLMOD/Supernodal -c {} -o objects/\$(basename {} .c).o" &&
      $cc -O2 -fopenmp -w -DNPARTITION -DNCAMD -ISuiteSparse_config -ICHOLMOD/Include \
        CHOLMOD/Demo/cholmod_simple.c objects/*.o -o simple "-L$lib/lapack" "-L$lib/blas" -llapack \
        -lblas -lm) >"$one.log" 2>&1 || { tail -n 5 "$one.log"; return 1; }
    touch "$one.built"
  done
  python3 - >plane.tri <<'END_PY'
side = 60
print(side * side, side * side, 3 * side * side - 2 * side, -1)
for i in range(side * side):
    print(i + 1, i + 1, 4.5)
    if (i + 1) % side: print(i + 2, i + 1, -1)
    if i + side < side * side: print(i + side + 1, i + 1, -1)
END_PY
  export LD_LIBRARY_PATH=$lib:$lib/lapack:$lib/blas
  gcc/simple <plane.tri >gcc.out || return 1
  doall/simple <plane.tri >doall.out || failed "cholmod_simple on libgomp"
  same "cholmod_simple on libgomp" gcc.out doall.out
  for s in hybrid wsrw; do
    "$bin/doall" run --threads=2 --schedule=$s doall/simple <plane.tri >doall.out ||
      failed "cholmod_simple under $s"
    same "cholmod_simple under $s" gcc.out doall.out
  done
  counted doall/simple
}

prepare_apt || { echo "apt has no sources: nothing was built"; exit 1; }
[ $# -gt 0 ] || set -- clustalo suitesparse
for package in "$@"; do
  echo "$package:"
  "$package" || failed "$package was not built"
  log=$folder/$package/doall.log
  ! grep -q 'internal compiler error' "$log" || failed "$package: an internal compiler error"
  sed -n 's/.*does not steer this loop: //p' "$log" | sort | uniq -c | sed 's/^/  left: /'
done
echo "$failures failed"
[ "$failures" -eq 0 ]
