#!/bin/sh
# Threads are to be bound, and a wheel brings a libgomp of its own name, whose constructor binds the
# main thread to the first place before doall is asked for anything: the process has its CPUs all
# the same (bound_by_another.c).
#   bound_by_another.sh DOALL CC SOURCES
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$2" -O2 -DRUNTIME -fPIC -shared "$3/bound_by_another.c" -o libgomp-a1b2c3.so
"$2" -O2 -fopenmp -DLIBRARY -fPIC -shared "$3/bound_by_another.c" -o library.so
"$2" -O2 "$3/bound_by_another.c" -o program -ldl
for setting in OMP_PROC_BIND=true OMP_PLACES=threads OMP_PROC_BIND=false PROGRAM_BINDS=1 \
  'OMP_PROC_BIND=true OMP_DISPLAY_ENV=true'; do
  # shellcheck disable=SC2086
  env OMP_NUM_THREADS="$(nproc)" $setting timeout 60 "$1" run ./program ./libgomp-a1b2c3.so ./library.so \
    || { echo "wrong: with $setting"; exit 1; }
done
echo "all CPUs are used"
