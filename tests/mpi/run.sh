#!/bin/bash
# A program of this folder on several ranks, at MPI's thread levels:
#   run.sh NAME PROGRAM MPIRUN...      MPIRUN: takes a number of ranks and a program
# DOALL_TEST_MPI=full: 1, 2, 4 and 7 ranks at every level, and more cases.
set -uo pipefail
name=$1
program=$2
shift 2
export DOALL_OVERSUBSCRIBE=true OMP_WAIT_POLICY=passive
# Open MPI gives the CPU away while it waits; a container may lack what its fast copies need.
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
failures=0

# run RANKS LEVEL CASES
run() {
  local output status=0
  output=$("${mpirun[@]}" "$1" "$program" "$2" "$3" 2>&1) || status=$?
  if ((status != 0)) || [[ $output != *"all passed"* ]]; then
    echo "FAILED: $name on $1 ranks, $2, status $status; to repeat:"
    echo "  DOALL_OVERSUBSCRIBE=true ${mpirun[*]} $1 $program $2 $3"
    echo "${output:0:4000}"
    failures=$((failures + 1))
  fi
}

mpirun=("$@")
if [[ ${DOALL_TEST_MPI:-} == full ]]; then
  declare -A cases=([loops]=10 [reductions]=100 [errors]=3 [c_form]=3)
  for ranks in 1 2 4 7; do
    for level in multiple serialized funneled; do run "$ranks" "$level" "${cases[$name]}"; done
  done
else
  declare -A cases=([loops]=1 [reductions]=12 [errors]=1 [c_form]=1)
  run 1 funneled "${cases[$name]}"
  run 2 multiple "${cases[$name]}"
  run 2 funneled "${cases[$name]}"
  run 4 multiple "${cases[$name]}"
  # Four groups of two nodes, and seven of one (ranks.hpp).
  [[ $name == loops ]] && run 7 funneled "${cases[$name]}"
fi
# What the runtime says: PROGRESS TEXT
says() {
  local output
  output=$(DOALL_MPI_PROGRESS=$1 "${mpirun[@]}" 2 "$program" multiple 1 2>&1)
  if [[ $output != *"$2"* ]]; then
    echo "FAILED: with DOALL_MPI_PROGRESS=$1 the output lacks \"$2\":"
    echo "${output:0:1000}"
    failures=$((failures + 1))
  fi
}
if [[ $name == c_form ]]; then
  says maybe "DOALL_MPI_PROGRESS=maybe is ignored: expected 0 or 1"
  says 1 "c_form.c:"  # its one long loop
fi

echo "$failures failures"
((failures == 0))
