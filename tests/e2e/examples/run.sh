#!/bin/bash
# examples/pagerank on graphs of every format and on bad ones, on the system's
# libgomp: run.sh PAGERANK. DOALL_GRAPHS=FOLDER adds the real graphs there.
set -euo pipefail
pagerank=$(realpath -- "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# libgomp's threads would spin at each barrier, for as long as another test has their core.
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive

failures=0
fail() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# good WHAT VERTICES EDGES ARGUMENTS...: runs, and verifies its ranks.
good() {
  local what=$1 vertices=$2 edges=$3 status=0
  shift 3
  "$pagerank" "$@" >out 2>err || status=$?
  if ((status != 0)) || [[ -s err ]] ||
    ! grep -qx "vertices: $vertices" out || ! grep -qx "edges: $edges" out ||
    ! grep -qE '^iterations: [1-9][0-9]*$' out || ! grep -qE '^seconds: [0-9]+\.[0-9]{6}$' out ||
    ! grep -qx 'verified: largest relative difference 0' out; then
    fail "$what: expected status 0, $vertices vertices and $edges edges, got status $status and:"
    cat out err >&2
  fi
}

# bad WHAT MESSAGE ARGUMENTS...: ends with status 1 and a message, whose first
# line has MESSAGE in it.
bad() {
  local what=$1 message=$2 status=0
  shift 2
  "$pagerank" "$@" >out 2>err || status=$?
  if ((status != 1)) || [[ $(head -n 1 err) != *"$message"* ]]; then
    fail "$what: expected status 1 and \"$message\", got status $status and:"
    cat out err >&2
  fi
}

# bad_file WHAT MESSAGE CONTENT: such a file; CONTENT as printf's format has it.
bad_file() {
  # shellcheck disable=SC2059
  printf "$3" >bad.graph
  bad "$1" "bad.graph:$2" bad.graph
}

# Graphs of every format. SNAP's files end their lines with CR LF.
printf '# Directed graph\r\n# Nodes: 5 Edges: 6\r\n0\t1\r\n0\t7\r\n7\t1\r\n1\t0\r\n3\t3\r\n' >snap.txt
printf '9\t0' >>snap.txt
good 'SNAP' 5 6 snap.txt
printf '0 1\n\n# in between\n1 2\n' >bare.txt
good 'SNAP without a header' 3 2 bare.txt
printf '# Nodes: 4 Edges: 1\n5 2\n' >isolated.txt
good 'SNAP with vertices without edges' 4 1 isolated.txt
printf 'c a comment\nc\np tw 5 4\n1 2\n2 3\nc another\n3 4\n4 4\n' >pace.gr
good 'PACE' 5 8 pace.gr
good 'a pipe' 5 8 /dev/stdin <pace.gr
printf 'p tw 0 0\n' >none.gr
good 'no vertices' 0 0 none.gr
printf '# Nodes: 0 Edges: 0\n' >none.txt
good 'no vertices, SNAP' 0 0 none.txt
printf 'p tw 1 0\n' >one.gr
good 'one vertex' 1 0 one.gr
good 'a Kronecker graph of one vertex' 1 16 0
good 'a Kronecker graph' 1024 16384 10

for tool in gzip xz; do
  if ! command -v $tool >/dev/null; then
    echo "skipped: $tool is not installed"
    continue
  fi
  for graph in snap.txt pace.gr; do $tool --stdout $graph >$graph.$tool; done
  good "SNAP, $tool" 5 6 snap.txt.$tool
  good "PACE, $tool" 5 8 pace.gr.$tool
  sed 's/5 4/5 5/' pace.gr | $tool --stdout >first_part
  cat first_part <(printf '1 5\n' | $tool --stdout) >parts
  good "two $tool files, one after the other" 5 10 parts

  seq 20000 | sed 's/.*/& &/' | $tool --stdout >long
  head -c 2000 long >cut.graph
  bad "truncated $tool" 'the compressed data end too early: truncated?' cut.graph
  [[ $(head -n 1 err) =~ ^cut.graph:[1-9][0-9]*: ]] || fail "truncated $tool: no line number: $(cat err)"
  { head -c 1000 long && printf 'xxxxxxxxxxxxxxxxxxxx' && tail -c +1021 long; } >damaged
  bad "damaged $tool" 'the compressed data are damaged' damaged
done

# ranks_are WHAT EXPECTED CONTENT: the ranks, to ten digits, by the file's numbers.
ranks_are() {
  # shellcheck disable=SC2059
  printf "$3" >ranked.txt
  "$pagerank" ranked.txt --ranks ranks >/dev/null
  local found
  found=$(awk '{ printf "%s%d %.10f", (NR > 1 ? ", " : ""), $1, $2 }' ranks)
  [[ $found == "$2" ]] || fail "ranks of $1: expected $2, got $found"
}
# With damping d = 0.85. The second of two vertices is dangling: it gives to both,
# so that the first has r = (1 - d) / 2 + d (1 - r) / 2.
ranks_are 'a cycle' '4 0.3333333333, 5 0.3333333333, 7 0.3333333333' '4 7\n7 5\n5 4\n'
ranks_are 'an edge' '0 0.3508771930, 9 0.6491228070' '0 9\n'

# The same ranks under every schedule.
"$pagerank" 10 --ranks expected >/dev/null
for schedule in static static,7 dynamic,1 dynamic,100 guided; do
  OMP_SCHEDULE=$schedule OMP_NUM_THREADS=3 "$pagerank" 10 --ranks ranks >/dev/null
  cmp ranks expected || fail "other ranks under OMP_SCHEDULE=$schedule"
done

# Bad files: where, what was found, what was expected.
bad 'missing' 'missing.txt: cannot be opened: No such file' missing.txt
bad 'a folder' 'cannot be read: Is a directory' "$folder"
bad_file 'empty' '0: not a graph: the file is empty' ''
bad_file 'only blank lines' '2: not a graph: the file is empty' '\n\n'
bad_file 'text' '1: not a graph: expected SNAP text' 'Dear reader,\n'
bad_file 'binary' '1: not a graph: expected SNAP text' '\177ELF\1\2\0\0'
bad_file 'a long line' '1: not a graph: the line has more than' "%05000d"
bad_file 'only comments' '1: not a graph: it has no edges' '# nothing\n'
bad_file 'half an edge' '2: not an edge: expected two vertex numbers, found "1"' '0 1\n1\n'
bad_file 'three columns' '1: not an edge: expected two vertex numbers, found "1 2 3"' '1 2 3\n'
bad_file 'a word' '2: not an edge: expected two vertex numbers, found "1 x"' '0 1\n1 x\n'
bad_file 'negative' '2: vertex -1 is out of range: expected 0 to 2147483646' '0 1\n-1 0\n'
bad_file 'huge' '1: vertex 99999999999999999999 is out of range' '0 99999999999999999999\n'
bad_file 'fewer edges, SNAP' '2: ends after 1 of the 2 edges its header promises: truncated?' \
  '# Nodes: 2 Edges: 2\n0 1\n'
bad_file 'more vertices, SNAP' '3: edge 1 7 makes 3 vertices' '# Nodes: 2 Edges: 2\n0 1\n1 7\n'
bad_file 'fewer edges, PACE' '2: ends after 1 of the 2 edges' 'p tw 3 2\n1 2\n'
bad_file 'more edges, PACE' '3: goes on after the 1 edges' 'p tw 3 1\n1 2\n2 3\n'
bad_file 'vertex 0, PACE' '2: vertex 0 is out of range: expected 1 to 3' 'p tw 3 1\n1 0\n'
bad_file 'vertex N + 1, PACE' '3: vertex 4 is out of range: expected 1 to 3' 'p tw 3 2\n1 2\n4 1\n'
bad_file 'another .gr' '1: not a PACE graph: expected "p tw VERTICES EDGES"' 'p sp 3 2\na 1 2 1\n'
bad_file 'no header, PACE' '2: not a PACE graph' 'c comment\n1 2\n'
bad_file 'a huge header' '1: a header of 2000000000 vertices and 1 edges' 'p tw 2000000000 1\n'

# Bad command lines.
bad 'a scale too large' 'expected a scale from 0 to 30, found 31' 31
bad 'an option' 'unknown option --x' --x
bad 'two graphs' 'expected one graph, found a second: 11' 10 11
bad 'no file for ranks' "expected a file's name after --ranks" --ranks
bad 'ranks into no folder' 'ranks cannot be written to no/ranks' 4 --ranks no/ranks
if [[ -c /dev/full ]]; then bad 'a full disk' 'ranks cannot be written' 4 --ranks /dev/full; fi

# Real graphs: vertices and edges as their publishers give them.
graphs=${DOALL_GRAPHS:-}
if [[ -d $graphs ]]; then
  good 'soc-Epinions1' 75879 508837 "$graphs/soc-Epinions1.txt.gz"
  good 'web-NotreDame' 325729 1497134 "$graphs/web-NotreDame.txt.gz"
  good 'Florida' 1070376 2687902 "$graphs/FLA.gr.xz"
else
  echo 'skipped: real graphs (DOALL_GRAPHS is not a folder)'
fi

if ((failures > 0)); then
  echo "$failures failed" >&2
  exit 1
fi
echo 'all passed'
