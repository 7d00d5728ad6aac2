#!/bin/bash
# Builds Debian's source packages of programs with OpenMP by GCC alone and by the compiler drivers,
# and compares what the programs print:
#   packages.sh BIN [FOLDER [PACKAGE...]]
# BIN is the folder of the command. FOLDER keeps what is fetched and built, by default
# build/packages; what GCC alone has built stays. A package is a function of its name below; by
# default all are built. Sources and the libraries that they need are fetched from Debian by their
# names, with apt, into FOLDER alone; nothing is installed.
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

# same_answers WHAT PROGRAM [ARGUMENT...]: the program, a path below gcc and doall, prints the same
# in both, on libgomp and on doall under two schedules. It reads the file input, if there is one.
same_answers() {
  local what=$1 program=$2 from=/dev/null s
  shift 2
  [ ! -e input ] || from=input
  "gcc/$program" "$@" <$from >gcc.out || { failed "$what: what GCC compiled fails"; return; }
  "doall/$program" "$@" <$from >doall.out || failed "$what on libgomp"
  same "$what on libgomp" gcc.out doall.out
  for s in hybrid wsrw; do
    "$bin/doall" run --threads=2 --schedule=$s "doall/$program" "$@" <$from >doall.out 2>messages ||
      failed "$what under $s"
    same "$what under $s" gcc.out doall.out
  done
}

# loops_run PROGRAM [ARGUMENT...]: how many of its loops ran on a team when it read the file input.
# It fails if there was none: then the answers say nothing of the compiler drivers.
loops_run() {
  local from=/dev/null
  [ ! -e input ] || from=input
  "$bin/doall" run --threads=2 --report=loops.json "$@" <$from >/dev/null || failed "$1 with a report"
  python3 - <<'END_PY' || failed "$1: no loop ran on a team"
import json, sys
loops = [l for p in json.load(open("loops.json"))["processes"] for l in p["loops"]]
shared = [l for l in loops if l["kind"] == "loop" and l["workers"] > 1]
print(f"  {len(shared)} loops ran on a team, {sum(l['calls'] for l in shared)} times")
sys.exit(not shared)
END_PY
}

# passes WHAT PROGRAM [ARGUMENT...]: the program, which checks itself, does so on libgomp and on
# doall under two schedules.
passes() {
  local what=$1 program=$2 s
  shift 2
  "gcc/$program" "$@" >gcc.out || { failed "$what: what GCC compiled fails"; return; }
  "doall/$program" "$@" >doall.out || failed "$what on libgomp"
  for s in hybrid wsrw; do
    "$bin/doall" run --threads=2 --schedule=$s "doall/$program" "$@" >doall.out 2>messages ||
      failed "$what under $s"
  done
}

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
  # Two matrices: of a plane, which is sparse, and a full one, whose only supernode begins regions.
  python3 - <<'END_PY'
side = 60
with open("plane", "w") as file:
    print(side * side, side * side, 3 * side * side - 2 * side, -1, file=file)
    for i in range(side * side):
        print(i + 1, i + 1, 4.5, file=file)
        if (i + 1) % side: print(i + 2, i + 1, -1, file=file)
        if i + side < side * side: print(i + side + 1, i + 1, -1, file=file)
size = 300
with open("full", "w") as file:
    print(size, size, size * (size + 1) // 2, -1, file=file)
    for j in range(size):
        for i in range(j, size): print(i + 1, j + 1, size if i == j else 1 / (1 + i - j), file=file)
END_PY
  export LD_LIBRARY_PATH=$lib:$lib/lapack:$lib/blas
  for matrix in plane full; do
    cp $matrix input
    same_answers "cholmod_simple, $matrix matrix" simple
  done
  loops_run doall/simple
  counted doall/simple
}

# The eigensolvers for one process, with the kernels that any processor has, and three of its own
# tests, which check what they compute and fail if it is wrong. The times that they print differ.
elpa() {
  libraries libblas3 libblas-dev liblapack3 liblapack-dev || return 1
  source_of elpa || return 1
  local lib tests=""
  lib=$folder/root/usr/lib/$(gcc -print-multiarch)
  for one in cholesky_1stage eigenvectors_1stage eigenvectors_2stage_default_kernel; do
    tests="$tests validate_real_double_${one}_random"
  done
  for one in gcc doall; do
    compilers $one
    [ $one = doall ] || [ ! -e gcc.built ] || continue
    (cd "$one" && ./configure -q CC="$cc" CXX="$cxx" FC="$fc" CFLAGS="-O2 $note" \
      CXXFLAGS="-O2 $note" FCFLAGS="-O2 $note" LDFLAGS="-L$lib/lapack -L$lib/blas" \
      LIBS="-llapack -lblas" --with-mpi=no --enable-openmp --disable-shared --disable-avx \
      --disable-avx2 --disable-avx512 --disable-sse --disable-sse-assembly --disable-cpp-tests \
      --disable-doxygen-doc --disable-autotuning && make -j2 $tests) >"$one.log" 2>&1 ||
      { tail -n 5 "$one.log"; return 1; }
    touch "$one.built"
  done
  export LD_LIBRARY_PATH=$lib:$lib/lapack:$lib/blas OMP_NUM_THREADS=2
  for test in $tests; do
    passes "$test" "$test" 150 150 16
    loops_run "doall/$test" 150 150 16
  done
  counted "doall/$test"
}

# Of darktable its copy of LibRaw, and each of its ways to make colours of what a camera's sensor
# saw.
darktable() {
  source_of darktable || return 1
  for one in gcc doall; do
    compilers $one
    [ $one = doall ] || [ ! -e gcc.built ] || continue
    (cd "$one" && sensor_program >sensor.cpp && cd src/external/LibRaw && mkdir -p objects &&
      find src -name '*.cpp' ! -name '*_ph.cpp' | xargs -P2 -I{} sh -c \
        "$cxx -O2 -fopenmp $note -w -I. -c {} -o objects/\$(basename {} .cpp).o" &&
      $cxx -O2 -fopenmp -w -I. ../../../sensor.cpp objects/*.o -o ../../../sensor) \
      >"$one.log" 2>&1 || { tail -n 5 "$one.log"; return 1; }
    touch "$one.built"
  done
  python3 - >input <<'END_PY'
import random, struct, sys
random.seed(1)
sys.stdout.buffer.write(b"".join(
    struct.pack("<H", (x * 5 + y * 3) % 900 + (400 if (x - 320) ** 2 + (y - 240) ** 2 < 9000 else 0)
                + random.randrange(60)) for y in range(480) for x in range(640)))
END_PY
  # Not of 11: there threads read directions beside them that others write (refine_ihv_dirs), and what
  # GCC alone compiles gives more than one answer, too.
  for quality in 0 1 2 3 4 12; do same_answers "LibRaw, quality $quality" sensor $quality; done
  for quality in 3 11; do loops_run doall/sensor $quality; done
  counted doall/sensor
}
sensor_program() {
  cat <<'END_CPP'
#include <cstdio>
#include <cstdlib>

#include "libraw/libraw.h"

static unsigned char seen[640 * 480 * 2];

// sensor QUALITY: what is on standard input, in colours.
int main(int, char** argv) {
  LibRaw raw;
  raw.imgdata.params.user_qual = std::atoi(argv[1]);
  raw.imgdata.params.med_passes = 2;
  if (std::fread(seen, 1, sizeof seen, stdin) != sizeof seen ||
      raw.open_bayer(seen, sizeof seen, 640, 480, 0, 0, 0, 0, 0, LIBRAW_OPENBAYER_RGGB, 0, 0,
                     0) != LIBRAW_SUCCESS ||
      raw.unpack() != LIBRAW_SUCCESS || raw.dcraw_process() != LIBRAW_SUCCESS ||
      raw.dcraw_ppm_tiff_writer("-") != LIBRAW_SUCCESS)
    return 1;
}
END_CPP
}

prepare_apt || { echo "apt has no sources: nothing was built"; exit 1; }
[ $# -gt 0 ] || set -- clustalo suitesparse elpa darktable
for package in "$@"; do
  echo "$package:"
  "$package" || failed "$package was not built"
  log=$folder/$package/doall.log
  ! grep -q 'internal compiler error' "$log" || failed "$package: an internal compiler error"
  sed -n 's/.*does not steer this loop: //p' "$log" | sort | uniq -c | sed 's/^/  left: /'
done
echo "$failures failed"
[ "$failures" -eq 0 ]
