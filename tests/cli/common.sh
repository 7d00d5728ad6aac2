#!/bin/bash
# What the tests of the command begin and end with. `doall` is set; the folder is a new one, which
# goes when the test ends.
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

checks=0
failures=0
what=""

# Ends the current check as failed, with what the command printed.
complain() {
  failures=$((failures + 1))
  echo "FAILED: $what: $1"
  head -40 out | sed 's/^/  out: /'
  sed 's/^/  err: /' err
}

# ended_with STATUS COMMAND...: runs it into out and err.
ended_with() {
  local expected=$1 status
  shift
  what="${*/#"$doall"/doall}"
  checks=$((checks + 1))
  "$@" >out 2>err </dev/null
  status=$?
  [ "$status" -eq "$expected" ] || complain "status $status, expected $expected"
}

# ends STATUS ARGUMENTS...: the same of `subcommand`.
ends() {
  local expected=$1
  shift
  ended_with "$expected" "$doall" "$subcommand" "$@"
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
