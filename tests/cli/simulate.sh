#!/bin/bash
# `doall simulate` from outside: speed-ups that can be worked out, its files, and what it refuses.
#   simulate.sh DOALL
doall=$1
subcommand=simulate
source "$(dirname "$(readlink -f "$0")")/common.sh"

# --- what it says
ends 0 --help;                        says "uniform, triangular"; says "2x96"; quiet
cat >free.json <<'END'
{"processors": 8}  // nothing costs anything but iterations
END
ends 0 --workload=uniform -n 800 --machine=free.json --schedules=static
says "uniform: 800 iterations of 1000 ns in the mean, called once"
says "static     1.00   2.00   4.00   8.00        0.1"
quiet
# The first half of the workers has three quarters of a triangle, the first eighth 15/64.
ends 0 --workload=triangular -n 80000 --machine=free.json --workers=8 --schedules=static
says "4.27"
ends 0 --workload=triangular -n 100 --machine=free.json --schedules='static;affinity,k=2' --timeline
says "affinity,k=2"; says "triangular under static, 8 workers"; says "    7 [==="
ends 0 --workload=uniform -n 1000 --schedules=all --workers=3
for schedule in $("$doall" schedules | sed -n '2,/^$/s/ .*//p'); do says "$schedule "; done

# --- a file of loops
cat >loops.json <<'END'
{"format": "doall-workload/1",  // a comment
 "loops": [{"name": "rows", "iterations": 1000, "cost_ns": 250},
           {"iterations": 8, "calls": 20, "costs_ns": [[6, 0], [2, 1e6]]}]}
END
ends 0 --workload=loops.json --machine=free.json --workers=2,8 --schedules='static;dynamic' \
  --json=out.json --svg=out.svg
quiet
says "rows: 1000 iterations of 250 ns in the mean, called once"
says "loop 1: 8 iterations of 2.5e+05 ns in the mean, called 20 times"
says "static     1.00   2.00         20"
says "dynamic    2.00   2.00         20"
what="the files"
cp out.json out
for text in '"schema": "doall-simulate/1"' '"workload": "loops.json"' '"machine": "free.json"' \
  '"loop": "loop 1"' '"speed_up": 2.0' '"time_us": 20000.0' '"synchronisations": 160'; do
  says "$text"
done
cp out.svg out
says "<svg xmlns="; says ">dynamic</text>"; says ">loop 1</text>"; says "on free.json"; says "</svg>"
[ "$(grep -c "<polyline" out.svg)" -eq 6 ] || complain "expected four curves and two ideals"
! command -v xmllint >/dev/null || xmllint --noout out.svg || complain "it is no XML"

# --- data: fetched once, and then in the cache of whoever stays
echo '{"processors": 2, "cache_bytes": 1e6, "fetch_byte": 0.01}' >memory.json
echo '{"format": "doall-workload/1",
 "loops": [{"iterations": 8, "calls": 2, "cost_ns": 1000, "bytes": 64}]}' >data.json
ends 0 --workload=data.json --machine=memory.json --schedules=static
says "static     0.76   1.52    0.01056"

# --- slow and absent processors: the first one stands in
echo '{"processors": 4, "slow": [[1, 2]], "absent": [3]}' >parts.json
ends 0 --workload=uniform -n 400 --machine=parts.json --schedules=static
says "static     1.00   1.00   2.00"

# --- the same numbers again, other ones from another seed
ends 0 --workload=triangular -n 5000 --machine=ksr-1 --schedules=guided --seed=3; cp out first
ends 0 --workload=triangular -n 5000 --machine=ksr-1 --schedules=guided --seed=3
cmp -s out first || complain "a seed gives one run"
ends 0 --workload=triangular -n 5000 --machine=ksr-1 --schedules=guided --seed=4
! cmp -s out first || complain "seeds give different runs"

# --- this machine: its prices are those of its queues and launches, and simulate takes the file
subcommand=calibrate
ends 0 --machine=here.json; says "written to here.json"; quiet
cp here.json out
for text in '"processors": ' '"sync": {"own": ' '"again": ' '"served": '; do says "$text"; done
ends 0 --machine=-; says '"processors": '; lacks "written to"
ends 1 --machine=/dev/null/here.json; warns 'cannot write to "/dev/null/here.json"'
subcommand=simulate
ends 0 --workload=uniform -n 1000 --machine=here.json --schedules='static;dynamic'
says "machine here.json, "; quiet
echo '{"sync": {"again": -1}}' >wrong.json
ends 2 --workload=uniform --machine=wrong.json; warns "again is -1, expected a number from 0"

# --- ranks of an MPI job: each iteration once under every schedule that deals chunks
ends 0 --workload=power-law -n 20000 --ranks=4 --workers-per-rank=3 --inside=wsrw --json=ranks.json
says "4 ranks of 3 workers, wsrw inside"; says "of ideal"; lacks "sws"
cp ranks.json out; says '"schema": "doall-simulate-ranks/1"'
ends 0 --workload=uniform -n 1000 --ranks=2 --schedules=static; says "static"
ends 2 --workload=uniform --ranks=4 --schedules=lbs; warns "lbs splits loops and deals no chunks"
ends 2 --workload=uniform --ranks=4 --inside=lbs; warns 'inside ranks: schedule "lbs" splits'
ends 0 --workload=power-law -n 20000 --ranks=7 --workers-per-rank=3 --group-nodes=2 --json=ranks.json
says "dealers"; cp ranks.json out; says '"dealers": 4'; says '"dealers": 1'
ends 2 --workload=uniform --ranks=4 --group-nodes=0; warns "--group-nodes: 0, expected at least 1"
ends 2 --workload=uniform --ranks=0; warns "0 ranks of 1 workers, expected at least one of each"

# --- what it refuses
bad_loops() {  # bad_loops LOOP WARNING
  echo "{\"format\": \"doall-workload/1\", \"loops\": [$1]}" >bad.json
  ends 2 --workload=bad.json; warns "workload bad.json: $2"
}
bad_loops '' 'expected a list of "loops"'
bad_loops '{"iterations": -1, "cost_ns": 1}' 'line 1, loops[0]: iterations is -1, expected a whole number'
bad_loops '{"iterations": 5}' 'line 1, loops[0]: expected either cost_ns or costs_ns'
bad_loops '{"iterations": 5, "cost_ns": "x"}' 'line 1, loops[0]: cost_ns is "x", expected nanoseconds'
bad_loops '{"iterations": 5, "costs_ns": [[4, 1]]}' 'line 1, loops[0]: costs_ns has the costs of 4 iterations, expected 5'
bad_loops '{"iterations": 5, "costs_ns": [[4, 1], [2, 1]]}' 'line 1, loops[0]: costs_ns[1]: the pairs have more'
bad_loops '{"iterations": 5, "costs_ns": [[5, -1]]}' 'line 1, loops[0]: costs_ns[0] is -1'
bad_loops '{"iterations": 5, "cost_ns": 1, "speed": 1}' 'line 1, loops[0]: unknown field "speed"'
bad_loops '{"iterations": 5, "cost_ns": 1, "bytes": -1}' 'line 1, loops[0]: bytes is -1, expected a number from 0'
bad_loops '3' 'line 1, loops[0]: is 3, expected an object'
printf '{"format": "doall-workload/1",\n "loops": [' >bad.json
ends 2 --workload=bad.json;                     warns "line 2"
ends 2 --workload=free.json;                    warns 'whose "format" is "doall-workload/1"'
ends 2 --workload=nothing;                      warns 'neither a file that can be read nor one of uniform'
ends 2 --workload=uniform --machine=mars;       warns 'no machine "mars", expected one of: 2x64'
ends 2 --workload=uniform --machine=loops.json; warns 'machine loops.json, line 1: unknown field'
ends 2 --workload=uniform --workers=0;          warns "--workers: 0 of machine 2x64, expected 1 to 128"
ends 2 --workload=uniform --schedules=chess;    warns "chess"
ends 2 --workload=uniform --schedules=';';      warns '--schedules: 1 required S;S;... missing'
ends 1 --workload=uniform -n 10 --json=/nowhere/out.json; warns 'cannot write the results to /nowhere/out.json'
ends 2;                                         warns "--workload"

finish
