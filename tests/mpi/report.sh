#!/bin/bash
# One report of all ranks of a job: report.sh DOALL MPIRUN...
set -uo pipefail
doall=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir tmp
export TMPDIR=$work/tmp DOALL_OVERSUBSCRIBE=true
failures=0
complain() {
  echo "FAILED: $1"
  head -50 out | sed 's/^/  /'
  failures=$((failures + 1))
}

cat >program.c <<'SOURCE'
int main(void) {
  double sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < 100000; ++i) sum += 1.0 / (i + 1);
  return sum < 0;
}
SOURCE
gcc -g -O1 -fopenmp program.c -o program || exit 1

"$@" 3 "$doall" run --report ./program >out 2>&1 || complain "a rank's status"
for rank in 0 1 2; do
  [[ $(grep -c "(rank $rank, process" out) == 1 ]] || complain "rank $rank is there once"
done
[[ $(grep -c "^all 3 ranks" out) == 1 ]] || complain "all ranks are there once"
grep -A9 "^all 3 ranks" out | grep -q "program.c.* 300000 " || complain "iterations of all ranks"

"$@" 2 "$doall" run --report=all.json --record=costs.json ./program >out 2>&1 ||
  complain "a rank's status"
python3 - <<'CHECK' >>out 2>&1 || complain "the reports' files"
import json
report = json.load(open("all.json"))
assert [p["rank"] for p in report["processes"]] == [0, 1], report["processes"]
loop = next(r for r in report["over_ranks"] if r["kind"] == "loop")
assert loop["iterations"] == 200000 and len(loop["busy_ns_by_rank"]) == 2, loop
assert loop["imbalance_between_ranks"] >= 1, loop
json.load(open("costs.json"))
CHECK

# One rank is no job: its report is one process's.
"$@" 1 "$doall" run --report ./program >out 2>&1
grep -q "rank" out && complain "one rank"
[[ -z $(ls tmp) && -z $(ls -d ./*.ranks* 2>/dev/null) ]] || complain "folders are left: $(ls tmp .)"

# What a job left that was ended is not the next one's, which has the same name.
rm -rf all.json
mkdir all.json.ranks all.json.ranks/rank-0
touch all.json.ranks/done-0 all.json.ranks/rank-0/report.1
part() { # RANK SCRIPT
  PMI_RANK=$1 PMI_SIZE=2 "$doall" run --report=all.json sh -c "$2"
}
part 1 'until [ -e started ]; do sleep 0.1; done; ./program' >out1 2>&1 &
part 0 'touch started; ./program' >out 2>&1 || complain "rank 0's status"
wait $! || complain "rank 1's status"
cat out1 >>out
grep -q "could not\|error\|left out" out && complain "an earlier job"
python3 -c 'import json; assert len(json.load(open("all.json"))["processes"]) == 2' >>out 2>&1 ||
  complain "the report behind an earlier job"
[[ -z $(ls -d ./*.ranks* 2>/dev/null) ]] || complain "folders are left: $(ls)"
echo "$failures failures"
((failures == 0))
