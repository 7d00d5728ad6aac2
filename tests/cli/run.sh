#!/bin/bash
# The command `doall` from outside: statuses, messages, what reaches the program.
#   run.sh DOALL SOURCE_FOLDER [no-preload]
# "no-preload" leaves out what runs programs on our library: a sanitizer's
# runtime cannot be preloaded into a program that was built without it.
doall=$1
sources=$2
mode=${3:-}
source "$(dirname "$(readlink -f "$0")")/common.sh"
mkdir "$work/tmp"
export TMPDIR=$work/tmp
unset DOALL_SCHEDULE DOALL_NUM_THREADS DOALL_REPORT_FOLDER OMP_SCHEDULE OMP_NUM_THREADS
# Whole commands here.
ends() { ended_with "$@"; }

# starts COMMAND...: the same in the background, until it has printed "ready".
# The old file goes first: its "ready" would let a signal hit the shell's own
# child before that has become the command.
starts() {
  what="${*/#"$doall"/doall}"
  checks=$((checks + 1))
  rm -f out
  "$@" >out 2>err </dev/null &
  program=$!
  await out ready
}

# ended STATUS: sends SIGTERM to what was started; it must end with that status.
ended() {
  local status
  kill -TERM "$program"
  { wait "$program"; } 2>/dev/null
  status=$?
  [ "$status" -eq "$1" ] || complain "status $status after SIGTERM, expected $1"
}

# Waits up to ten seconds until the file has that line.
await() {
  for _ in $(seq 100); do
    grep -qx -- "$2" "$1" 2>/dev/null && return
    sleep 0.1
  done
  complain "\"$2\" did not come within 10 s"
}

gcc -g -O1 -fopenmp "$sources/probe.c" -o probe || exit 1
gcc -O1 -static -fopenmp "$sources/probe.c" -o static_probe || exit 1
gcc -c "$sources/probe.c" -o object && chmod +x object
gcc -O1 -fopenmp -c "$sources/probe.c" -o own.o && gcc own.o -o own_probe -Wl,-Bstatic -lgomp -Wl,-Bdynamic || exit 1
cp probe privileged && chmod u+s privileged
echo text >text
printf '#!/bin/sh\nexec ./probe "$@"\n' >script && chmod +x script

# --- the command itself
ends 0 "$doall" --version;            says "doall "; quiet
ends 0 "$doall" --help;               says "Examples:"; quiet
ends 2 "$doall";                      warns "no command"
ends 2 "$doall" dance;                warns 'unknown command "dance"'
ends 2 "$doall" --dance;              warns 'unknown option "--dance"'
for command in run compare schedules doctor bench; do
  ends 0 "$doall" "$command" --help;  says "Usage: doall $command"; quiet
  [ "$command" = bench ] || { ends 2 "$doall" "$command" --dance; warns "--dance"; }
done

# --- schedules
ends 0 "$doall" schedules;            says "name"; says "guided"; quiet
ends 0 "$doall" schedules --json;     says '"schema": "doall-schedules/1"'; says '"name": "affinity"'
ends 1 sh -c "\"$doall\" schedules >/dev/full"; warns "cannot write to standard output"
ends 0 bash -c "\"$doall\" schedules | true"; quiet
ends 0 bash -c "trap '' PIPE; \"$doall\" schedules --json | true"; quiet

# --- doctor
ends 0 "$doall" doctor;               says "threads"; says "affinity mask"; says "CPU quota"; quiet
ends 0 env OMP_NUM_THREADS=3 "$doall" doctor; says "3 (OMP_NUM_THREADS)"
ends 0 "$doall" doctor --json;        says '"schema": "doall-doctor/2"'; says '"openmp_runtimes"'
# Every variable that the page of settings names.
page=$sources/../../docs/guide/settings.md
grep -oE '`(DOALL|OMP|KMP|GOMP)_[A-Z_]+' "$page" | tr -d '`' | sort -u >named
[ "$(wc -l <named)" -gt 20 ] || complain "the page names too few"
while read -r name; do says "\"$name\": "; done <named
ends 0 env OMP_PLACES=cores KMP_BLOCKTIME=200 "$doall" doctor; says "KMP_BLOCKTIME    200"
lacks OMP_STACKSIZE; says "that docs/guide/settings.md names is set"
if command -v taskset >/dev/null && (($(nproc --all) > 1)); then
  one_cpu=$(taskset -cp $$ | sed 's/.*[ :]\([0-9]*\).*/\1/')
  ends 0 env OMPI_COMM_WORLD_RANK=0 taskset -c "$one_cpu" "$doall" doctor; says "BOUND TO ONE CPU"
fi
ends 0 "$doall" doctor ./probe;       says "libgomp.so.1"; says "GOMP_loop_"; says "inline"
ends 0 "$doall" doctor ./static_probe; says "linked statically"
ends 0 "$doall" doctor ./script;      says "script"
ends 0 "$doall" doctor ./own_probe;   says "no: its OpenMP runtime is linked into it (GOMP_parallel)"
ends 0 "$doall" doctor "$(command -v ls)"; says "only through a library that it opens later"
ends 127 "$doall" doctor ./nothing;   warns "no such program"
ends 126 "$doall" doctor .;           warns ". is a folder"
ends 127 "$doall" doctor 'ls | wc';   warns "for a command of the shell"
# What is no program, and what does not start.
printf '#!/no/such/shell\n' >lost && chmod +x lost
ends 0 "$doall" doctor ./lost;        says 'no: what is to run it is not there: "/no/such/shell"'
ends 0 "$doall" doctor ./script;      says "yes: a script for /bin/sh"
printf 'a\0b' >bytes && chmod +x bytes
ends 0 "$doall" doctor ./bytes;       says "neither an ELF program nor a script"
ar rc archive.a own.o
ends 0 "$doall" doctor ./archive.a;   says "an archive"
ends 126 "$doall" doctor ./own.o;     warns "an object file"
head -c 300 probe >short && chmod +x short
ends 126 "$doall" doctor ./short;     warns "is cut short: it has 300 bytes"
cp probe foreign && printf '\267' | dd of=foreign bs=1 seek=18 conv=notrunc status=none
ends 126 "$doall" doctor ./foreign;   warns "is for 64-bit AArch64"
echo 'int f(void) { return 0; }' >lib.c && echo 'int f(void); int main(void) { return f(); }' >main.c
gcc -shared -fPIC lib.c -o libabsent.so && gcc main.c -o needy ./libabsent.so && rm libabsent.so
ends 0 "$doall" doctor ./needy;       says "no, it does not start: it needs ./libabsent.so"
# A launcher that is linked statically is no program of OpenMP, and may start some.
echo '#include <unistd.h>
int main(int n, char** a) { return n < 2 ? 0 : execv(a[1], a + 1); }' >launcher.c
gcc -static launcher.c -o launcher
ends 0 "$doall" doctor ./launcher;    says "programs that it starts; not itself"

# --- bench
ends 2 "$doall" bench nothing;        warns 'unknown benchmark "nothing"'

# --- run: what is refused before anything runs
ends 2 "$doall" run;                                     warns "no program given"
ends 2 "$doall" run --;                                  warns "no program given"
ends 2 "$doall" run --schedule=gided ./probe;            warns 'the nearest is "guided"'
ends 2 "$doall" run --schedule dynamic,0 ./probe;        warns '"0"'
ends 2 "$doall" run --schedule= ./probe;                 warns "--schedule"
for threads in 0 -1 1025 99999999999999999999 many ""; do
  ends 2 "$doall" run --threads "$threads" ./probe
  warns "bad thread count \"$threads\", expected a whole number from 1 to 1024"
done
ends 127 "$doall" run ./nothing;                         warns "no such program"
ends 127 "$doall" run no-such-program-anywhere;          warns "in PATH"
ends 126 "$doall" run "$work";                           warns "is a folder"
ends 126 "$doall" run ./text;                            warns "is not executable"
ends 126 "$doall" run ./static_probe;                    warns "is linked statically"
ends 126 "$doall" run ./privileged;                      warns "set-user-id"
ends 126 "$doall" run ./object;                          warns "not a program"

# --- a command that lacks its library, or stands where LD_PRELOAD cannot reach
mkdir -p "lone/bin" "a blank/bin" "a blank/lib/doall/omp"
cp "$doall" lone/bin/doall
cp "$doall" "a blank/bin/doall"
: >"a blank/lib/doall/omp/libgomp.so.1"
ends 1 lone/bin/doall run ./probe;                       warns "looked for"
ends 1 "a blank/bin/doall" run ./probe;                  warns "no blank"

if [ "$mode" != no-preload ]; then
  # --- run: what reaches the program
  ends 0 "$doall" run ./probe print=hello loop;          says hello; quiet
  ends 0 "$doall" run --schedule=Guided,k=2 --threads=3 ./probe \
    variable=DOALL_SCHEDULE variable=DOALL_NUM_THREADS variable=LD_PRELOAD --schedule -x threads \
    inline-loop
  says "DOALL_SCHEDULE=guided,k=2"; says "DOALL_NUM_THREADS=3"; says "doall/omp/libgomp.so.1"
  says "argument: --schedule"; says "argument: -x"; says "threads: 3"; quiet
  ends 0 env LD_PRELOAD=/lib/other.so "$doall" run ./probe variable=LD_PRELOAD
  says "libgomp.so.1:/lib/other.so"
  ends 0 env PATH="$work:$PATH" "$doall" run probe print=found; says found
  ends 0 "$doall" run ./script print=scripted variable=LD_PRELOAD; says scripted; says libgomp.so.1
  ends 0 "$doall" run -- ./probe loop;                   says "sum: 499500"

  # An alarm that was set before is the program's.
  ends 142 python3 -c 'import os, signal, sys; signal.alarm(1); os.execv(sys.argv[1], sys.argv[1:])' \
    "$doall" run sleep 60

  # Ours takes the place of the libgomp that the program needs: only one is mapped.
  starts "$doall" run ./probe wait
  # The command stands in for the program, which is its child.
  mapped=$(sed -n 's|.* \(/.*/libgomp\.so.*\)|\1|p' "/proc/$(pgrep -P "$program")/maps" | sort -u)
  ended 143
  case $mapped in
    */doall/omp/libgomp.so.1) ;;
    *) complain "mapped: $mapped" ;;
  esac

  # --- run: how it ends
  for report in "" --report; do
    ends 7 "$doall" run $report ./probe exit=7
    ends 143 bash -c '"$0" run '"$report"' ./probe raise=15' "$doall"
    starts "$doall" run $report ./probe wait;             ended 143
    starts "$doall" run $report ./probe catch wait;       ended 5
    says caught
  done

  # --- run and top: where nobody reads what the command says, the program runs and ends as it does
  mkfifo unread
  to_nobody() { bash -c 'exec 9<>unread; exec '"$1"'>unread 9<&-; exec "$@"' "$@"; }
  ends 7 to_nobody 2 "$doall" run --report ./probe loop exit=7;   says "sum: 499500"
  ends 0 to_nobody 2 "$doall" run --report=unread.json ./probe print=x loop; says x
  cp unread.json out; says '"iterations": 1000'
  ends 7 to_nobody 2 env TMPDIR=/nonexistent "$doall" run --report sh -c 'exit 7'
  ends 7 to_nobody 1 "$doall" top -- sh -c './probe loop >printed; exit 7'; cp printed out
  says "sum: 499500"
  # The program's own pipes are as they were.
  ends 0 grep SigIgn /proc/self/status; cp out ignored
  ends 0 "$doall" run grep SigIgn /proc/self/status; cmp -s out ignored || complain "other signals are ignored"
  ends 0 bash -c "trap '' PIPE; \"$doall\" run grep SigIgn /proc/self/status"; ! cmp -s out ignored ||
    complain "what was ignored is not"

  # --- run --report
  ends 0 "$doall" run --report --schedule=affinity,k=2 --threads=2 ./probe loop
  says "sum: 499500"; warns "probe.c:"; warns "affinity,2"; warns "._omp_fn."; warns " 1000 "
  # What runs a loop for which nobody names a schedule.
  ends 0 "$doall" run --report --threads=2 ./probe loop; warns " auto "
  ends 0 env DOALL_DEFAULT_SCHEDULE=compiled "$doall" run --report --threads=2 ./probe loop
  warns " dynamic "; warns "run-sched-var"
  ends 0 env OMP_SCHEDULE=guided "$doall" run --report --threads=2 ./probe loop; warns " guided "
  ends 0 "$doall" run ./probe variable=DOALL_DEFAULT_SCHEDULE; says "DOALL_DEFAULT_SCHEDULE=auto"
  ends 0 "$doall" run --schedule=guided ./probe variable=DOALL_DEFAULT_SCHEDULE
  says "DOALL_DEFAULT_SCHEDULE="
  ends 0 env DOALL_DEFAULT_SCHEDULE=best "$doall" run ./probe loop
  warns 'DOALL_DEFAULT_SCHEDULE="best" is ignored: expected compiled or auto or auto,frozen'
  ends 0 "$doall" run --report ./probe inline-loop;      warns "region"
  ends 0 "$doall" run --report ./probe print=x;          warns "nothing of ./probe ran on doall"
  ends 139 bash -c '"$0" run --report ./probe loop raise=11' "$doall"; warns "signal 11"
  ends 0 "$doall" run --report=report.json ./probe loop; quiet
  cp report.json out
  says '"schema": "doall-report/4"'; says '"iterations": 1000'; says '"parallel_efficiency"'; says '"stayed": null'
  ends 0 "$doall" run --report=report.json --schedule=static --threads=2 ./probe loop loop
  cp report.json out
  says '"stayed": 1.0'; says '"stay_compared": 1000'
  says '"steals": 0'; says '"deque_transactions": 0'
  ends 0 "$doall" run --report=report.json --schedule=hybrid,parts=4 --threads=1 ./probe loop
  cp report.json out
  says '"schedule": "hybrid,parts=4"'; says '"failed_claims": 0'; says '"stealing": {'
  ends 1 "$doall" run --report=no/folder ./probe print=x; warns "no/folder"
  # Without a folder for it there is no report, and the program runs all the same.
  ends 0 env TMPDIR=/nonexistent "$doall" run ./probe loop; says "sum: 499500"; quiet
  echo older >kept.json
  for wanted in --report --report=kept.json --record=kept.json --trace=kept.json; do
    ends 7 env TMPDIR=/nonexistent "$doall" run $wanted ./probe loop exit=7; says "sum: 499500"
    warns "cannot make a temporary folder in /nonexistent: No such file or directory; the program runs"
    [ "$(wc -l <err)" -eq 1 ] || complain "not one line"
    [ "$(cat kept.json)" = older ] || complain "the file of an earlier run is changed"
  done
  ends 0 env TMPDIR=/nonexistent "$doall" run --save-choices=kept.json ./probe loop
  says "sum: 499500"; warns "there will be no choices"
  ends 7 env TMPDIR=/nonexistent "$doall" top -- ./probe loop exit=7; says "sum: 499500"
  warns "there will be no view"
  ends 0 "$doall" run --report ./script loop;            warns "probe.c:"

  # --- run --report of an MPI job: the rank that ends last writes the file
  slurm() { env SLURM_JOB_ID=77 SLURM_PROCID="$1" SLURM_NTASKS=2 SLURM_NTASKS_PER_NODE=2 "${@:2}"; }
  ends 0 slurm 0 SLURM_STEP_ID=0 "$doall" run --report=job.json ./probe loop
  warns "job.json is empty until the last rank has ended, which writes it; not yet have: 1"
  ends 0 slurm 1 SLURM_STEP_ID=0 "$doall" run --report=job.json ./probe loop; quiet
  cp job.json out; says '"rank": 0'; says '"rank": 1'
  # A step of one task is no job, and neither is what Slurm runs beside steps.
  for step in "SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=1" SLURM_STEP_ID=4294967291 \
    SLURM_STEP_ID=4294967290 SLURM_STEP_ID=interactive SLURM_STEP_ID=; do
    ends 0 slurm 0 $step "$doall" run --report=script.json ./probe loop; quiet
    cp script.json out; says '"iterations": 1000'; lacks '"rank"'
  done
  ends 0 slurm 0 "$doall" run --report ./probe loop; warns "probe.c:"
  ends 0 slurm 0 "$doall" doctor; lacks "MPI"

  # A program has none of the command's files: those alone that this test has open, too.
  open_files() { sed -n 's/.* -> //p' "$1" | grep -v '^/proc/'; }
  ends 0 ls -l /proc/self/fd; open_files out >usual
  ends 0 "$doall" run --report=own.json --record=own.txt --trace=own.trace --save-choices=own.choices \
    ls -l /proc/self/fd
  open_files out | grep -vxFf usual >added && complain "has open: $(cat added)"
  ends 0 "$doall" compare --json=own.json --html=own.html --runs=1 --schedules=static sh -c \
    './probe loop; ls -l /proc/self/fd | grep -q own && exit 9; exit 0'
  # Each result has its file.
  : >link.json
  ln -sf link.json linked.json
  for pair in "--report=x --record=x" "--report=x --trace=./x" "--record=x --trace=$PWD/x" \
    "--trace=x --save-choices=x" "--report=link.json --record=linked.json"; do
    ends 2 "$doall" run $pair ./probe loop
    for option in $pair; do warns "$option"; done
    warns "are one file, expected two; nothing was run"
  done
  [ -e x ] && complain "a file was made"
  ends 0 "$doall" run --report=/dev/null --record=/dev/null ./probe loop; quiet
  ends 2 "$doall" compare --json=x --html=x ./probe loop; warns "--html=x and --json=x are one file"
  # A report's name that is taken for the program.
  ends 127 "$doall" run --report loops.html ./probe;     warns "; did you mean --report=loops.html?"
  ends 126 "$doall" run --report ./own.json ./probe;     warns "; did you mean --report=./own.json?"
  ends 127 "$doall" run loops.html ./probe
  grep -q "did you mean" err && complain "there is no --report"

  # A bad variable is named once, by the program and not by the command as well.
  for name in DOALL_MEMBARRIER DOALL_SPIN_NS OMP_WAIT_POLICY; do
    ends 0 env $name=maybe "$doall" run ./probe loop; warns "$name=\"maybe\" is ignored"
    [ "$(wc -l <err)" -eq 1 ] || complain "not one line"
  done

  # --- run and compare: was it served?
  ends 0 "$doall" run ./probe print=x
  warns "nothing of ./probe ran on doall: it began no parallel region, worksharing loop or task"
  ends 3 "$doall" run sh -c "./probe print=x; exit 3";   warns "nothing of sh ran on doall"
  ends 3 "$doall" run sh -c "./probe loop; exit 3";      quiet
  ends 0 "$doall" run "$doall" run ./probe loop;         quiet
  ends 0 "$doall" run ./own_probe loop;                  says "sum: 499500"
  warns "its OpenMP runtime is linked into it (GOMP_parallel)"
  ends 0 "$doall" run ./launcher ./probe loop;  says "sum: 499500"; quiet
  # Programs of another C library, which starts none with our library in it, start as without.
  if command -v musl-gcc >/dev/null; then
    printf '#include <unistd.h>\nint main(int n, char** a) { write(1, "musl\\n", 5); return n < 2 ? 3 : execv(a[1], a + 1); }\n' >musl.c
    musl-gcc musl.c -o musl
    ends 3 "$doall" run sh -c "./probe loop; ./musl";  says musl; says "sum: 499500"; quiet
    ends 0 "$doall" run sh -c "./musl ./probe loop";   says musl; says "sum: 499500"; quiet
    mkdir -p a/b/c/d/e && cp probe a/b/c/d/e/probe
    ends 0 "$doall" run a/b/c/d/e/probe loop;          says "sum: 499500"; quiet
    ends 0 env -C a/b/c "$doall" run d/e/probe loop;   says "sum: 499500"; quiet
  else
    echo "no musl-gcc here: programs of musl are not started"
  fi
  # Marks go to the command's own file alone: not to another one that has its path by now, and no
  # FIFO is waited for or opened. A file with the numbers that the variable names gets them.
  ours=$(dirname "$doall")/../lib/doall/omp
  mkfifo fifo && : >other && : >marked
  fifo_numbers=$(stat -c %d:%i fifo)
  for named in "$PWD/other" "$PWD/other:" "$PWD/other:1:2" "$PWD/fifo:1:2" "$PWD/fifo:$fifo_numbers" \
    "$PWD/nothing:1:2" "::" "$PWD:$(stat -c %d:%i .)" "$PWD/marked:$(stat -c %d:%i marked)"; do
    ends 0 env LD_LIBRARY_PATH="$ours" DOALL_SERVED_FILE="$named" ./probe loop
    says "sum: 499500"; quiet
  done
  [ -s other ] && complain "a mark is in a file that has other numbers"
  cp marked out; says loaded; says served; says ended
  # A process that goes on after the command writes none.
  ends 0 "$doall" run sh -c './probe loop; env >variables'; quiet
  ends 0 env "$(grep ^DOALL_SERVED_FILE= variables)" LD_LIBRARY_PATH="$ours" ./probe loop
  says "sum: 499500"; quiet

  # A process that uses no OpenMP has not the whole library: it is opened by what needs it.
  if [ -e "$(dirname "$doall")/../lib/doall/omp/doall-lazy.so" ]; then
    ends 0 "$doall" run sh -c "cat /proc/self/maps; ./probe loop"
    says "/doall-lazy.so"; lacks "/libdoall"; quiet
    GLIBC_TUNABLES=glibc.malloc.check=0 ends 0 "$doall" run sh -c 'echo "$GLIBC_TUNABLES"'
    says "glibc.malloc.check=0:glibc.rtld.optional_static_tls="
    # One that needs a runtime by name has the library itself.
    ends 0 "$doall" run ./probe loop variable=LD_PRELOAD;  says "/libdoall-omp.so.0"; quiet
  fi
  # A library that needs what is not there: the program does not start, and the line says why.
  mkdir -p lame/bin lame/lib/doall/omp
  cp "$doall" lame/bin/doall
  built=$(dirname "$doall")/../lib
  cp -L "$built"/doall/omp/* lame/lib/doall/omp/
  cp -L "$built/libdoall-omp.so.0" lame/lib/
  ends 127 lame/bin/doall run ./probe loop
  warns "nothing of ./probe ran on doall: the dynamic linker cannot load the library there:"
  warns "libdoall.so.0"
  # hwloc is loaded by what asks for the machine's parts. Where it is not there, a line says so.
  cp -L "$built/libdoall.so.0" lame/lib/
  ends 0 lame/bin/doall run ./probe loop;  says "sum: 499500"; quiet
  OMP_PLACES=cores ends 0 lame/bin/doall run ./probe loop;  says "sum: 499500"
  warns "hwloc cannot be loaded"
  ends 0 "$doall" run sh -c "./static_probe loop; exit"; warns "nothing of sh ran on doall"
  ends 1 "$doall" compare --runs=1 --schedules=static ./own_probe loop
  warns "nothing of ./own_probe ran on doall, so there is nothing to compare"
  [ -s out ] && complain "a table of what did not run on doall"

  # One that was not executed has its line already.
  for command in run top; do
    ends 127 "$doall" $command ./lost; warns "cannot execute ./lost: No such file or directory"
    [ "$(wc -l <err)" -eq 1 ] || complain "not one line"
  done
  # Of a program that has become another user's nothing is known.
  if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    chmod a+rx "$work"
    ends 7 "$doall" run --report setpriv --reuid=65534 --clear-groups ./probe loop exit=7
    says "sum: 499500"; warns "it is not known whether anything of setpriv ran on doall: it ended as user 65534"
    ends 0 "$doall" run setpriv --reuid=65534 --clear-groups "$(command -v true)"; warns "not known"
    ends 0 "$doall" run setpriv --nnp ./probe loop; says "sum: 499500"; quiet
    ends 0 "$doall" run setpriv --nnp ./probe print=x; warns "nothing of setpriv ran on doall"
  fi

  # --- compare
  ends 0 "$doall" compare --runs=2 --schedules='dynamic;guided,k=2' --schedules=static \
    --peers='dynamic,4;static' --json=compare.json ./probe loop
  says "/ libgomp dynamic,4"; says "guided,k=2"; says "probe.c:"; quiet
  cp compare.json out
  says '"schema": "doall-compare/3"'; says '"schedule": "dynamic,4"'; says '"to_libgomp"'
  ends 0 "$doall" compare --runs=1 ./probe loop
  for name in $("$doall" schedules | sed -n '2,/^$/s/ .*//p'); do says "doall    $name"; done
  ends 0 "$doall" compare --runs=1 --schedules=static --metric=took ./probe loop print="took: 12.5 s"
  says "median took"; says "12.50"
  ends 1 "$doall" compare --runs=1 --schedules=static --metric=took ./probe loop
  warns 'no line "took: NUMBER"'; warns "sum: 499500"
  # A schedule under which it fails has no row; one that fails by itself is not compared.
  ends 0 "$doall" compare --runs=1 --schedules=static ./probe print=partly loop fail-under=DOALL_SCHEDULE
  warns "no row for doall static: ./probe under doall static exited with status 9"; warns "partly"
  lacks "doall    static"
  ends 1 "$doall" compare --runs=1 --schedules=static ./probe loop fail-under=PATH
  warns "under libgomp own exited with status 9"
  ends 2 "$doall" compare --runs=0 ./probe;              warns 'bad number of runs "0"'
  ends 2 "$doall" compare --schedules='static;gided' ./probe; warns 'the nearest is "guided"'
fi

what="temporary folders"
rmdir "$work/tmp" 2>/dev/null || complain "left behind: $(ls "$work/tmp")"

finish
