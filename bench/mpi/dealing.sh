#!/bin/bash
# Runs the bench of dealing between two ranks by each MPI that is built, with shared memory and with
# TCP between the ranks, and on two machines with TCP between them (tests/mpi/machines.sh):
# dealing.sh FOLDER [ROUNDS]. FOLDER has dealing-openmpi, dealing-mpich.
set -euo pipefail
folder=$1
rounds=${2:-5}
export OMP_NUM_THREADS=1 DOALL_NUM_THREADS=1

# run WHAT PROGRAM COMMAND...
run() {
  local what=$1 program=$2
  shift 2
  for level in multiple funneled; do
    echo "$what, MPI_THREAD_${level^^}:"
    "$@" 2 "$program" "$level" "$rounds"
  done
}

if [[ -x $folder/dealing-openmpi ]]; then
  open=(mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none)
  run "Open MPI, shared memory" "$folder/dealing-openmpi" "${open[@]}" \
    --mca btl_vader_single_copy_mechanism none -n
  run "Open MPI, TCP" "$folder/dealing-openmpi" "${open[@]}" --mca btl tcp,self \
    --mca pml ob1 --mca btl_tcp_if_include lo -n
  # shellcheck source=../../tests/mpi/machines.sh
  source "$(dirname "$0")/../../tests/mpi/machines.sh"
  if make_machines; then
    run "Open MPI, two machines, TCP" "$(realpath "$folder")/dealing-openmpi" on_machines
  else
    echo "Open MPI, two machines: not run, $no_machines"
  fi
fi
if [[ -x $folder/dealing-mpich ]]; then
  run "MPICH, shared memory" "$folder/dealing-mpich" mpirun.mpich -n
  run "MPICH, no shared memory" "$folder/dealing-mpich" mpirun.mpich -genv MPIR_CVAR_NOLOCAL 1 -n
fi
