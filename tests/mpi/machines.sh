# Two "machines" for Open MPI's programs: two network namespaces with a cable between them, each with
# a host name of its own, so that MPI has TCP alone, and two nodes. Sourced; needs root.
#   make_machines         afterwards `on_machines RANKS PROGRAM...` runs a program on both; fails, with
#                         the reason in `no_machines`, where they cannot be made
# They go when the shell ends.
machine_names=(doall-a-$$ doall-b-$$)
machine_work=$(mktemp -d)
no_machines=""

remove_machines() {
  local name
  for name in "${machine_names[@]}"; do ip netns del "$name" 2>/dev/null; done
  rm -rf "$machine_work"
}

make_machines() {
  local name i
  trap remove_machines EXIT
  no_machines="no ip, or no Open MPI"
  command -v ip >/dev/null && command -v mpirun.openmpi >/dev/null || return 1
  no_machines="no network namespaces"
  for name in "${machine_names[@]}"; do ip netns add "$name" 2>/dev/null || return 1; done
  no_machines="no virtual cables"
  ip link add veth0 netns "${machine_names[0]}" type veth peer name veth0 \
    netns "${machine_names[1]}" 2>/dev/null || return 1
  for i in 0 1; do
    ip -n "${machine_names[i]}" addr add "10.77.0.$((i + 1))/24" dev veth0
    ip -n "${machine_names[i]}" link set veth0 up
    ip -n "${machine_names[i]}" link set lo up
  done
  # Starts a command on a machine, as ssh would: on ADDRESS COMMAND...
  cat >"$machine_work/on" <<SCRIPT
#!/bin/bash
name=${machine_names[1]}
[[ \$1 == 10.77.0.1 ]] && name=${machine_names[0]}
shift
exec ip netns exec "\$name" unshare --uts bash -c "hostname \$name; exec \$*"
SCRIPT
  chmod +x "$machine_work/on"
}

# The first half of the ranks on the first machine. Passes DOALL_... and OMP_... on.
on_machines() {
  local ranks=$1 name passed=()
  shift
  for name in $(compgen -e | grep -E '^(DOALL|OMP)_'); do passed+=(-x "$name"); done
  "$machine_work/on" 10.77.0.1 env "TMPDIR=$machine_work" mpirun.openmpi --allow-run-as-root \
    --oversubscribe --bind-to none --mca plm_rsh_agent "$machine_work/on" --mca btl tcp,self \
    --mca pml ob1 --mca btl_tcp_if_include veth0 --mca oob_tcp_if_include veth0 \
    --host "10.77.0.1:$((ranks / 2)),10.77.0.2:$((ranks - ranks / 2))" "${passed[@]}" \
    -n "$ranks" "$@"
}
