#!/bin/sh
# Programs that others wrote, as Debian built them: the same output on the system's
# libgomp and under every schedule of the registry; with DOALL_TEST_LONG, for several team sizes.
#   foreign.sh DOALL
# Each is tried if it is installed:
#   fasttreeMP  package fasttree: schedule(dynamic, 50) and sections, with tiny loops
#   gm          package graphicsmagick: schedule(guided) and schedule(dynamic), in a library
set -eu
doall=$1
folder=$(mktemp -d)
team_sizes='3'
[ -z "${DOALL_TEST_LONG:-}" ] || team_sizes='1 2 3 8'

for name in $(env | sed -n -e 's/^\(OMP_[A-Z_]*\)=.*/\1/p' -e 's/^\(DOALL_[A-Z_]*\)=.*/\1/p'); do
  unset "$name"
done
unset LD_PRELOAD LD_LIBRARY_PATH

names=$("$doall" schedules --json | sed -n 's/^ *"name": "\([^"]*\)",*$/\1/p' | sort -u)
[ "$(echo "$names" | wc -l)" -ge 5 ] || { echo "no schedules found"; exit 1; }

# Park and Miller's generator: its products stay below 2^53, so that every awk
# computes the same numbers.
random='function random() { state = state * 16807 % 2147483647; return state / 2147483647 }'

# Nucleotide sequences, each a copy of an earlier one with some letters changed.
make_alignment() {
  awk "$random"'
    function letter() { return substr("ACGT", 1 + int(4 * random()), 1) }
    BEGIN {
      state = 2024
      for (site = 1; site <= 60; ++site) sequence[1] = sequence[1] letter()
      for (n = 2; n <= 120; ++n) {
        parent = sequence[1 + int((n - 1) * random())]
        for (site = 1; site <= 60; ++site)
          sequence[n] = sequence[n] (random() < 0.06 ? letter() : substr(parent, site, 1))
      }
      for (n = 1; n <= 120; ++n) print ">s" n "\n" sequence[n]
    }'
}

# A colour gradient with noise, as a portable pixmap in text.
make_image() {
  awk "$random"'
    BEGIN {
      state = 2024
      print "P3 160 120 255"
      for (y = 0; y < 120; ++y)
        for (x = 0; x < 160; ++x)
          print x, y, int(255 * random())
    }'
}

# The tree goes to standard output; timings, to standard error, are dropped. With its
# usual -close, the tree depends on which leaf is searched first, on any runtime.
run_fasttree() { # COMMAND...
  "$@" fasttreeMP -nt -nosupport -quiet -nopr -close 0.0001 "$folder/alignment.fa" 2>"$folder/errors"
}

run_gm() { # COMMAND...
  "$@" gm convert "$folder/image.ppm" -median 1 -blur 0x2 -rotate 20 -swirl 60 -resize 120% \
    ppm:- 2>"$folder/errors"
}

failures=0
wrong() {
  echo "wrong: $1"
  sed 's/^/  /' "$folder/errors"
  failures=$((failures + 1))
}

# The team's size is also given in OMP_NUM_THREADS, from which gm sets its own.
check() { # PROGRAM FUNCTION
  program=$1
  run=$2
  "$run" env OMP_NUM_THREADS=1 >"$folder/expected" || wrong "$program on libgomp ended with $?"
  [ -s "$folder/expected" ] || wrong "$program on libgomp wrote nothing"

  same_output() { # DESCRIPTION COMMAND...
    description=$1
    shift
    "$run" "$@" >"$folder/output" || wrong "$program $description ended with $?"
    cmp -s "$folder/expected" "$folder/output" ||
      wrong "$program $description wrote something else than on libgomp with one thread"
  }

  # Without spinning, on both: fasttreeMP has a thousand regions of microseconds, and
  # threads that spin for others take seconds when something else has the CPUs.
  for threads in $team_sizes; do
    settings="OMP_NUM_THREADS=$threads OMP_WAIT_POLICY=passive"
    # shellcheck disable=SC2086  # two words
    same_output "on libgomp with $threads threads" env $settings
    for name in $names; do
      # shellcheck disable=SC2086  # two words
      same_output "under doall run --schedule=$name --threads=$threads" \
        env $settings "$doall" run "--schedule=$name" "--threads=$threads" --
    done
  done

  # As a user would start it; and the report proves that it was our runtime, and this
  # schedule, which ran the loops. They have no costs: what steals by cost runs as what does
  # without, and says so.
  for name in $names; do
    same_output "under doall run --schedule=$name --report" \
      "$doall" run "--schedule=$name" "--report=$folder/report.json" --
    runs_as=$name
    [ "$name" != wsrw ] || runs_as=wsri
    grep -q "\"schedule\": \"$runs_as\"" "$folder/report.json" ||
      wrong "no loop of $program ran under $runs_as"
  done
}

tried=''
if command -v fasttreeMP >/dev/null; then
  make_alignment >"$folder/alignment.fa"
  check fasttreeMP run_fasttree
  tried="$tried fasttreeMP"
else
  echo "fasttreeMP is not installed (package fasttree)"
fi
if command -v gm >/dev/null; then
  make_image >"$folder/image.ppm"
  check gm run_gm
  tried="$tried gm"
else
  echo "gm is not installed (package graphicsmagick)"
fi

if [ "$failures" -ne 0 ]; then
  echo "$failures failures; the inputs are left in $folder"
  exit 1
fi
rm -r "$folder"
if [ -z "$tried" ]; then
  echo "skipped: no program to try"
  exit 77
fi
echo "$(echo "$names" | wc -l) schedules, team sizes $team_sizes, the same output:$tried"
