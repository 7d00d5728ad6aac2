"""The report's first sentence, by figures that are given: first_sentence.py DOALL

Writes the files that processes leave, and reads what `doall show --json` makes of them.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from checks import check, conclude

doall = sys.argv[1]

TEXTS = ["kind", "door", "module", "offset", "region", "file", "line", "function", "caller", "schedule",
         "why", "costs", "over_calls", "slowest_call"]
NUMBERS = ["workers", "calls", "calls_in_detail", "iterations", "wall_ns", "elapsed_ns",
           "in_regions_ns", "busy_ns",
           "capacity_ns", "bottleneck_ns", "inside_ns", "scheduling_ns", "waiting_ns", "idle_ns",
           "chunks_own", "chunks_central", "chunks_stolen", "stay_compared", "stay_stayed"]
COUNTS = 11
MS = 10**6
S = 10**9


def place(name, wall, busy, busiest, **more):
    """A loop or region. `busy`: all workers' time in the program's code; `busiest`: the one's that
    had most."""
    workers = more.get("workers", 2)
    made = {"kind": "loop", "door": "gomp", "module": "/usr/bin/app", "offset": 0, "region": 0,
            "file": "app.c", "line": 7, "function": name, "caller": "", "schedule": "dynamic,1",
            "why": "its source names it", "costs": "", "over_calls": "", "slowest_call": "",
            "workers": workers, "calls": 1000, "iterations": 100_000, "wall_ns": wall,
            "elapsed_ns": wall, "busy_ns": busy, "capacity_ns": workers * wall, "bottleneck_ns": workers * busiest,
            "inside_ns": busy}
    made |= more
    made.setdefault("calls_in_detail", made["calls"])
    return made


def region(name, *times, **more):
    return place(name, *times, **({"kind": "region", "schedule": "-", "why": "-"} | more))


def process(*records, wall=10 * S, cpus=2, settings="", pid=1, threads=2):
    lines = ["doall-report 9",
             "\t".join(map(str, (pid, threads, wall, 1_700_000_000, cpus, "/usr/bin/app", "app in.txt",
                                 settings)))]
    for r in records:
        lines.append("\t".join(str(r[name]) for name in TEXTS) + "\t" +
                     "\t".join(str(r.get(name, 0)) for name in NUMBERS) + "\t0" * COUNTS)
    return "\n".join([*lines, f"end\t{len(records)}", ""])


def shown(*processes):
    with tempfile.TemporaryDirectory() as folder:
        for n, text in enumerate(processes):
            pathlib.Path(folder, f"report.{n}").write_bytes(text.encode(errors="surrogateescape"))
        run = subprocess.run([doall, "show", "--json", folder], capture_output=True, text=True)
        table = subprocess.run([doall, "show", folder], capture_output=True, text=True,
                               errors="replace").stdout
    check(run.returncode == 0, run.stderr)
    data = json.loads(run.stdout)
    check(table.splitlines()[0] == data["first"], f"the table begins with {table[:200]}")
    return data


def says(data, *texts, never=()):
    for text in texts:
        check(text in data["first"], f"lacks {text!r}: {data['first']}")
    for text in never:
        check(text not in data["first"], f"has {text!r}: {data['first']}")


# Tiny regions come before longer loops, all of them together, with the time that they save.
tiny = place("forward", 4 * S, 100 * MS, 40 * MS, calls=50_000, workers=4)
more = place("backward", 3 * S, 100 * MS, 40 * MS, calls=50_000, workers=4)
even = place("even", 2 * S, 3_980 * MS, 1_995 * MS, workers=2)
data = shown(process(even, tiny, more))
says(data, "Begin with forward (app.c:7) and 1 more like it: 100000 calls of 2 us of work each",
     "take 7.00 s, 70.0% of the run's 10.00 s on 4 workers and 2 CPUs", "set OMP_DYNAMIC=true",
     "saves up to 6.79 s (67.9% of the run)", never=("even",))
loops = {loop["function"]: loop for loop in data["processes"][0]["loops"]}
check(loops["even"]["advice"]["settings"] is None, "an even loop has nothing to set")
check(abs(loops["forward"]["share"] - 0.4) < 1e-9, f"share: {loops['forward']['share']}")
check(data["run"] == {"command": "app in.txt", "settings": "", "date": "2023-11-14T22:13:20Z",
                      "wall_ns": 10 * S, "cpus": 2, "workers": 2,
                      "processes_ns": 10 * S, "others_part": None, "lost_processes": 0,
                      "cpu_ns": 0, "reported_cpu_ns": 0, "missing": None}, f"run: {data['run']}")

# Who has it already is not told so again; nor is a native loop, which OpenMP's variables miss.
says(shown(process(tiny, settings="OMP_DYNAMIC=true OMP_NUM_THREADS=4")),
     "set OMP_THREAD_LIMIT=1", never=("set OMP_DYNAMIC",))
says(shown(process(tiny, settings="OMP_NUM_THREADS=4 OMP_DYNAMIC_ALL=True")),
     "set OMP_THREAD_LIMIT=1", never=("set OMP_DYNAMIC",))
says(shown(process(tiny, settings="OMP_DYNAMIC=1")), "set OMP_DYNAMIC=true")  # which is ignored
says(shown(process(tiny | {"door": "native"})), "No setting would help much", "further out",
     never=("OMP_",))
# What runs a few times has started its threads there.
says(shown(process(tiny | {"calls": 2, "calls_in_detail": 2})), never=("OMP_DYNAMIC",))

# The longest loop is even, a shorter one is not: that is where time can be saved.
uneven = region("sort", 2 * S, 2_100 * MS, 1_950 * MS)
says(shown(process(even, uneven)), "No setting would help much. Most is lost in sort (app.c:7)",
     "compiled into it", "in its source", never=("even", "Begin"))
# Who has no debug information has a package, and no source to edit.
says(shown(process(even, uneven | {"file": "", "line": 0})), "No setting would help much",
     "compiled into it", never=("source", "doall cc"))

# More workers than CPUs, that take turns: as many as there are CPUs. Not if one has most to do.
crowd = region("crowd", 4 * S, 2_000 * MS, 1_000 * MS, workers=8, calls=100)
says(shown(process(crowd)), "8 workers take turns on 2 CPUs", "set OMP_THREAD_LIMIT=2")
says(shown(process(crowd | {"bottleneck_ns": 8 * 3_900 * MS, "busy_ns": 6_000 * MS})),
     never=("OMP_THREAD_LIMIT", "OMP_DYNAMIC"))

# Sections, whatever they lose, take no schedule.
sections = place("both", 4 * S, 4_400 * MS, 3_900 * MS, kind="sections",
                 why="sections: one at a time", costs="1:30000 1:1000")
says(shown(process(sections)), "sections are dealt one at a time", never=("--schedule",))

# Little is parallel; nothing is; all is well.
says(shown(process(place("short", 100 * MS, 110 * MS, 100 * MS))),
     "There is little to gain: only 100 ms of the run's 10.00 s (1.0%)")
says(shown(process(even)), "There is little to gain", "their workers are busy for 99.5%")

# Fewer threads than CPUs come first, with the setting that says so.
alone = place("alone", 9 * S, 8_990 * MS, 8_990 * MS, workers=1)
says(shown(process(alone, threads=1, settings="OMP_DYNAMIC=true OMP_NUM_THREADS=1")),
     "It ran on 1 of 2 CPUs, as OMP_NUM_THREADS=1 says. Beside that there is little to gain: ")
says(shown(process(even, cpus=8, threads=2)), "It ran on 2 of 8 CPUs. Beside that there is little")
says(shown(process(even, cpus=8, threads=2, settings="OMP_NUM_THREADS=4 DOALL_NUM_THREADS=2")),
     "It ran on 2 of 8 CPUs, as DOALL_NUM_THREADS=2 says. ")
says(shown(process(alone, settings="OMP_THREAD_LIMIT=1")), "It ran on 1 of 2 CPUs, as OMP_THREAD_LIMIT=1")
# What doall or the source runs on one thread is no such setting, and two processes have two teams.
says(shown(process(alone)), "There is little to gain", never=("It ran on",))
says(shown(process(alone, threads=1, pid=1), process(alone, threads=1, pid=2)), never=("It ran on",))
says(shown(process(region("outer", 9 * S, 35 * S, 8_990 * MS, workers=4),
                   region("inner", 8 * S, 15 * S, 7_990 * MS, elapsed_ns=2 * S, in_regions_ns=8 * S),
                   cpus=8, threads=4)), never=("It ran on",))

# A loop that a schedule would help: the model's, on its costs; with the chunk, if it names one.
costs = "100:" + str(30_000) + " 900:1000"
skewed = place("skew", 4 * S, 3_900 * MS, 3_800 * MS, schedule="static", why="run-sched-var",
               iterations=1_000_000, costs=costs)
data = shown(process(skewed, even))
says(data, "Begin with skew (app.c:7): it takes 4.00 s, 40.0% of the run's 10.00 s", " would save ",
     "doall run --schedule='", "'doall compare' shows")
advice = next(loop["advice"] for loop in data["processes"][0]["loops"] if loop["function"] == "skew")
check(0.1 < advice["saves"] <= 1 - 3.9 / 8, f"saves {advice['saves']}: at most what was lost")
check(advice["text"].endswith("would save {:.1f}% of its time".format(100 * advice["saves"])),
      f"the loop's sentence is the same: {advice['text']}")
chunky = place("chunks", 4 * S, 4_000 * MS, 3_990 * MS, schedule="dynamic,64", iterations=64_000,
               costs="64:62500")
says(shown(process(chunky)), ",1 would save ")
# A model's few percent are worth no try.
says(shown(process(skewed, wall=200 * S)), never=("--schedule",))
clangs = skewed | {"door": "llvm", "why": "names none: as compiled"}
says(shown(process(clangs)), "one block of it, as Clang compiled it", never=("--schedule",))
# What a native loop's source names, only its source can change.
named = skewed | {"door": "native", "why": "its source names it"}
data = shown(process(named))
says(data, " in its source, in place of static, would save ", never=("--schedule",))
check(data["processes"][0]["loops"][0]["advice"]["schedule"] is None, "no setting is named")
steered = named | {"why": "steered"}
says(shown(process(steered)), "doall run --schedule='")
says(shown(process(named | {"costs": ""})), "its source names static, and only that can change it",
     never=("--schedule",))
fixed = skewed | {"why": "must be monotonic"}
says(shown(process(fixed)), "its order is fixed", never=("--schedule",))

# A region and its only loop: one line in the table, one advice.
inner = place("f._omp_fn.0", 1_990 * MS, 3_900 * MS, 1_960 * MS)
data = shown(process(region("f._omp_fn.0", 2 * S, 3_920 * MS, 1_970 * MS), inner))
check([loop["is_only_loop"] for loop in data["processes"][0]["loops"]] == [True, False],
      "a region that is its only loop is marked")

# Regions inside of a region: 9 s of it on two threads, each of which calls inner regions for 8 s.
outer = region("outer", 9 * S, 17_900 * MS, 8_980 * MS)
inner = region("inner", 16 * S, 31_900 * MS, 15_980 * MS, elapsed_ns=8 * S, in_regions_ns=16 * S)
data = shown(process(outer, inner))
says(data, "take 9.00 s of the run's 10.00 s (90.0%)", never=("25.00 s", "160.0%"))
check([loop["share"] for loop in data["processes"][0]["loops"]] == [0.8, 0.9],
      "of what runs at the same time a share is counted once")
# What is lost in the inner ones is lost.
says(shown(process(outer, inner | {"busy_ns": 8 * S})), "Most is lost in inner (app.c:7): it takes 8.00 s "
     "(80.0% of the run)")

# Names are bytes: what is not UTF-8 is shown as far as it can be.
odd = even | {"function": "caf\udce9", "file": "na\udcefve.c"}
check(shown(process(odd))["processes"][0]["loops"][0]["function"] == "caf\ufffd", "a name in Latin-1")

# Without symbols: by the exported function that called it, and a loop as its region.
bare = {"file": "", "line": 0, "function": "", "module": "/usr/lib/data_table.so"}
data = shown(process(region("", 2 * S, 3_900 * MS, 1_960 * MS, **bare, offset=0x100,
                            caller="_Z6forderi+0x2b"), place("", 1 * S, 1_900 * MS, 960 * MS,
                                                              **(bare | {"offset": 0x140, "region": 0x100}))))
where = {loop["where"] for loop in data["processes"][0]["loops"]}
check(where == {"data_table.so!forder+0x2b"}, f"names: {where}")

# Rust's names end with a hash, and have words in place of signs.
for caller, name in {
    "_ZN3app3run17h0123456789abcdefE": "app::run",
    "_ZN3app4deep10S$LT$T$GT$3run17hdc5e77c8b72760c6E": "app::deep::S<T>::run",
    "_ZN26_$LT$a..M$u20$as$u20$F$GT$3fit28_$u7b$$u7b$closure$u7d$$u7d$"
    "17h0123456789abcdefE.llvm.77": "<a::M as F>::fit::{{closure}}.llvm.77",
    "_ZN3app3h17Ev": "app::h17",
}.items():
    data = shown(process(region("", 2 * S, 3_900 * MS, 1_960 * MS, **bare, caller=caller + "+0x2b")))
    shown_caller = data["processes"][0]["loops"][0]["caller"]
    check(shown_caller == f"{name}+0x2b", f"{caller}: {shown_caller}")

# Several processes: the sentence is about all.
says(shown(process(tiny, pid=1), process(tiny, pid=2)), "and 1 more like it", "100000 calls",
     "take 8.00 s, 40.0% of its processes' 20.00 s")

conclude()
