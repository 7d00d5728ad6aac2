#!/bin/bash
# Runs of deaths.cpp from seeds, on 2, 4 and 7 ranks, until one rank is left:
#   deaths.sh [PROGRAM MPIRUN...]      MPIRUN: takes a number of ranks and a program
# Skipped (77) without a program: there is no Open MPI 5. DOALL_TEST_MPI=full: more seeds.
set -uo pipefail
if (($# == 0)); then
  echo "skipped: no Open MPI 5, whose ranks outlive another one that dies; scripts/setup.sh mpi puts it into build/openmpi5"
  exit 77
fi
program=$1
shift
mpirun=("$@")
seeds=1
[[ ${DOALL_TEST_MPI:-} == full ]] && seeds=10
export DOALL_OVERSUBSCRIBE=true OMP_WAIT_POLICY=passive
failures=0
for ((seed = 1; seed <= seeds; seed++)); do
  for ranks in 2 4 7; do
    for level in multiple funneled; do
      # The job's status is that of the ranks that died.
      output=$(timeout -k 5 400 "${mpirun[@]}" "$ranks" "$program" "$level" "$seed" 2>&1)
      if [[ $output == *wrong:* || $output != *"all passed"* ]]; then
        echo "FAILED: $ranks ranks, $level, seed $seed; to repeat:"
        echo "  DOALL_OVERSUBSCRIBE=true ${mpirun[*]} $ranks $program $level $seed"
        echo "${output:0:4000}"
        failures=$((failures + 1))
      fi
    done
  done
done
echo "$failures failures"
((failures == 0))
