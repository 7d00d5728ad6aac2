#!/bin/bash
# `doall run --record` and `doall advise` from outside: a loop whose first half is ten times the
# second, by both OpenMP doors, and what comes of it on a larger machine.
#   record.sh DOALL [CLANG]
doall=$1
clang=${2:-}
subcommand=run
source "$(dirname "$(readlink -f "$0")")/common.sh"
unset DOALL_SCHEDULE DOALL_NUM_THREADS OMP_SCHEDULE OMP_NUM_THREADS

cat >app.c <<'END'
#include <stdio.h>
static double work(int rounds) {
  volatile double sum = 0;
  for (int k = 0; k < rounds; ++k) sum += k;
  return sum;
}
int main(void) {
  enum { n = 2000 };
  static double a[n];
  for (int call = 0; call < 40; ++call) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) a[i] += work(i < n / 2 ? 5000 : 500);
  }
#pragma omp parallel for schedule(dynamic, 10)
  for (int i = 0; i < 50; ++i) a[i] += work(1000);
  puts("done");
}
END

# costs FROM TO: the nanoseconds of these iterations of the first loop.
costs() {
  python3 - "$1" "$2" <<'END'
import json, sys
first, last = int(sys.argv[1]), int(sys.argv[2])
loop = next(l for l in json.load(open("costs.json"))["loops"] if l["iterations"] == 2000)
assert sum(n for n, ns in loop["costs_ns"]) == 2000
at = total = 0
for n, ns in loop["costs_ns"]:
    total += ns * max(0, min(at + n, last) - max(at, first))
    at += n
print(round(total))
END
}

records() {  # records COMPILER...
  what="$*"
  "$@" -O1 -g -fopenmp app.c -o app >out 2>err || complain "it does not compile"
  ends 0 --threads=2 --schedule=dynamic,20 --record=costs.json ./app
  says "done"; quiet
  cp costs.json out
  for text in '"format": "doall-workload/1"' 'app.c:11' '"iterations":2000' '"calls":40' \
    '"iterations":50' '"schedule":"dynamic,20"' '"workers":2'; do
    says "$text"
  done
  local heavy light
  heavy=$(costs 0 1000)
  light=$(costs 1000 2000)
  # Most calls are timed as wholes: their iterations take what the others' do.
  local call
  call=$(python3 -c 'import json
print(next(round(l["ran"]["ns"]) for l in json.load(open("costs.json"))["loops"]
           if l["iterations"] == 2000))')
  [ $((heavy + light)) -le $((2 * call + call / 50)) ] && [ $((heavy + light)) -gt $((call / 4)) ] ||
    complain "the iterations take $((heavy + light)) ns, a call of two workers $call"
  [ "$heavy" -gt $((2 * light)) ] || complain "the first half takes $heavy ns, the second $light"
}

records gcc
[ -z "$clang" ] || records "$clang"
ends 0 --threads=2 --report --record=costs.json ./app; warns "dynamic"; warns "app.c:11"
ends 1 --record=/nowhere/costs.json ./app;             warns "cannot write the recording to /nowhere"
ends 0 --record=none.json true
cp none.json out; says '"loops": ['

# --- the report's advice, and that of the recording of the same run: one function
ends 0 --threads=2 --schedule=static --report=both.json --record=both-costs.json ./app
subcommand=advise
ends 0 both-costs.json --machine=epyc-2vcpu --workers=2 --json
cp out advised.json
what="the report's advice and that of 'doall advise'"
python3 - >out 2>err <<'CHECK' || complain "they differ"
import json
advised = {l["loop"]: l["advice"] for l in json.load(open("advised.json"))["loops"]}
asked = [l for p in json.load(open("both.json"))["processes"] for l in p["loops"]
         if l["advice"]["machine"]]
assert asked, "the model was asked about no loop"
for loop in asked:
    assert loop["advice"]["machine"] == "epyc-2vcpu", loop["advice"]
    assert advised[loop["where"]] in loop["advice"]["text"], (advised, loop["advice"])
CHECK

# --- advice, of a recording and of a workload that can be worked out
ends 0 --help;                                 says "doall advise costs.json --machine=2x96"; quiet
ends 0 costs.json --machine=2x96
says "machine 2x96, 192 workers"; says "app.c:11"; says "speed-up"; quiet
echo '{"processors": 8}' >free.json
cat >loops.json <<'END'
{"format": "doall-workload/1",
 "loops": [{"name": "uneven", "iterations": 8000, "calls": 9, "costs_ns": [[1000, 800], [7000, 0]],
            "ran": {"schedule": "static", "workers": 2, "ns": 800000}},
           {"name": "even", "iterations": 8000, "cost_ns": 100,
            "ran": {"schedule": "static", "workers": 2, "ns": 400000}},
           {"name": "new", "iterations": 8, "cost_ns": 1000}]}
END
ends 0 loops.json --machine=free.json
says "affinity would save 87.5%"; says "keep static"; says "use static"
# Of a loop whose schedule no setting replaces, what to change.
sed 's/"ns": 800000/&, "in_source": true/' loops.json >source.json
ends 0 source.json --machine=free.json; says "affinity in its source, in place of static, would save"
echo '{"processors": 4, "sync": {"central": 1, "own": 1, "stolen": 1}, "spread": 1}' >dear.json
ends 0 loops.json --machine=dear.json --workers=2 --json
for text in '"schema": "doall-advise/1"' '"workers": 2' '"loop": "uneven"' '"parallel_pays": true' \
  '"imbalance":' '"synchronisation":' '"communication":' '"work":' '"today": null'; do
  says "$text"
done
echo '{"processors": 2, "fetch_byte": 0.01}' >memory.json
echo '{"format": "doall-workload/1",
 "loops": [{"iterations": 8, "cost_ns": 360, "bytes": 64,
            "ran": {"schedule": "static", "workers": 1, "ns": 8000}}]}' >data.json
ends 0 data.json --machine=memory.json; says "64.0%"  # 0.64 us of 1 for each iteration's bytes
ends 2 loops.json --machine=free.json --workers=9; warns "--workers: 9 of machine free.json, expected 1 to 8"
ends 2 nothing.json;                               warns '"nothing.json" cannot be read'
# A program whose loops GCC has compiled into regions.
cat >regions.c <<'END'
int main(void) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += i;
  return sum < 0;
}
END
gcc -O1 -fopenmp regions.c -o regions
ended_with 0 "$doall" run --record=regions.json ./regions; warns "the recording has no loops"
ends 2 regions.json
warns "the recording has no loops: they were compiled into regions"; warns "doall cc"
head -c 100 loops.json >cut.json
ends 2 cut.json;                                   warns "workload cut.json: "; warns "line 2"
ends 2;                                            warns "FILE"

finish
