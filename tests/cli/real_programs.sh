#!/bin/bash
# What real programs taught: what the command says of a kind of loop or library, in a program that
# has nothing else.
#   real_programs.sh DOALL
doall=$1
subcommand=run
source "$(dirname "$(readlink -f "$0")")/common.sh"
unset DOALL_SCHEDULE DOALL_NUM_THREADS OMP_SCHEDULE OMP_NUM_THREADS OMP_DYNAMIC

# built NAME [OPTIONS]: compiles standard input.
built() {
  local name=$1
  shift
  cat >"$name.c"
  what="compiling $name.c"
  gcc -O2 -g -fopenmp "$name.c" -o "$name" "$@" >out 2>err || complain "it does not compile"
}

# first REPORT TEXT: its first sentence has the text.
first() {
  what="the first sentence of $1"
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["first"])' "$1" >out 2>err
  says "$2"
}
first_lacks() { first "$1" ""; lacks "$2"; }

# --- tesseract: 4 iterations of half a microsecond, on four threads. One is many times faster.
built tiny <<'EOC'
#include <stdio.h>
int main(void) {
  static volatile double x[4 * 64];
  for (int call = 0; call < 20000; ++call) {
#pragma omp parallel for schedule(dynamic) num_threads(4)
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 300; ++k) x[64 * i] += k;
  }
  printf("%g\n", x[0]);
}
EOC
ends 0 --report=tiny.json ./tiny
first tiny.json "Begin with main._omp_fn.0 (tiny.c:5): 20000 calls of "
says " on 4 workers"; says "set OMP_DYNAMIC=true, which runs such regions on one thread"
lacks "--schedule"
ended_with 0 env OMP_DYNAMIC=true "$doall" run --report=followed.json ./tiny
first_lacks followed.json "set OMP_DYNAMIC=true"

# --- sections: no schedule reaches them
built sections <<'EOC'
#include <stdio.h>
static volatile double x[4 * 64];
static void work(int i, int n) { for (int k = 0; k < n; ++k) x[64 * i] += k; }
int main(void) {
  for (int call = 0; call < 300; ++call) {
#pragma omp parallel sections num_threads(4)
    {
#pragma omp section
      work(0, 30000);
#pragma omp section
      work(1, 10000);
#pragma omp section
      work(2, 10000);
#pragma omp section
      work(3, 1000);
    }
  }
  printf("%g\n", x[0]);
}
EOC
for schedule in "" --schedule=static; do
  ends 0 --report=sections.json $schedule ./sections
  first_lacks sections.json "--schedule"
  what="what the report has of sections"
  python3 - >out 2>err <<'CHECK' || complain "it is not as expected"
import json
loops = json.load(open("sections.json"))["processes"][0]["loops"]
assert [l["kind"] for l in loops] == ["sections"], loops
assert loops[0]["why"].startswith("sections") and loops[0]["iterations"] == 1200, loops[0]
assert loops[0]["advice"]["schedule"] is None, loops[0]["advice"]
CHECK
done
ended_with 0 "$doall" compare --runs=1 -- ./sections
says "No schedule reached a loop of it"; lacks "affinity"; says "OMP_WAIT_POLICY=passive"
ended_with 0 "$doall" compare --runs=1 --json=all.json --schedules='static;guided' -- ./sections
what="the rows of a program with sections"
python3 - >out 2>err <<'CHECK' || complain "they are not as expected"
import json
data = json.load(open("all.json"))
assert not [r for r in data["rows"] if r["set"] == "schedule"], data["rows"]
assert {"static", "guided", "OMP_SCHEDULE=dynamic"} <= set(data["unreached"]), data["unreached"]
assert {r["schedule"] for r in data["rows"]} == {"own", "one thread", "OMP_DYNAMIC=true",
                                                "OMP_WAIT_POLICY=passive"}, data["rows"]
CHECK

# --- all loops compiled in
built inline -lm <<'EOC'
#include <math.h>
#include <stdio.h>
static double y[10000];
int main(void) {
  for (int call = 0; call < 30; ++call) {
#pragma omp parallel for
    for (int i = 0; i < 10000; ++i) y[i] += sin(i + call);
  }
  printf("%g\n", y[7]);
}
EOC
ended_with 0 "$doall" compare --runs=1 -- ./inline
says "No schedule reached a loop of it"; lacks "affinity"

# --- data.table: the longest loop is even, a shorter one is one worker's
built shares <<'EOC'
#include <stdio.h>
static double burn(long n) { volatile double s = 0; for (long k = 0; k < n; ++k) s += k; return s; }
int main(void) {
  double t = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : t)
  for (int i = 0; i < 400; ++i) t += burn(400000);
#pragma omp parallel for schedule(static, 1) reduction(+ : t)
  for (int i = 0; i < 2; ++i) t += burn(1);
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : t)
  for (int i = 0; i < 64; ++i) t += burn(1200000);
  printf("%g\n", t);
}
EOC
ends 0 --threads=2 --report=shares.json ./shares
first shares.json "Begin with main"; says "(shares.c:9)"; says ",1 would save "; says "--schedule="
lacks "little to gain"
schedule=$(sed -n "s/.*--schedule='\([^']*\)'.*/\1/p" out)
ends 0 --threads=2 --report=followed.json --schedule="$schedule" ./shares
what="what following it does"
python3 - >out 2>err <<'CHECK' || complain "the chunk of 64 is still one worker's"
import json
loop = next(l for l in json.load(open("followed.json"))["processes"][0]["loops"]
            if l["line"] == 9 and l["kind"] == "loop")
assert loop["chunks_own"] + loop["chunks_central"] + loop["chunks_stolen"] >= 2, loop
CHECK

# --- a loop whose order is free is dealt by static-steal, which nobody has named
built order <<'EOC'
#include <stdio.h>
int main(void) {
  double t = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : t)
  for (int i = 0; i < 1000; ++i) t += i;
  printf("%g\n", t);
}
EOC
ended_with 0 env OMP_SCHEDULE=nonmonotonic:dynamic "$doall" run --threads=2 --report ./order
warns "static-steal"; warns "nonmonotonic: stolen from partitions"

# --- answers: under one schedule another one in some runs; and a program that always differs
built answers <<'EOC'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  const char* schedule = getenv("DOALL_SCHEDULE");
  double sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += i;
  FILE* runs = fopen("runs", "a+");
  fputc('.', runs);
  fseek(runs, 0, SEEK_END);
  const long run = ftell(runs);
  fclose(runs);
  if (schedule != NULL && !strcmp(schedule, "guided")) sum += run % 2;
  if (argc > 1) {
    FILE* file = fopen(argv[1], "w");
    fprintf(file, "%g\n", sum);
    fclose(file);
    printf("run %ld\n", run);
  } else {
    printf("%g\n", sum);
  }
}
EOC
ended_with 0 "$doall" compare --runs=3 --schedules='static;guided' -- ./answers
says "OTHER ANSWERS than the program's own under doall guided ("; says "differs "
grep -q "^doall .*static .*same$" out || complain "the answers under static are the same"
ended_with 0 "$doall" compare --runs=2 --schedules='static;guided' -- ./answers answer
says "The output of the program differs among its own runs"; says "cannot tell"; lacks "OTHER"
ended_with 0 "$doall" compare --runs=2 --schedules='static;guided' --output=answer -- ./answers answer
says "Some output of the program differs among its own runs"; says "doall guided ("

# --- a library: its loops, a region in one without symbols, and what `doctor` says of it
cat >l.c <<'EOC'
__attribute__((visibility("hidden"))) int sum;
__attribute__((noinline)) void forder(int n, double* x) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) x[i] *= 2;
#pragma omp parallel
  {
#pragma omp atomic
    ++sum;
#pragma omp for schedule(guided)
    for (int i = 0; i < n; ++i) x[i] *= 2;
  }
}
EOC
echo 'void forder(int, double*); int main(void) { double x[99] = {0}; forder(99, x); }' >m.c
what="compiling a library"
gcc -O2 -fopenmp -shared -fPIC l.c -o libl.so >out 2>err || complain "it does not compile"
strip libl.so
gcc -O2 -fopenmp -c -fPIC l.c -o l.o && ld -shared l.o -o libu.so
gcc m.c -o m ./libl.so -Wl,-rpath,"$work"
ends 0 --threads=2 --report=names.json ./m
what="the names in a library without symbols"
python3 - >out 2>err <<'CHECK' || complain "they are not as expected"
import json
where = [l["where"] for l in json.load(open("names.json"))["processes"][0]["loops"]]
assert len(where) == 4 and all(w.startswith("libl.so!forder+0x") for w in where), where
assert len(set(where)) == 2, where  # a loop is named as its region
CHECK
subcommand=doctor
chmod -x libl.so
ends 0 ./libl.so; says "shared library"; says "loops with the entry points below take --schedule"
lacks "linked statically"; says "libgomp.so.1"
ends 0 ./libu.so; says "shared library"; says "it names no runtime"; lacks "linked statically"
ends 0 ./m;       says "yes: through libl.so (loops take --schedule)"; says "libl.so: GOMP_"
ends 0 "$(ldd ./m | sed -n 's/.*=> \(.*libc\.so[^ ]*\).*/\1/p')"
lacks "linked statically"
subcommand=run

# --- names of Fortran's modules, where its compiler is
if command -v gfortran >/dev/null; then
  cat >heat.f90 <<'EOF90'
module heat
contains
subroutine warm(a)
  real(8) :: a(1000)
  integer :: i
  !$omp parallel do schedule(dynamic, 8)
  do i = 1, 1000
    a(i) = a(i) + i
  end do
end subroutine
end module
program p
  use heat
  real(8) :: a(1000) = 0
  call warm(a)
  print *, a(5)
end program
EOF90
  what="compiling heat.f90"
  gfortran -O1 -fopenmp heat.f90 -o heat >out 2>err || complain "it does not compile"
  ends 0 --report ./heat
  warns "heat::warm._omp_fn.0 (heat+0x"
fi

# --- what was not served, and why: a runtime beside doall's that nothing has called, and one that
# is called
cat >open.c <<'EOC'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char** argv) {
  void* runtime = dlopen(argv[1], RTLD_NOW);
  void* library = dlopen("./libl.so", atoi(argv[2]) ? RTLD_NOW | RTLD_DEEPBIND : RTLD_NOW);
  void (*forder)(int, double*) = (void (*)(int, double*))dlsym(library, "forder");
  double x[9] = {0};
  if (argc > 3) forder(9, x);
  return runtime == NULL;
}
EOC
what="compiling open.c"
gcc -O1 open.c -o open -ldl >out 2>err || complain "it does not compile"
gomp=$(gcc -print-file-name=libgomp.so.1)
# As wheels have it, under another name.
sed 's/libgomp\.so\.1/libgomp-0.so/g' "$(readlink -f "$gomp")" >libgomp-0.so
ends 0 ./open ./libgomp-0.so 0
warns "it began no parallel region, worksharing loop or task; what it calls of"
ends 0 ./open ./libgomp-0.so 0 call; quiet
# The library binds to the other runtime: by its own needs, and before all that is loaded.
gcc -O2 -fopenmp -shared -fPIC l.c -o libl.so -nostdlib ./libgomp-0.so -lc >out 2>err ||
  complain "it does not link"
ended_with 0 env LD_LIBRARY_PATH="$work" "$doall" run ./open ./libgomp-0.so 1 call
warns "it brings a runtime that doall does not replace: "; warns "libgomp-0.so"

# --- one warning a process for a bad variable
for bad in OMP_SCHEDULE=bad OMP_NUM_THREADS=many,more DOALL_NUM_THREADS=many OMP_DYNAMIC=maybe \
  OMP_PLACES=here; do
  ended_with 0 env "$bad" "$doall" run sh -c './inline; ./inline'
  [ "$(grep -c "^doall: ${bad%%=*}" err)" = 2 ] || complain "one warning a process, of two"
done
finish
