#!/bin/bash
# The compiler's grains for LBS's eight programs are the paper's (Table 2), within a factor of two
# where they are not 1, and `lbs` uses them:
#   grain.sh BIN SOURCES
set -u
bin=$1
sources=$2
source "$(dirname "$(readlink -f "$0")")/common.sh"

"$bin/doall" cc --explain "$sources/lbs.c" >found || failed "--explain"
mapfile -t ours < <(sed -n 's/.* grain \([0-9]*\).*/\1/p' found)
papers=(1 1 91 108 53 77 1 1)
[ ${#ours[@]} -eq ${#papers[@]} ] || failed "the loops: $(cat found)"
for i in "${!papers[@]}"; do
  paper=${papers[i]}
  mine=${ours[i]:-0}
  echo "grain $mine, the paper's $paper"
  if [ "$paper" -eq 1 ]; then
    [ "$mine" -eq 1 ] || failed "loop $i: $mine, expected 1"
  else
    [ $((2 * mine)) -ge "$paper" ] && [ "$mine" -le $((2 * paper)) ] ||
      failed "loop $i: $mine, expected about $paper"
  fi
done

# Fine-grain loops are those of alike iterations that take less than 100 ms in all.
cat >fine.c <<'END_C'
void alike(double* a, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) a[i] = i;
}
void by_rows(const long* start, double* a, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long j = start[i]; j < start[i + 1]; ++j) a[j] = i;
}
END_C
"$bin/doall" cc --explain fine.c >found || failed "--explain fine.c"
most=$(sed -n 's/.*uniform.*fine up to \([0-9]*\) iterations.*/\1/p' found)
[ "${most:-0}" -gt 10000000 ] && [ "${most:-0}" -lt 260000000 ] || failed "fine: $(cat found)"
[ "$(grep -c 'fine up to' found)" -eq 1 ] || failed "a weighted loop is fine: $(cat found)"

"$bin/doall" cc -O2 -fopenmp "$sources/lbs.c" -o app || failed "compiling"
right=$(./app)
out=$(OMP_NUM_THREADS=2 "$bin/doall" run --schedule=lbs --report ./app 2>report) || failed "running"
[ "$out" = "$right" ] || failed "the result is $out, expected $right"
grep -q "lbs,${ours[2]:-0}" report || failed "no loop ran by its grain: $(cat report)"
out=$(OMP_NUM_THREADS=2 "$bin/doall" run --schedule=lbs,5 --report ./app 2>report) || failed "lbs,5"
grep -q "lbs,5" report || failed "lbs,5 is not kept: $(cat report)"
end
