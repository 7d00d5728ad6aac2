#!/bin/bash
# How a subcommand ends and what it says, for the tests of one. `doall` and `subcommand` are set, and
# the folder is a new one, which goes when the test ends.
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset NO_COLOR

checks=0
failures=0
what=""

complain() {
  failures=$((failures + 1))
  echo "FAILED: $what: $1"
  head -40 out | sed 's/^/  out: /'
  sed 's/^/  err: /' err
}

# ends STATUS ARGUMENTS...: runs the subcommand into out and err.
ends() {
  local expected=$1 status
  shift
  what="doall $subcommand $*"
  checks=$((checks + 1))
  "$doall" "$subcommand" "$@" >out 2>err </dev/null
  status=$?
  [ "$status" -eq "$expected" ] || complain "status $status, expected $expected"
}

says() { grep -qF -- "$1" out || complain "standard output lacks \"$1\""; }
lacks() { ! grep -qF -- "$1" out || complain "standard output has \"$1\""; }
warns() { grep -qF -- "$1" err || complain "standard error lacks \"$1\""; }
quiet() { [ ! -s err ] || complain "standard error should be empty"; }

# Ends the test.
finish() {
  echo "$checks commands, $failures failures"
  [ "$failures" -eq 0 ]
  exit
}
