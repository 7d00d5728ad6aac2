#!/bin/bash
# `doall run --save-choices` and `--load-choices` from outside: choices come back in another process,
# of native loops and through both OpenMP doors; and files that are not the program's are ignored.
#   choices.sh DOALL INCLUDE_FOLDER [CLANG]
doall=$1
include=$2
clang=${3:-}
subcommand=run
source "$(dirname "$(readlink -f "$0")")/common.sh"
unset DOALL_SCHEDULE DOALL_NUM_THREADS DOALL_DEFAULT_SCHEDULE OMP_SCHEDULE OMP_NUM_THREADS
library=$(readlink -f "$(dirname "$doall")/../lib")

cat >native.cpp <<'END'
#include <doall/doall.hpp>
#include <cstdio>
static volatile double sink[64];
static void work(int rounds, long i) {
  for (int k = 0; k < rounds; ++k) sink[i % 64] = sink[i % 64] + k;
}
int main(int count, char**) {
  for (int call = 0; call < 60; ++call) {
    doall::parallel_for(0, count > 1 ? 2 : 4000, [](long i) { work(i < 1000 ? 400 : 40, i); });
    doall::parallel_for(0, 2, [](long i) { work(1, i); });
  }
  std::puts("done");
}
END
cat >openmp.c <<'END'
#include <stdio.h>
static double work(int rounds) {
  volatile double sum = 0;
  for (int k = 0; k < rounds; ++k) sum += k;
  return sum;
}
int main(void) {
  enum { n = 4000 };
  static double a[n];
  for (int call = 0; call < 60; ++call) {
#pragma omp parallel for schedule(LOOPS)
    for (int i = 0; i < n; ++i) a[i] += work(i < n / 4 ? 400 : 40);
  }
  puts("done");
}
END

# holds EXPRESSION: of the saved choices, `sites`; `at(line)` is the site of that line.
holds() {
  python3 - "$1" <<'END' || complain "saved.json: $1"
import json, sys
all = json.load(open("saved.json"))
sites = all["sites"]
def at(line):
    return next(s for s in sites if s["line"] == line)
assert all["schema"] == "doall-choices/1"
assert eval(sys.argv[1]), sites
END
}

# because LINE REASON: why the report says that the loop of that line ran as it did.
because() {
  python3 - "$1" "$2" <<'END' || complain "report.json: line $1 is not \"$2\""
import json, sys
loops = [l for p in json.load(open("report.json"))["processes"] for l in p["loops"]]
found = [l["why"] for l in loops if l["line"] == int(sys.argv[1]) and l["kind"] == "loop"]
assert found == [sys.argv[2]], found
END
}

# --- native loops
g++ -g -O1 -std=c++20 -I"$include" native.cpp -o native -L"$library" -ldoall \
  -Wl,-rpath,"$library" || exit 1
ends 0 --threads=2 --save-choices=saved.json ./native; says done; quiet
holds 'at(9)["burden_ns"] > 0 and at(9)["iteration_ns"] > at(10)["burden_ns"] / 1e6'
holds 'at(10)["iteration_ns"] > 0 and at(9)["file"].endswith("native.cpp")'
cp saved.json first.json
ends 0 --threads=2 --load-choices=first.json --report=report.json --save-choices=saved.json ./native
says done; quiet
because 9 "auto: loaded"; because 10 "auto: loaded"
holds 'sites == json.load(open("first.json"))["sites"]'
# Loops so small that their cuts are not asked for.
ends 0 --threads=2 --load-choices=first.json --save-choices=saved.json ./native small
says done; quiet
holds 'sites == json.load(open("first.json"))["sites"]'
# The same file for both; elsewhere on the disk.
mkdir moved && cp native moved/
ends 0 --threads=2 --load-choices=saved.json --save-choices=saved.json ./moved/native; quiet
holds 'len(sites) == len(json.load(open("first.json"))["sites"])'

# --- frozen
ends 0 --threads=2 --schedule=auto,frozen --report=report.json ./native; quiet
because 9 "auto: frozen"
ended_with 0 env DOALL_DEFAULT_SCHEDULE=auto,frozen "$doall" run --threads=2 \
  --report=report.json ./native; quiet
because 9 "auto: frozen"

# --- files that are not the program's
ends 0 --threads=2 --load-choices=none.json ./native; says done
warns "the choices in none.json are ignored: the file cannot be read"
for text in '' '[1' '{}' '{"schema": "doall-choices/9"}' '{"schema": 7}' 'null'; do
  echo "$text" >wrong.json
  ends 0 --threads=2 --load-choices=wrong.json ./native; says done
  warns "the choices in wrong.json are ignored"; warns "loops choose as usual"
done
for change in 's/"inside": "[a-z]*"/"inside": "what"/' 's/"workers": 2/"workers": 1/' \
  's/"iteration_ns": /"iteration_ns": -/' 's/"begins"/"ends"/' 's/"doall": "/"doall": "1/' \
  's/"offset": \([0-9]*\)/"offset": "\1"/'; do
  sed "$change" first.json >wrong.json
  cmp -s first.json wrong.json && continue
  ends 0 --threads=2 --load-choices=wrong.json ./native; says done
  warns "ignored"; warns "loops choose as usual"
done
ends 0 --threads=3 --load-choices=first.json ./native; says done
warns "for 2 threads, expected 3"
g++ -g -O2 -std=c++20 -I"$include" native.cpp -o native -L"$library" -ldoall \
  -Wl,-rpath,"$library" || exit 1
ends 0 --threads=2 --load-choices=first.json ./native; says done
warns "the build of the program that it is of"
ends 1 --threads=2 --save-choices=no/folder ./native; warns "no/folder"

# --- OpenMP's doors: auto chooses nothing in a region, best-static cuts.
gcc -g -O1 -fopenmp -DLOOPS=runtime openmp.c -o openmp || exit 1
ends 0 --threads=2 --save-choices=saved.json ./openmp; says done; quiet
holds 'sites == []'
ends 0 --threads=2 --load-choices=saved.json ./openmp; says done; quiet
ends 0 --threads=2 --schedule=best-static --save-choices=saved.json ./openmp; says done; quiet
holds 'at(11)["cuts"][0]["workers"] == 2 and at(11)["cuts"][0]["schedule"] == "best-static"'
ends 0 --threads=2 --schedule=best-static --load-choices=saved.json --report=report.json ./openmp
says done; quiet
because 11 "auto: loaded"
ends 0 --threads=2 --load-choices=first.json ./openmp; says done
warns 'the program that it is of is "native", expected "openmp"'
if [ -n "$clang" ]; then
  "$clang" -g -O1 -fopenmp -DLOOPS=static openmp.c -o openmp 2>log || { cat log; exit 1; }
  ends 0 --threads=2 --save-choices=saved.json ./openmp; says done; quiet
  holds 'any(s["key"]["file"] == "unnamed loops" and s["burden_ns"] > 0 for s in sites)'
  ends 0 --threads=2 --load-choices=saved.json --report=report.json ./openmp; says done; quiet
  because 11 "auto: loaded"
fi

finish
