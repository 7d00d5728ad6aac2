#!/bin/bash
# The report's first sentence names the slowest loop and what would help, and following it helps: a
# triangular loop under static, whose last block has most of the work.
#   advice.sh DOALL
doall=$1
subcommand=run
source "$(dirname "$(readlink -f "$0")")/common.sh"
unset DOALL_SCHEDULE DOALL_NUM_THREADS OMP_SCHEDULE OMP_NUM_THREADS

cat >app.c <<'EOF'
#include <stdio.h>
static double work(int rounds) {
  volatile double sum = 0;
  for (int k = 0; k < rounds; ++k) sum += k;
  return sum;
}
int main(void) {
  enum { n = 1000 };
  static double a[n];
  for (int call = 0; call < 300; ++call) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) a[i] += work(i);
  }
  puts("done");
}
EOF
what="compiling"
gcc -O1 -g -fopenmp app.c -o app >out 2>err || complain "app.c does not compile"

ends 0 --threads=2 --schedule=static --report=before.json ./app
schedule=$(python3 - <<'EOF'
import json
report = json.load(open("before.json"))
loop = report["processes"][0]["loops"][0]
advice = loop["advice"]
assert report["first"].startswith(f"Begin with {loop['where']}: "), report["first"]
assert f"{advice['schedule']} would save " in report["first"], report["first"]
assert 0.15 < advice["saves"] < 0.6, advice
print(advice["schedule"])
EOF
) || complain "the first sentence does not say what would help"

# Another program may spoil many calls: the groups of calls that took least are compared, and runs
# that were spoilt whole are made again.
helped() {
  python3 - <<'EOF'
import json
least = [min(mean for _, mean, _ in
             json.load(open(f))["processes"][0]["loops"][0]["over_calls"])
         for f in ("before.json", "after.json")]
print(f"a call takes {least[1] / 1000:.0f} us instead of {least[0] / 1000:.0f}")
raise SystemExit(least[1] > 0.9 * least[0])
EOF
}
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  ends 0 --threads=2 --schedule=static --report=before.json ./app
  ends 0 --threads=2 --schedule="$schedule" --report=after.json ./app
  helped >out && break
  [ "$attempt" -lt 10 ] || complain "$schedule does not help"
done
cat out
finish
