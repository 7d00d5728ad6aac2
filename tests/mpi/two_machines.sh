#!/bin/bash
# The programs of this folder on two "machines" (machines.sh), where their nodes are real:
#   two_machines.sh FOLDER [RANKS]      FOLDER has mpi_loops-openmpi, ...
# Skipped (77) where machines cannot be made.
set -uo pipefail
folder=$(realpath "$1")
ranks=${2:-4}
# shellcheck source=machines.sh
source "$(dirname "$0")/machines.sh"
if ! make_machines; then
  echo "skipped: $no_machines"
  exit 77
fi
export DOALL_OVERSUBSCRIBE=true OMP_WAIT_POLICY=passive OMPI_MCA_mpi_yield_when_idle=1
failures=0
for name in loops reductions errors c_form; do
  for level in multiple funneled; do
    output=$(on_machines "$ranks" "$folder/mpi_$name-openmpi" "$level" 1 2>&1)
    if [[ $output != *"all passed"* ]]; then
      echo "FAILED: $name, $level, on two machines:"
      echo "${output:0:4000}"
      failures=$((failures + 1))
    fi
  done
done
echo "$failures failures"
((failures == 0))
