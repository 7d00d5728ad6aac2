#!/usr/bin/env python3
"""Random OpenMP programs in C print on doall what GCC and Clang agree that they print.

    programs.py DOALL FOLDER [SEED [PROGRAMS]]

DOALL is the command, which lists the schedules; FOLDER has doall's libgomp.so.1 and libomp.so.5.

A program is made of regions, which call each other from constructs, from tasks and from threads
that the program starts. A region has loops of every kind, sections, tasks with dependences,
taskloops, reductions, scans, doacross loops, cancellations and locks. What a program prints depends
neither on the number of threads nor on which of them does what: OpenMP gives an order to all that
needs one.

GCC compiles each program, and so does Clang where it is with its libomp. Right is what both print
with one thread on their own runtimes. A program that they disagree about is left out and counted:
compilers and their runtimes have defects, too. So is, for one compiler, a program that prints
something else on its own runtime with three or four threads, or does not end. All others run on
doall, with settings drawn by the seed. The test fails where a run on doall prints anything else,
and if fewer than half of a compiler's programs were compared.

DOALL_TEST_SEED=N runs one program; DOALL_TEST_LONG=N, from 2 on, makes 250 N of them.
"""
import collections
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile

from program import Program

COMPILERS = ["gcc", "clang-19"]
# Of a run that takes milliseconds: beyond, it hangs. One that hangs on its own runtime is left out.
LIMIT_S = 120
OWN_LIMIT_S = 20
SMALLEST = "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n"
COMPARED = "compared"
DISAGREE = "left out because the compilers disagree, or their own runtimes fail"
UNSTEADY = "left out because its own runtime disagrees with itself"


class Wrong(Exception):
    """A program that doall runs wrongly, or that cannot be compiled."""


def compiled(compiler, level, source):
    """Returns the path of the program."""
    program = f"{source}.{compiler}"
    done = subprocess.run([compiler, level, "-g", "-w", "-fopenmp", source, "-o", program,
                           "-lpthread"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Wrong(f"{compiler} {level} refuses it:\n{done.stderr[:2000]}")
    return program


def run(program, limit_s=LIMIT_S, **settings):
    """Returns what a run of the program prints, how it ends, and its messages."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("OMP_", "GOMP_", "KMP_", "DOALL_", "LD_"))}
    env.update(OMP_CANCELLATION="true", OMP_MAX_ACTIVE_LEVELS="5", **settings)
    try:
        done = subprocess.run([program], env=env, capture_output=True, text=True, timeout=limit_s,
                              check=False)
    except subprocess.TimeoutExpired:
        return "", f"did not end within {limit_s} s", ""
    return done.stdout, f"status {done.returncode}", done.stderr


def own_answer(program, threads):
    """Returns what it prints on its own runtime, and how it ends."""
    return run(program, OWN_LIMIT_S, OMP_NUM_THREADS=threads)[:2]


def usable_compilers(folder):
    """Returns the compilers that are here with a runtime, which FOLDER takes the place of."""
    usable = []
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(work, "smallest.c")
        with open(source, "w", encoding="utf-8") as out:
            out.write(SMALLEST)
        for compiler in filter(shutil.which, COMPILERS):
            try:
                program = compiled(compiler, "-O0", source)
            except Wrong:  # it has no OpenMP
                continue
            messages = run(program, LD_LIBRARY_PATH=folder, DOALL_NUM_THREADS="many")[2]
            if "doall: DOALL_NUM_THREADS" not in messages:
                sys.exit(f"programs of {compiler} do not run on doall in {folder}: {messages}")
            usable.append(compiler)
    return usable


def settings_on_doall(rng, folder, schedules):
    settings = {"LD_LIBRARY_PATH": folder,
                "OMP_NUM_THREADS": rng.choice(["1", "2", "3", "4", "16"])}
    for name, values in (("OMP_SCHEDULE", ["dynamic,3", "guided", "static,2", "static"]),
                         ("DOALL_SCHEDULE", schedules),
                         ("DOALL_BARRIER", ["tree", "full"]),
                         ("OMP_WAIT_POLICY", ["active", "passive"]),
                         ("OMP_PROC_BIND", ["close", "spread"])):
        if rng.random() < 0.3:
            settings[name] = rng.choice(values)
    return settings


def check(seed, compilers, folder, schedules):
    """Returns, by compiler, whether the program of this seed was compared."""
    rng = random.Random(f"settings {seed}")
    outcomes = {}
    with tempfile.TemporaryDirectory() as work:
        source = os.path.join(work, "program.c")
        with open(source, "w", encoding="utf-8") as out:
            out.write(Program(seed).text())
        programs = {}
        for compiler in compilers:
            level = rng.choice(["-O0", "-O1", "-O2", "-O3"])
            programs[f"{compiler} {level}"] = compiled(compiler, level, source)
        with_one_thread = {own_answer(p, "1") for p in programs.values()}
        expected = with_one_thread.pop()
        if with_one_thread or expected[1] != "status 0":
            return dict.fromkeys(compilers, DISAGREE)
        for command, program in programs.items():
            compiler = command.split()[0]
            if any(own_answer(program, n) != expected for n in ("4", "3")):
                outcomes[compiler] = UNSTEADY
                continue
            for _ in range(6):
                settings = settings_on_doall(rng, folder, schedules)
                found = run(program, **settings)[:2]
                if found != expected:
                    given = " ".join(f"{name}={value}" for name, value in settings.items())
                    raise Wrong(f"{command}, {given}:\n{found[0]}{found[1]}, expected\n"
                                f"{expected[0]}{expected[1]}")
            outcomes[compiler] = COMPARED
    return outcomes


def main():
    doall, folder = map(os.path.abspath, sys.argv[1:3])
    long = int(os.environ.get("DOALL_TEST_LONG", "1"))
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    wanted = int(sys.argv[4]) if len(sys.argv) > 4 else (250 * long if long > 1 else 20)
    one = os.environ.get("DOALL_TEST_SEED")
    seeds = [int(one)] if one else range(first, first + wanted)
    compilers = usable_compilers(folder)
    if "gcc" not in compilers:
        print("skipped: no gcc with OpenMP")
        sys.exit(77)
    table = subprocess.run([doall, "schedules"], capture_output=True, text=True, check=True).stdout
    schedules = [row.split()[0] for row in table.split("\n\n", maxsplit=1)[0].splitlines()[1:]]

    def outcomes_of(seed):
        try:
            return check(seed, compilers, folder, schedules)
        except Wrong as wrong:
            print(f"program {seed}: {wrong}\nto repeat: DOALL_TEST_SEED={seed} {sys.argv[0]} "
                  f"{doall} {folder}", flush=True)
            return None

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as at_once:
        found = list(at_once.map(outcomes_of, seeds))
    failed = found.count(None)
    print(f"{len(seeds)} programs, {failed} failed")
    for compiler in compilers:
        counts = collections.Counter(outcomes[compiler] for outcomes in found if outcomes)
        print(f"{compiler}: " + ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
        if failed == 0 and 2 * counts[COMPARED] < len(seeds):
            print(f"{compiler}: fewer than half of the programs were compared")
            failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
