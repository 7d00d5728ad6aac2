#!/bin/bash
# An example on 1, 2 and 3 ranks of 1 and 2 threads prints the same each time, and that is printed:
#   same_on_ranks.sh PROGRAM MPIRUN...      MPIRUN: takes a number of ranks and a program
set -euo pipefail
program=$1
shift
export DOALL_OVERSUBSCRIBE=true OMP_WAIT_POLICY=passive
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
declare -A sizes=([mandelbrot]=200 [nbody]="300 3" [pagerank]="5000 4" [sum]="")
name=$(basename "$program")
read -ra size <<<"${sizes[${name%%_*}]}"
first=""
for ranks in 1 2 3; do
  for threads in 1 2; do
    said=$(DOALL_NUM_THREADS=$threads "$@" "$ranks" "$program" "${size[@]}" 2>/dev/null)
    if [[ -z $first ]]; then
      first=$said
      echo "$first"
    elif [[ $said != "$first" ]]; then
      echo "FAILED on $ranks ranks of $threads threads: $said"
      exit 1
    fi
  done
done
