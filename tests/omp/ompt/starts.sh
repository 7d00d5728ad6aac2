#!/bin/sh
# How a tool is found and started, by OMP_TOOL, OMP_TOOL_LIBRARIES and OMP_TOOL_VERBOSE_INIT: bad
# values get a message that names them, and the program goes on.
#   starts.sh OMP_FOLDER PROGRAM TOOL REFUSING_TOOL FAILING_TOOL
set -eu
omp=$1
program=$2
tool=$3
refuses=$4
fails=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
unset OMP_TOOL OMP_TOOL_LIBRARIES OMP_TOOL_VERBOSE_INIT OMP_NUM_THREADS OMP_THREAD_LIMIT
told="tool: 4 threads, 3 regions, 12 parts begun, 12 ended"

run() { # VARIABLE=value...
  status=0
  env LD_LIBRARY_PATH="$omp" "$@" "$program" >"$folder/out" 2>"$folder/err" || status=$?
  [ "$status" = 0 ] || wrong "status $status: $*"
  grep -q '^sum 12$' "$folder/out" || wrong "the program did not run: $*"
}
wrong() {
  echo "wrong: $1"
  sed 's/^/  /' "$folder/out" "$folder/err"
  failures=$((failures + 1))
}
has() { grep -q -e "$2" "$folder/$1" || wrong "expected \"$2\" in $1: $3"; }
lacks() { ! grep -q -e "$2" "$folder/$1" || wrong "unexpected \"$2\" in $1: $3"; }
quiet() { [ ! -s "$folder/err" ] || wrong "a message: $1"; }

run OMP_TOOL=enabled
quiet "no tool"
lacks out tool "no tool"

# Found in a library that is loaded, and in one that a variable names.
run LD_PRELOAD="$tool"
has out "$told" preloaded
quiet preloaded
run OMP_TOOL_LIBRARIES="$tool"
has out "$told" named
quiet named
run OMP_TOOL=enabled OMP_TOOL_LIBRARIES="$tool"
has out "$told" enabled
run OMP_TOOL=disabled OMP_TOOL_LIBRARIES="$tool" LD_PRELOAD="$tool"
lacks out "tool:" disabled
quiet disabled

# The first that wants to be used is used; those before get no message, for they are tools.
run OMP_TOOL_LIBRARIES="$refuses:$tool"
has out "$told" "the second"
quiet "the second"
run OMP_TOOL_LIBRARIES="$refuses"
lacks out "tool:" refused
quiet refused
run OMP_TOOL_LIBRARIES="$fails"
lacks out "tool:" fails
run LD_PRELOAD="$refuses" OMP_TOOL_LIBRARIES="$tool"
has out "$told" "after a preloaded one that refuses"

# Not tools.
for bad in /no/such/library.so "$program" /etc/passwd libm.so.6 . '*'; do
  run OMP_TOOL_LIBRARIES="$bad"
  lacks out "tool:" "$bad"
  grep -q -F "doall: OMP_TOOL_LIBRARIES=\"$bad\": \"$bad\" is ignored: expected a library with ompt_start_tool(), but " \
    "$folder/err" || wrong "no message for $bad"
  [ "$(grep -c doall: "$folder/err")" = 1 ] || wrong "not one message for $bad"
  run OMP_TOOL_LIBRARIES="$bad:$tool"
  has out "$told" "after $bad"
done
for empty in '' : ::; do
  run OMP_TOOL_LIBRARIES="$empty"
  quiet "\"$empty\""
done
run OMP_TOOL=perhaps OMP_TOOL_LIBRARIES="$tool"
has err 'doall: OMP_TOOL="perhaps" is ignored: expected enabled or disabled; enabled is used' perhaps
has out "$told" perhaps

# What is said of the start, and where.
run OMP_TOOL_VERBOSE_INIT=stderr OMP_TOOL_LIBRARIES="/no/such.so:$tool"
has err 'doall: tools: the program has no ompt_start_tool()' verbose
has err 'doall: tools: /no/such.so: ' verbose
has err "doall: tools: $tool: has a tool" verbose
has err 'doall: tools: the tool is used' verbose
run OMP_TOOL_VERBOSE_INIT=STDOUT OMP_TOOL=disabled
has out 'doall: tools: OMP_TOOL is disabled' verbose
quiet verbose
run OMP_TOOL_VERBOSE_INIT="$folder/log" OMP_TOOL_LIBRARIES="$fails"
has log "says that it is not to be used" "a log"
quiet "a log"
run OMP_TOOL_VERBOSE_INIT=/no/such/folder/log OMP_TOOL_LIBRARIES="$tool"
has err 'OMP_TOOL_VERBOSE_INIT="/no/such/folder/log" is ignored: expected disabled' "no log"
has out "$told" "no log"
run OMP_TOOL_VERBOSE_INIT=disabled OMP_TOOL_LIBRARIES="$tool"
quiet "verbose is disabled"

[ "$failures" = 0 ]
