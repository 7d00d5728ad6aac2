#!/bin/bash
# What programs that are linked with libdoall.so rely on: its soname, and the
# versioned symbols of symbols.txt, all of them and no others.
#   run.sh LIBRARY LIST
set -euo pipefail
library=$1
list=$2
export LC_ALL=C

command -v readelf >/dev/null || { echo "skipped: no readelf"; exit 77; }

failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

soname=$(readelf --dynamic --wide "$library" | sed -n 's/.*Library soname: \[\(.*\)\]/\1/p')
[[ $soname == libdoall.so.0 ]] || fail "the soname is \"$soname\", expected libdoall.so.0:
  another one is another library, and programs built so far do not start with it"

# "name VERSION", or "name" when it has none, without the versions themselves.
exported=$(readelf --dyn-syms --wide "$library" |
  awk '$1 ~ /^[0-9]+:$/ && $7 != "UND" && $7 != "ABS" { sub(/@+/, " ", $8); print $8 }' | sort)
public=$(grep -v ' DOALL_PRIVATE$' <<<"$exported")

while read -r symbol; do
  fail "$symbol is in the list and not in the library: programs that use it stop working.
  Keep it. (Its version is a part of it: a symbol never moves to another.)"
done < <(comm -23 <(sort "$list") - <<<"$public")

while read -r symbol; do
  fail "$symbol is in the library and not in the list. If it is meant for programs, append it
  to the list, and in src/doall.map to the version node of the next release, a new one unless
  that has not been released; otherwise keep it out of the map."
done < <(comm -13 <(sort "$list") - <<<"$public")

# The private node: the rooms that libdoall-omp.so uses, and no C functions.
while read -r symbol; do
  fail "$symbol is exported as DOALL_PRIVATE, which is for the engine's C++ names alone"
done < <(sed -n 's/ DOALL_PRIVATE$//p' <<<"$exported" |
  c++filt | grep -Ev '(^|[ (])doall::(base|costs|decide|observe|park|schedules|team|topology)::' || true)

echo "$(wc -l <<<"$public") public symbols, $failures failures"
((failures == 0))
