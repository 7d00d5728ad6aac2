#!/bin/bash
# Reports as data and as pages, from outside: what is in them, and what is left of programs that
# end in the middle, or have nowhere to write.
#   report.sh DOALL SCHEMA CHECK [CLANG]
doall=$1
schema=$2
check=$3
clang=${4:-}
subcommand=run
here=$(dirname "$(readlink -f "$0")")
source "$here/common.sh"
unset DOALL_SCHEDULE DOALL_NUM_THREADS OMP_SCHEDULE OMP_NUM_THREADS

cat >app.c <<'EOF'
#include "endings.h"
static void loops(void) {
  enum { n = 500 };
  static double a[n];
  for (int call = 0; call < 100; ++call) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) a[i] += work(i);
  }
#pragma omp parallel num_threads(2)
  {
    work(1000);
#pragma omp barrier
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = 0; i < n; ++i) a[i] += work(n - i);
#pragma omp for schedule(guided)
    for (int i = 0; i < n; ++i) {
#pragma omp parallel for schedule(dynamic) num_threads(2) if (i % 100 == 0)
      for (int k = 0; k < 10; ++k) a[i] += work(k);
    }
  }
}
int main(int argc, char** argv) {
  const char* end = argc > 1 ? argv[1] : "";
  if (!strcmp(end, "fork")) {
    for (int child = 0; child < 2; ++child) {
      if (fork() == 0) {
        loops();
        return 0;
      }
    }
    while (wait(NULL) > 0) {
    }
  }
  loops();
  end_by(end);
  puts("done");
}
EOF
what="compiling"
gcc -O1 -g -fopenmp -I "$here" app.c -o app >out 2>err || complain "app.c does not compile"

# valid REPORT...: they agree with the schema, and their parts add up.
valid() {
  what="$*"
  python3 -B "$check" "$schema" "$@" >out 2>err || {
    cat out err
    complain "not a sound report"
  }
}

has_checker=1
python3 -c 'import jsonschema' 2>/dev/null || {
  has_checker=0
  echo "python3's jsonschema is not installed: the schema is not checked"
}

# --- data: under every schedule, by both OpenMP doors
reports=()
for schedule in $("$doall" schedules | sed -n '2,/^$/s/ .*//p'); do
  ends 0 --threads=2 --schedule="$schedule" --report="$schedule.json" ./app; says done
  reports+=("$schedule.json")
done
if [ -n "$clang" ]; then
  "$clang" -O1 -g -fopenmp -I "$here" app.c -o clang_app >out 2>err || complain "it does not compile"
  ends 0 --threads=2 --report=clang.json ./clang_app; says done
  reports+=(clang.json)
fi
ends 0 --threads=2 --report=forked.json ./app fork; says done
reports+=(forked.json)
[ "$has_checker" = 0 ] || valid "${reports[@]}"
what="what a report has"
python3 - >out 2>err <<'EOF' || complain "it is not as expected"
import json
report = json.load(open("static.json"))
loop = next(l for l in report["processes"][0]["loops"] if l["calls"] == 100)
assert loop["line"] == 6 and loop["schedule"] == "static" and loop["why"] == "steered", loop
assert any("schedule(runtime)" in line for line in loop["source"]["lines"]), loop["source"]
assert sum(n for n, ns in loop["costs"]) == 500
assert sum(n for _, _, n in loop["cost_histogram"]) == 500
assert len(loop["slowest_call"]["workers"]) == 2
assert len(json.load(open("forked.json"))["processes"]) == 3
assert "of the run" in report["first"] and "app.c:" in report["first"], report["first"]
run = report["run"]
assert run["command"] == "./app" and run["cpus"] > 0 and run["workers"] == 2, run
assert "DOALL_SCHEDULE=static" in run["settings"].split(), run
assert run["wall_ns"] >= report["processes"][0]["wall_ns"] >= loop["wall_ns"], run
assert abs(loop["share"] - loop["wall_ns"] / run["wall_ns"]) < 1e-6, loop["share"]
EOF

# --- the page
ends 0 --threads=2 --report=run.html ./app; says done; quiet
sed 's|http://www.w3.org/2000/svg||' run.html >out; says '<!DOCTYPE html>'; says 'of the run'; says '"schema":"doall-report/4"'
lacks 'http://'; lacks 'https://'; lacks 'src='
subcommand=report
ends 0 static.json -o made.html; says "of the run"; says "made.html"; quiet
ends 0 static.json;              says "report.html"
python3 - <<'EOF'
import json
report = json.load(open("static.json"))
loop = report["processes"][0]["loops"][0]
loop["where"] = loop["function"] = "</script><script>alert(1)</script><!--<b>\xfc"
json.dump(report, open("evil.json", "w"))
EOF
ends 0 evil.json -o evil.html
cp evil.html out; lacks "alert(1)</script>"; lacks "<!--"
ends 1 nothing.json; warns "nothing.json cannot be read"
echo '{"schema": "doall-report/1"}' >old.json
ends 1 old.json;     warns 'old.json has the schema "doall-report/1", expected "doall-report/4"'
# JSON that is no report in its depths.
python3 - <<'CHECK'
import json
data = json.load(open("static.json"))
data["processes"][0]["loops"][0]["over_calls"] = [[]]
json.dump(data, open("empty.json", "w"))
text = json.dumps(data).replace('"processes": [', '"processes": ' + "[" * 9999 + "]" * 9999 + ', "p": [', 1)
open("deep.json", "w").write(text)
CHECK
ends 1 empty.json;   warns 'empty.json lacks something that a report has'
ends 1 deep.json;    warns 'deep.json is no report: it has more than 100 brackets in brackets'
echo 'doall' >text;  ends 1 text;       warns "text is no report"
ends 1 static.json -o no/page.html;     warns "cannot write the page to no/page.html"
ends 2;              warns "FILE"

# The page has two words for each reason of a schedule.
what="the page's words for reasons"
sources=$(dirname "$schema")
python3 - "$sources/../observe/reason.hpp" "$sources/page/report.js" >out 2>err <<'EOF' ||
import re, sys
reasons = re.findall(r'return "([^"?]{2,})";', open(sys.argv[1]).read())
page = open(sys.argv[2]).read()
lacking = [r for r in reasons if not any(f"{q}{r}{q}: [" in page for q in ("'", '"'))]
assert len(reasons) > 15 and not lacking, lacking
EOF
  complain "one has none"

# --- two reports, whose differences are known
python3 - <<'EOF'
import json
report = json.load(open("static.json"))
loop = next(l for l in report["processes"][0]["loops"] if l["calls"] == 100)
def save(file, name, groups, line=1):
    made = loop | {"function": name, "where": name, "line": line, "calls": len(groups),
                   "wall_ns": sum(groups), "over_calls": [[1, ns, ns] for ns in groups]}
    report["processes"][0]["loops"].append(made)
    json.dump(report, open(file, "w"))
for file, times in (("a.json", 1), ("b.json", 2)):
    report["processes"][0]["loops"] = []
    wave = [1000 + 100 * (n % 3) for n in range(30)]
    save(file, "twice", [times * ns for ns in wave], line=times)
    save(file, "same", [ns + times for ns in wave])
    save(file, "wild", [(1000 + 20 * times) * (1 + 9 * (n % 10 == 0)) for n in range(30)])
    save(file, "once", [1000 * times])
    save(file, "gone" if times == 1 else "new", wave)
EOF
subcommand=diff
ends 0 a.json b.json --html=diff.html --json=diff.json; quiet
says "twice has changed most: a call takes 2.2 us instead of 1.1 us, 2.00 of its time."
for row in "twice .* 2.00 .* slower" "same .* noise" "wild .* noise" "once .* few calls" \
  "gone .* gone" "new .* new"; do
  grep -q "^$row" out || complain "no row like \"$row\""
done
cp diff.html out; says '"schema":"doall-diff/1"'
ends 0 b.json a.json; grep -q "^twice .* 0.50 .* faster" out || complain "not faster"
ends 0 a.json a.json; says "No loop has changed by more than noise."
ends 1 a.json no.json; warns "no.json cannot be read"
echo '{"schema": "doall-report/4"}' >bare.json
ends 1 a.json bare.json; warns "bare.json lacks something that a report has"
ends 2 a.json;           warns "AFTER"
subcommand=run

# --- programs that end in the middle: the word, and a page that can be read
for how in term kill abort _exit exec; do
  for file in cut.json cut.html; do
    case $how in
      term) status=143 ;;
      kill) status=137 ;;
      abort) status=134 ;;
      *) status=0 ;;
    esac
    ends "$status" --threads=2 --report=$file ./app $how
    case $how in
      _exit | exec) warns "no process left a report: it ended by _exit or exec" ;;
      *) warns "no process left a report: it was ended by signal" ;;
    esac
  done
  [ "$has_checker" = 0 ] || valid cut.json
  cp cut.html out; says "No parallel loop or region"
done

# --- what the report lacks: pool workers, processes that became others, what cannot be served
cat >lost.c <<'EOF'
#include "endings.h"
static void loops(void) {
  static double a[500];
#pragma omp parallel for schedule(dynamic, 3) num_threads(2)
  for (int i = 0; i < 500; ++i) a[i] += work(i);
}
int main(int argc, char** argv) {
  loops();
  for (int at = 1; at < argc; ++at) {
    if (fork() == 0) {
      if (!strcmp(argv[at], "idle")) _exit(0);
      loops();
      end_by(argv[at]);
      exit(0);
    }
  }
  while (wait(NULL) > 0) {
  }
  puts("done");
}
EOF
printf '#include "endings.h"\nint main(void) { work(300000000); }\n' >long.c
what="compiling"
gcc -O1 -g -fopenmp -I "$here" lost.c -o lost >out 2>err || complain "lost.c does not compile"
gcc -O1 -static -I "$here" long.c -o long >out 2>err || complain "long.c does not compile"
ends 0 --report=lost.json ./lost _exit exec kill usual idle; says done
warns "doall: 3 processes are not in this report: what ran loops or regions, and ended by _exit"
[ "$has_checker" = 0 ] || valid lost.json
cp lost.json out; says '"lost_processes": 3'
ends 0 --report=lost.html ./lost _exit; cp lost.html out; says '1 process is not in this report'
ends 0 --report ./lost _exit; warns '1 process is not in this report'
ends 0 --record=lost.record ./lost exec; warns '1 process is not in this report'
ends 0 --report=lost.json ./lost usual idle; quiet
ends 0 --report=lost.json sh -c './long; ./lost'; says done
warns "of CPU time"; warns "ran nothing on doall, or that it cannot be loaded into (set-user-id"
[ "$has_checker" = 0 ] || valid lost.json
ends 0 --report=outer.json "$doall" run ./lost _exit; warns '1 process is not in this report'

# --- regions, and loops that are regions, inside of a region
cat >inner.c <<'EOF'
#include "endings.h"
int main(void) {
  static double a[2][64];
#pragma omp parallel num_threads(2)
  for (int call = 0; call < 200; ++call) {
    double* mine = a[omp_get_thread_num()];
#pragma omp parallel num_threads(2)
    mine[omp_get_thread_num()] += work(200);
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < 64; ++i) mine[i] += work(20);
  }
  puts("done");
}
EOF
gcc -O1 -g -fopenmp -include omp.h -I "$here" inner.c -o inner || complain "inner.c does not compile"
OMP_MAX_ACTIVE_LEVELS=2 ends 0 --report=inner.json ./inner; says done
[ "$has_checker" = 0 ] || valid inner.json
python3 - >out 2>err <<'EOF' || complain "their shares"
import json
report = json.load(open("inner.json"))
loops = report["processes"][0]["loops"]
outer = [l for l in loops if l["in_regions_ns"] == 0]
inner = [l for l in loops if l["in_regions_ns"] != 0]
assert len(outer) == 1 and {l["kind"] for l in inner} == {"region", "loop"}, loops
assert outer[0]["elapsed_ns"] == outer[0]["wall_ns"] and outer[0]["calls"] == 1, outer
for l in inner:
    assert l["in_regions_ns"] == l["wall_ns"] and l["calls"] == 400, l
    assert abs(l["elapsed_ns"] - l["wall_ns"] / 2) <= l["calls"], l
assert sum(l["share"] for l in inner) <= outer[0]["share"] <= 1, loops
EOF

# --- no connection is opened, though elfutils has a server to ask for debug information; the program
# keeps the variable
gcc -O1 -fopenmp -Wl,--build-id -I "$here" app.c -o plain || complain "app.c does not compile"
cat >listen.py <<'EOF'
import os, select, socket, subprocess, sys
server = socket.create_server(("127.0.0.1", 0))
url = "http://127.0.0.1:%d" % server.getsockname()[1]
ended = subprocess.run(sys.argv[1:], env=os.environ | {"DEBUGINFOD_URLS": url, "DEBUGINFOD_TIMEOUT": "5"})
came = select.select([server], [], [], 0)[0]  # a connection is there until somebody takes it
print("a connection" if came else "no connection")
sys.exit(ended.returncode)
EOF
ended_with 0 python3 -B listen.py "$doall" run --report sh -c './plain; echo "$DEBUGINFOD_URLS"'
says "no connection"; says "http://127.0.0.1:"; warns "plain"

# --- a run that left no report says of itself what the command knows
OMP_DYNAMIC=true ends 3 --report=none.json sh -c 'exit 3'; warns "nothing of sh ran on doall"
[ "$has_checker" = 0 ] || valid none.json
python3 - >out 2>err <<'EOF' || complain "what is known of the run"
import datetime, json
report = json.load(open("none.json"))
run = report["run"]
assert run["command"] == "sh -c 'exit 3'" and "OMP_DYNAMIC=true" in run["settings"].split(), run
assert run["cpus"] > 0 and run["wall_ns"] > 0, run
began = datetime.datetime.strptime(run["date"], "%Y-%m-%dT%H:%M:%SZ")
age = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None) - began
assert datetime.timedelta(-1) < age < datetime.timedelta(1), run
assert report["first"].startswith("No report: nothing of sh ran on doall: "), report["first"]
EOF
ends 0 --report=none.html true; sed 's/.*"cpus":\([0-9]*\).*/cpus \1/' none.html >out; lacks "cpus 0"

# --- nowhere to write: the program runs to its end, and the command says so
for file in no/such.json no/such.html; do
  ends 1 --report=$file ./app; warns "cannot write the report to $file"
done
if [ -w /dev/full ]; then
  ln -s /dev/full full.json
  ln -s /dev/full full.html
  for file in full.json full.html; do
    ends 1 --threads=2 --report=$file ./app; says done; warns "cannot write the report to $file"
  done
fi
ended_with 0 env TMPDIR="$work/nowhere" "$doall" run --report=out.json ./app; says done
warns "cannot make a temporary folder in $work/nowhere"
finish
