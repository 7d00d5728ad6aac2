#!/bin/bash
# PageRank, a plain OpenMP program, on the system's libgomp and on doall, under
# several schedules: `make demo`, with SCALE=n for a Kronecker graph of 2^n
# vertices (default 18) or GRAPH=FILE for a graph of your own.
#
# Standard output gets the result alone. On the way a terminal gets a line that
# is rewritten in place, and whatever fails shows all that it printed.
set -euo pipefail

fail() {
  echo "demo: $*; nothing was run" >&2
  exit 1
}

if [[ -n ${GRAPH:-} ]]; then
  if [[ -n ${SCALE:-} ]]; then fail "expected SCALE or GRAPH, found both"; fi
  if [[ ! -e $GRAPH ]]; then fail "no file \"$GRAPH\" to be GRAPH"; fi
  input=$(realpath -- "$GRAPH")
  title=$GRAPH
else
  input=${SCALE:-18}
  if [[ ! $input =~ ^[0-9]+$ ]]; then fail "bad SCALE \"$input\", expected 0 to 30"; fi
  title="a Kronecker graph (R-MAT, Graph500's parameters) of scale $input"
fi

cd "$(dirname "$0")/.."
folder=build/demo
mkdir -p "$folder"

# step WHAT COMMAND...: runs the command with its output kept in a file.
step() {
  local what=$1 log=$folder/log status=0
  shift
  if [[ -t 2 ]]; then
    "$@" 2>&1 | tee "$log" | while IFS= read -r line; do
      printf '\r\033[K%s: %.60s' "$what" "$line" >&2
    done || status=$?
    printf '\r\033[K' >&2
  else
    "$@" >"$log" 2>&1 || status=$?
  fi
  if ((status != 0)); then
    cat "$log" >&2
    echo "demo: $what failed, status $status: $*" >&2
    exit 1
  fi
}

# With its set-up.
step "building doall" make --no-print-directory build

sources=(examples/{pagerank,graph,kronecker,text_file}.c)
step "compiling the example" gcc -O2 -g -fopenmp "${sources[@]}" -o "$folder/pagerank" -lz -llzma -lm

# Once by itself: whatever is wrong with the graph shows here.
step "a first run" "$folder/pagerank" "$input"
printed() { sed -n "s/^$1: //p" "$folder/log"; }
echo "PageRank on $title: $(printed vertices) vertices, $(printed edges) edges, $(printed iterations) iterations"

build/bin/doall compare --metric seconds --runs 3 \
  --schedules 'static;dynamic;dynamic,64;guided;trapezoid;affinity' \
  --peers 'dynamic;dynamic,64;static;guided' \
  -- "$folder/pagerank" "$input"

# What a page says of the run as most programs are compiled.
step "a report" build/bin/doall run --schedule=static --report="$folder/report.json" \
  "$folder/pagerank" "$input"
echo
build/bin/doall report "$folder/report.json" -o "$folder/report.html"
