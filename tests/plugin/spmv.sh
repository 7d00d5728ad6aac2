#!/bin/bash
# A sparse matrix times a vector, as everybody writes it in C, C++ and Fortran, is balanced by what
# the compiler finds of its costs alone:
#   spmv.sh BIN SOURCES
set -u
bin=$1
sources=$2
source "$(dirname "$(readlink -f "$0")")/common.sh"

# busiest: what the busiest thread's iterations cost, in percent of the mean, as the witness said.
busiest() { sed -n 's/^witness .* busiest \([0-9]*\) .*/\1/p' err; }

gcc -O2 -c "$sources/witness.c" -o witness.o || exit 1
for language in cc:gcc:c c++:g++:cpp fortran:gfortran:f90; do
  IFS=: read -r command plain suffix <<<"$language"
  "$plain" -O2 -fopenmp "$sources/spmv.$suffix" -o plain -lm || failed "$plain"
  "$bin/doall" "$command" -O2 -fopenmp "$sources/spmv.$suffix" witness.o -o app -lm \
    -fdoall-report=found.json || failed "doall $command"
  grep -q '"costs": "weighted"' found.json || failed "$suffix: the report: $(cat found.json)"
  right=$(./plain)
  right=${right#* }
  for threads in 2 8; do
    export OMP_NUM_THREADS=$threads
    for schedule in "" best-static wsrw; do
      what="$suffix, $threads threads, ${schedule:-unsteered}"
      # Without --schedule `doall run` has auto steer such loops: not here.
      out=$(DOALL_DEFAULT_SCHEDULE=compiled "$bin/doall" run ${schedule:+"--schedule=$schedule"} ./app 3 2>err) || failed "$what"
      [ "${out#* }" = "$right" ] || failed "$what: the result is ${out#* }, expected $right"
      ! grep 'doall: ' err || failed "$what: a message"
      case $schedule in
        "") [ "$(busiest)" -ge 170 ] || failed "$what: $(cat err)" ;;
        # wsrw's threads take what they have time for: the virtual machine tells its balance
        best-static) [ "$(busiest)" -le 102 ] || failed "$what: $(cat err)" ;;
      esac
    done
  done
  out=$(./app) # on libgomp
  [ "${out#* }" = "$right" ] || failed "$suffix on libgomp: the result is ${out#* }"
done
end
