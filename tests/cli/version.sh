#!/bin/bash
# Every text and JSON of the command names the version and the commit that it was built from; and
# cmake/commit.cmake knows the commit, or says that it does not.
#   version.sh DOALL COMMIT_SCRIPT VERSION
doall=$1
script=$2
version=$3
source "$(dirname "$(readlink -f "$0")")/common.sh"
unset OMP_SCHEDULE OMP_NUM_THREADS DOALL_SCHEDULE GIT_DIR GIT_WORK_TREE

# --- what the build is told
git() { command git -c user.name=a -c user.email=a@b -c commit.gpgsign=false "$@"; }
# tells EXPECTED FOLDER: a pattern of the commit of that folder.
tells() {
  what="the commit of $2"
  checks=$((checks + 1))
  cmake -DSOURCE="$2" -DTO="$work/commit.hpp" -P "$script" >out 2>err
  cp commit.hpp out
  grep -qE "^#define DOALL_COMMIT \"$1\"$" commit.hpp || complain "expected \"$1\""
}
: >out
: >err
mkdir tarball && tells "" "$work/tarball"
if type -P git >/dev/null; then # the program, not the function above
  git init -q clone && echo one >clone/file
  tells "" "$work/clone" # nothing is committed
  git -C clone add file && git -C clone commit -qm one
  hash=$(git -C clone rev-parse --short=12 HEAD)
  tells "$hash" "$work/clone"
  before=$(stat -c %y commit.hpp)
  tells "$hash" "$work/clone"
  [ "$before" = "$(stat -c %y commit.hpp)" ] || complain "written again, though it was true"
  echo two >clone/new
  tells "$hash" "$work/clone" # a file that git does not track
  echo two >clone/file
  tells "$hash\+changes" "$work/clone"
  mkdir clone/tarball
  tells "" "$work/clone/tarball" # unpacked in another project's clone
fi

# --- what the command says
by='doall '$version', commit \(not known: built without git\|[0-9a-f]*\(+changes\)\{0,1\}\)$'
# named: out has the line, whatever stands before it.
named() { grep -q "$by" out || complain "no line ends with version and commit"; }
# stamped FILE: JSON whose first members are its schema, the version and the commit.
stamped() {
  python3 - "$1" "$version" <<'END' >out 2>err || complain "$1: $(cat out)"
import json, re, sys
data = json.load(open(sys.argv[1]))
commit = data["commit"]
right = (list(data)[1:3] == ["doall", "commit"] and data["doall"] == sys.argv[2] and
         (commit is None or re.fullmatch(r"[0-9a-f]{12,}(\+changes)?", commit)))
sys.exit(0 if right else f"begins with {list(data.items())[:3]}")
END
}
ended_with 0 "$doall" --version; named; quiet
ended_with 0 "$doall" doctor; named
echo '{"format": "doall-workload/1", "loops": [{"name": "l", "iterations": 9, "cost_ns": 9}]}' >loops
for command in 'doctor --json' 'schedules --json' 'chunks guided -n 9 -p 2 --json' \
  'advise loops --json'; do
  read -ra words <<<"$command"
  ended_with 0 "$doall" "${words[@]}"
  cp out said.json && stamped said.json
done
ended_with 0 "$doall" simulate --workload=loops --json=simulated.json && stamped simulated.json

if [ "${4:-}" != no-preload ]; then
  cat >app.c <<'END'
#include <stdio.h>
int main(void) {
  long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < 1000; ++i) sum += i;
  printf("%ld\n", sum);
  return 0;
}
END
  gcc -g -O1 -fopenmp app.c -o app || exit 1
  ended_with 0 "$doall" run --report ./app; cp err out; named
  ended_with 0 "$doall" run --report=report.json ./app; stamped report.json
  ended_with 0 "$doall" run --report=page.html ./app; cp page.html out
  says "\"doall\":\"$version\",\"commit\":"; says 'id="by"'
  ended_with 0 "$doall" run --record=loops.json ./app; stamped loops.json
  ended_with 0 "$doall" diff report.json report.json --json=diff.json; stamped diff.json
  ended_with 0 "$doall" compare --runs=1 --schedules=static --json=compare.json ./app; named
  stamped compare.json
fi
finish
