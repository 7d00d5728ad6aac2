#!/bin/bash
# Traces, from outside: their form, that they agree with the report of the same run, and what is
# left of programs that end in the middle or leave more events than there is room for.
#   trace.sh DOALL CHECK INCLUDE [CLANG]
doall=$1
check=$2
include=$3
clang=${4:-}
subcommand=run
here=$(dirname "$(readlink -f "$0")")
source "$here/common.sh"
unset DOALL_SCHEDULE DOALL_NUM_THREADS OMP_SCHEDULE OMP_NUM_THREADS

cat >app.c <<'END'
#include "endings.h"
enum { n = 500 };
static double a[n];
static void loops(void) {
  for (int call = 0; call < 50; ++call) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) a[i] += work(i);
  }
#pragma omp parallel num_threads(2)
  {
    work(1000);
#pragma omp barrier
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = -n; i < 0; ++i) a[i + n] += work(-i);
#pragma omp for schedule(guided)
    for (int i = 0; i < n; ++i) a[i] += work(i);
  }
}
int main(int argc, char** argv) {
  const char* end = argc > 1 ? argv[1] : "";
  if (!strcmp(end, "fork")) {
    loops();
    for (int child = 0; child < 2; ++child) {
      if (fork() == 0) {
        loops();
        _exit(0);
      }
    }
    while (wait(NULL) > 0) {
    }
  }
  if (!strcmp(end, "many")) {
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 20000; ++i) a[i % n] += 1;
  }
  loops();
  end_by(end);
  puts("done");
}
END
what="compiling"
gcc -O1 -g -fopenmp -I "$here" app.c -o app >out 2>err || complain "app.c does not compile"

# sound TRACE [REPORT]
sound() {
  what="$*"
  python3 -B "$check" "$@" >out 2>err || complain "not a sound trace"
}
# of TRACE EXPRESSION: it holds of `events`, those that take time, and `all`, the whole.
of() {
  what="$1: $2"
  python3 - "$1" "$2" >out 2>err <<'END' || complain "it does not hold"
import json, sys
all = json.load(open(sys.argv[1]))
events = [e for e in all["traceEvents"] if e["ph"] == "X"]
sys.exit(not eval(sys.argv[2]))
END
}

# --- in agreement with the report, under every schedule and by both OpenMP doors
for schedule in $("$doall" schedules | sed -n '2,/^$/s/ .*//p'); do
  ends 0 --threads=2 --schedule="$schedule" --trace=t.json --report=r.json ./app; says done
  sound t.json r.json
done
if [ -n "$clang" ]; then
  "$clang" -O1 -g -fopenmp -I "$here" app.c -o clang_app >out 2>err || complain "it does not compile"
  ends 0 --threads=2 --trace=t.json --report=r.json ./clang_app; says done; quiet
  sound t.json r.json
fi

# --- what is in it
ends 0 --threads=2 --schedule=dynamic,50 --trace=t.json ./app; says done; quiet
sound t.json
of t.json 'any("app.c:6" in e["name"] and e["args"]["schedule"] == "dynamic,50" for e in events)'
of t.json 'any(e["cat"] == "chunk" and (e["args"]["first"], e["args"]["last"]) == (450, 499)
           for e in events)'
of t.json 'any(e["cat"] == "chunk" and e["args"]["first"] == -500 for e in events)'
of t.json 'any(e["cat"] == "waiting" for e in events)'
of t.json 'any(e["cat"] == "region" for e in events)'
of t.json '{"worker 0", "worker 1"} <= {e["args"].get("name") for e in all["traceEvents"]}'

# --- with a recording, and loops inside loops, which are stolen
cat >nested.cpp <<'END'
#include <doall/doall.hpp>

#include <vector>
int main() {
  std::vector<double> a(64 * 64);
  for (int call = 0; call < 20; ++call) {
    doall::parallel_for(0, 64, [&](int i) {
      doall::parallel_for(0, 64, [&](int k) {
        for (int n = 0; n < 20 * i; ++n) a[64 * i + k] += n;
      });
    });
  }
}
END
what="compiling"
lib=$(dirname "$doall")/../lib
if g++ -std=c++20 -O1 -g -I"$include" nested.cpp -L"$lib" -ldoall -Wl,-rpath,"$lib" -o nested \
  >out 2>err; then
  ends 0 --threads=2 --trace=t.json --record=costs.json ./nested; quiet
  sound t.json
  of t.json 'any(e["cat"] == "nested" for e in events)'
  # In a trial the outer loop runs alone: then the inner loops are in no other, and not `nested`.
  of t.json 'sum(e["args"]["iterations"] for e in events
                 if "nested.cpp:8" in e["name"] and e["cat"] in {"nested", "loop"}) == 20 * 64 * 64'
else
  complain "nested.cpp does not compile"
fi

# --- ends in the middle: all loops up to then are there
for how in term kill abort _exit exec; do
  case $how in
    term) status=143 ;;
    kill) status=137 ;;
    abort) status=134 ;;
    *) status=0 ;;
  esac
  ends "$status" --threads=2 --trace=t.json ./app $how; quiet
  sound t.json
  of t.json 'sum("app.c:6" in e["name"] for e in events) >= 50'
done
ends 0 --threads=2 --trace=t.json ./app fork; says done; quiet
sound t.json
of t.json 'len({e["pid"] for e in events}) == 3'

# A fork in the middle of a loop, and of a region: the child ends them without a trace of theirs.
cat >inside.c <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static pid_t child;
int main(void) {
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < 100; ++i)
    if (i == 50) child = fork();
  if (child == 0) return 7;
  int in_loop = 0;
  waitpid(child, &in_loop, 0);
#pragma omp parallel num_threads(1)
  child = fork();
  if (child == 0) return 8;
  int in_region = 0;
  waitpid(child, &in_region, 0);
  printf("children %d %d\n", WIFEXITED(in_loop) ? WEXITSTATUS(in_loop) : -1,
         WIFEXITED(in_region) ? WEXITSTATUS(in_region) : -1);
}
END
gcc -O1 -g -fopenmp inside.c -o inside >out 2>err || complain "inside.c does not compile"
ends 0 --trace=t.json ./inside; says 'children 7 8'
sound t.json

# Threads beyond the lanes: their events are left out, and counted; no lane is another thread's.
cat >threads.c <<'END'
#include <pthread.h>
#include <stddef.h>
static double sum;
static void* loop(void* of) {
#pragma omp parallel for num_threads(1) schedule(dynamic, 1)
  for (int i = 0; i < 3; ++i) sum += i;
  return of;
}
int main(void) {
  for (int n = 0; n < 1100; ++n) {
    pthread_t one;
    pthread_create(&one, NULL, loop, NULL);
    pthread_join(one, NULL);
  }
}
END
gcc -O1 -g -fopenmp threads.c -o threads >out 2>err || complain "threads.c does not compile"
ends 0 --trace=t.json ./threads; warns "more did not fit"
sound t.json
of t.json 'len({e["tid"] for e in events}) <= 1024 and all["otherData"]["left_out"] >= 76'

# --- more than there is room for: the loops behind are there, the file and the command say it
ends 0 --threads=2 --trace=t.json --trace-events=2000 ./app many; says done
warns "more did not fit"
sound t.json
of t.json 'all["otherData"]["left_out"] >= 18000 and all["otherData"]["events"] <= 2000'
of t.json 'sum("app.c:6" in e["name"] for e in events) >= 50'
of t.json 'any("left out" in e["args"].get("labels", "") for e in all["traceEvents"])'

# --- nothing to trace, nowhere to write
ends 0 --trace=t.json true; warns "no process left a trace"
sound t.json
ends 1 --trace=no/such.json ./app; warns "cannot write the trace to no/such.json"
ends 2 --trace=t.json --trace-events=1 ./app; warns "--trace-events"
if [ -w /dev/full ]; then
  ends 1 --threads=2 --trace=/dev/full ./app; says done; warns "cannot write the trace to /dev/full"
fi
finish
