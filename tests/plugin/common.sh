# shellcheck shell=bash
# What scripts of this folder begin and end with. Goes to a folder that is removed at the end.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export HOME=$work
unset XDG_CONFIG_HOME DOALL_SCHEDULE DOALL_NUM_THREADS OMP_SCHEDULE
failures=0
failed() {
  failures=$((failures + 1))
  echo "FAILED: $*"
}
end() {
  echo "$failures failed"
  [ "$failures" -eq 0 ]
}
