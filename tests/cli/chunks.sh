#!/bin/bash
# `doall chunks` from outside: the counts that AFS prints (Markatos & LeBlanc, Tables
# 3 to 5), its JSON, its pictures, and what it refuses.
#   chunks.sh DOALL
doall=$1
subcommand=chunks
source "$(dirname "$(readlink -f "$0")")/common.sh"
unset NO_COLOR

# table N P COUNT...: how often SS, GSS, FACTORING and TRAPEZOID take iterations.
# The paper rounds GSS down. Each count is checked twice: as told, and as the
# length of the list of chunks.
table() {
  local n=$1 p=$2 schedule told listed
  shift 2
  for schedule in dynamic guided,round=down factoring trapezoid; do
    ends 0 "$schedule" -n "$n" -p "$p" --json
    told=$(sed -n 's/^  "chunk_count": \([0-9]*\),$/\1/p' out)
    listed=$(grep -c '^      "origin": "central",$' out)
    [ "$told" = "$1" ] || complain "$told chunks, expected $1"
    [ "$listed" = "$1" ] || complain "$listed chunks listed, expected $1"
    shift
  done
}

# Two cells contradict the formulas that all others follow. With N = 512, P = 6:
# f = 42, n = 24, delta = 1, and 42 + 41 + ... reaches 512 with the 15th chunk; the print
# has 16. With N = 5625, P = 2: phases of 2 x 1406, 703, 351, 176, 88, 44, 22, 11, 5,
# 3, 1, 1, and a last one of 1 iteration, 27 chunks in all; the print has 29.
table 512 1    512 1 10 3
table 512 2    512 10 18 7
table 512 4    512 23 32 13
table 512 6    512 33 50 15 # printed 16
table 512 8    512 43 56 27
table 640 1    640 1 11 3
table 640 2    640 11 20 7
table 640 4    640 23 36 13
table 640 6    640 34 52 18
table 640 8    640 45 64 22
table 5625 1   5625 1 14 3
table 5625 2   5625 14 27 7 # printed 29
table 5625 4   5625 31 49 14
table 5625 6   5625 46 69 21
table 5625 8   5625 61 89 28

# --- what it says
ends 0 --help;                        says "Usage: doall chunks SCHEDULE -n N -p P"; quiet
for shape in triangular parabolic head-heavy; do says "$shape"; done
ends 0 guided -n 10 -p 2;             quiet
says "guided: 10 iterations, costs uniform, 2 workers"
says "    0       0      0    5     1           5  central      0       5"
says "synchronisations  0 local, 0 remote, 4 central"
says "makespan          5"
says "    1 |-------------------------------------------|--------------|--------------"
says "      0000011111"
lacks $'\e['
ends 0 affinity,k=2 -n 8 -p 2 --late=0:9 --sync=own=1,remote=3
says "stolen from 0"; says "synchronisations  5 local, 1 remote, 0 central"
says "    0                                                 ..........[=====....[====="
says "    1 .....[==========.....[=====....[=====...............<~~~~~~~~~~~"
ends 0 dynamic -n 500 -p 40;          says "476 more"; says "8 more"; lacks "  250 "
ends 0 dynamic -n 500 -p 40 --all;    lacks "more"; says "  250 "
ends 0 affinity-last -n 6400 -p 8 --costs=head-heavy --runs=8
says "run  chunks"; says "Run 8:"; says "stayed"; says "a row for each run"
ends 0 static -n 0 -p 3;              says "chunks            0"; quiet
ends 0 guided -n 18446744073709551615 -p 1024; says "18446744073709551615 iterations"; quiet
for schedule in $("$doall" schedules | sed -n '2,/^$/s/ .*//p'); do
  ends 0 "$schedule,order=reverse" -n 1000 -p 7 --costs=triangular --runs=2; quiet
done

# --- JSON
ends 0 affinity -n 8 -p 2 --costs=triangular --late=1:100 --json; quiet
for text in '"schema": "doall-chunks/1"' '"schedule": "affinity"' '"costs": "triangular"' \
  '"worker": 1' '"time": 100.0' '"origin": "stolen"' '"victim": 1' '"begin": 0' '"end": 2' \
  '"step": 1' '"local":' '"remote":' '"central":' '"makespan": 100.0' '"stayed": null'; do
  says "$text"
done

# --- costs from a file
printf '1\n2.5\n\n 4\n' >costs
ends 0 dynamic -p 3 --costs=costs;    says "3 iterations"; says "makespan          4"; quiet
ends 2 dynamic -n 4 -p 3 --costs=costs; warns 'bad -n "4", expected 3'
printf '1\ntwo\n' >costs
ends 1 dynamic -p 3 --costs=costs;    warns 'costs:2: bad cost "two", expected a number from 0'
echo 7 >triangular
ends 0 static -n 3 -p 1 --costs=triangular;   says "makespan          3"
ends 0 static -p 1 --costs=./triangular;      says "makespan          7"
ends 1 static -n 3 -p 1 --costs=nowhere; warns '"nowhere" is neither a file'; warns "head-heavy"

# --- what it refuses
ends 2;                               warns "SCHEDULE"
ends 2 guided -p 2;                   warns "-n is missing"
ends 2 guided -n 10;                  warns "--workers"
ends 2 gided -n 10 -p 2;              warns 'the nearest is "guided"'
ends 2 nosuch -n 10 -p 2;             warns 'unknown schedule "nosuch"'
ends 1 guided -p 2 --costs=/;         warns 'no costs in "/"'
ends 2 guided -n ten -p 2;            warns 'bad -n "ten", expected a whole number from 0'
ends 2 guided -n 10 -p 1025;          warns 'bad -p "1025", expected a whole number from 1 to 1024'
ends 2 guided -n 10 -p 2 --late=2:5;  warns 'bad --late "2:5", expected WORKER:TIME, a worker from 0 to 1'
ends 2 guided -n 10 -p 2 --late=1:-5; warns 'bad --late "1:-5"'
ends 2 guided -n 10 -p 2 --sync=far=5; warns 'bad price "far=5", expected own=PRICE'
ends 2 guided -n 10 -p 2 --runs=0;    warns 'bad --runs "0", expected a whole number from 1 to 1000'
ends 2 dynamic -n 1000001 -p 2;       warns "more than 1000000 chunks"
ends 2 static -n 10000001 -p 2 --costs=parabolic; warns "at most 10000000"

# --- on a terminal: its width, and colours unless they are unwanted
# A container may have no pseudo-terminals.
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
  on_terminal() {
    what="on a terminal: $*"
    checks=$((checks + 1))
    script -qec "stty cols 60; $* '$doall' chunks guided -n 10 -p 2" /dev/null >out 2>err </dev/null
  }
  on_terminal env TERM=xterm;                says $'\e[36m|--'
  on_terminal env TERM=xterm NO_COLOR=;      says $'\e[36m|--'
  on_terminal env TERM=xterm NO_COLOR=1;     lacks $'\e['
  says "    1 |-------------------------------|----------|----------"
  lacks "-------------------------------------------------------"
  on_terminal env TERM=dumb;                 lacks $'\e['
fi

finish
