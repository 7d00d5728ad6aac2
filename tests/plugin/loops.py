#!/usr/bin/env python3
"""Random loops in C, C++ and Fortran give the answers that plain GCC's do.

    loops.py BIN [SEED [FUNCTIONS]]

Each program of 60 functions of a parallel loop, each called with up to six sets of bounds
(made_loops.py), is compiled without OpenMP, by GCC as it is, and by doall's driver. Where GCC's answer
is the serial program's, so must the driver's be, on libgomp and under every schedule of the registry.
Loops are dropped, and counted by reason, that GCC refuses or fails at, that never end as GCC compiles
them, or that have another answer then than the serial ones.

DOALL_TEST_SEED=N repeats one program; DOALL_TEST_LONG makes 6,000 functions.
"""
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

import made_fortran_loops
import made_loops

HERE = os.path.dirname(os.path.abspath(__file__))
FUNCTIONS_A_PROGRAM = 60
LANGUAGES = {  # the compiler, the driver, how a source's name ends
    "c": (["gcc", "-std=gnu17"], "doall-cc", ".c"),
    "c++": (["g++", "-std=gnu++17"], "doall-c++", ".cpp"),
    "fortran": (["gfortran", "-ffree-line-length-none", "-fno-range-check"], "doall-fortran", ".f90"),
}


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **more)


def made_by(command, folder):
    done = run(command, cwd=folder)  # where Fortran's modules go
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr[:4000]}")


def lines_of(command, env):
    """What the program prints of each call."""
    try:
        done = run(["timeout", "120", *command], env=env)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{' '.join(command)[:500]} hangs") from None
    if done.returncode != 0:
        last = done.stdout.splitlines()[-1:]
        raise RuntimeError(f"{' '.join(command)[:300]}: status {done.returncode}, after {last}\n{done.stderr[:2000]}")
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


def schedules_of(binaries):
    table = run([os.path.join(binaries, "doall"), "schedules"]).stdout.split("\n\n")[0]
    return [line.split()[0] for line in table.splitlines()[1:]]


class Program:
    """The functions of one seed, of which some are dropped."""

    def __init__(self, seed, folder):
        rng = random.Random(seed)
        self.folder = folder
        language = rng.choice(["c", "c", "c", "c++", "c++", "fortran", "fortran"])
        self.compiler, self.driver, self.ending = LANGUAGES[language]
        make = made_fortran_loops.fortran_program if language == "fortran" else \
            lambda *a: made_loops.c_program(*a, language == "c++")
        self.prelude, self.functions, self.cases = make(rng, FUNCTIONS_A_PROGRAM)
        self.numbers = list(self.functions)
        level = rng.choice(["-O0", "-O1", "-O2", "-O2", "-O3"])
        self.flags = [level, "-fopenmp", *rng.choice([[], [], [], [], ["-g"], ["-flto"], ["-fPIC"], ["-fno-strict-aliasing"],
                                                      ["-fsanitize=address"], ["-fsanitize=undefined"], ["-ftrapv"],
                                                      ["-march=native"]])]
        if language == "fortran" and "-ftrapv" in self.flags:
            self.flags.remove("-ftrapv")  # its sums overflow, and which ones do is up to the optimiser
        self.own_flags = rng.choice([[], [], ["-fdoall-static"], ["-fno-doall-runtime"], ["-fdoall-static", "-fno-doall-runtime"]])
        self.threads = rng.choice([2, 3, 4])
        self.files = 2 if language != "fortran" and rng.random() < 0.25 else 1
        self.dropped = collections.Counter()

    def sources(self, own):
        """Writes the program's files, and returns their paths; `own`: with names that doall alone knows."""
        paths = []
        self.line_of = []  # file and first line, from 1, of each function
        for which in range(self.files):
            text = [self.prelude]
            line = self.prelude.count("\n") + 2
            for k in self.numbers[which::self.files]:
                self.line_of.append((which, line, k))
                text.append(self.functions[k])
                line += self.functions[k].count("\n") + 1
            all_text = re.sub(r"@S:(.*?)@", r"schedule(\1)", "\n".join(text) + "\n")
            all_text = re.sub(r"@OWN:(.*?)@", r"schedule(\1)" if own else "", all_text)
            paths.append(os.path.join(self.folder, f"loops{which}{self.ending}"))
            with open(paths[-1], "w") as file:
                file.write(all_text)
        return paths

    def drop_refused(self, messages, refused="GCC refuses"):
        """Those functions that the compiler's errors are about."""
        reasons = {}
        for which, line, what in re.findall(r"loops(\d)\.\w+:(\d+):(?:\d+:)?\s*(?:[^\n]*\n){0,4}?[^\n]*?(error|Error|internal compiler error)", messages):
            at = [k for file, begins, k in self.line_of if file == int(which) and begins <= int(line)]
            if at:
                reasons[at[-1]] = "GCC fails at" if what.startswith("internal") else refused
        if not reasons:
            raise RuntimeError(f"{' '.join(self.flags)}: {messages[:3000]}")
        for k, why in reasons.items():
            self.numbers.remove(k)
            self.dropped[why] += self.cases[k]


def check(binaries, seed, folder, schedules, main):
    program = Program(seed, folder)
    app = os.path.join(folder, "app")
    env = {key: value for key, value in os.environ.items() if not key.startswith(("DOALL_", "OMP_"))}
    env["GFORTRAN_UNBUFFERED_ALL"] = "1"
    env["ASAN_OPTIONS"] = "detect_leaks=0"
    threads = {**env, "OMP_NUM_THREADS": str(program.threads)}
    link = [main, "-o", app] + (["-lstdc++"] if program.driver == "doall-c++" else [])
    for _ in range(30):
        look = run([*program.compiler, "-w", *program.flags, *program.sources(False), *link], cwd=folder)
        if look.returncode == 0:
            break
        program.drop_refused(look.stderr)
    calls = [f"{k}.{case}" for k in program.numbers for case in range(program.cases[k])]
    own = lines_of([app, "apart", *calls], threads)
    died = {call for call in calls if own.get(call, "died") == "died"}
    calls = [call for call in calls if call not in died]
    # What GCC leaves uninitialised (in nests of short) is another value behind other calls.
    in_turn = lines_of([app, *calls], threads)
    made_by([*program.compiler, "-w", "-O0", *program.sources(False), *link], folder)
    serial = lines_of([app, *calls], env)
    wrong = {call for call in calls if not own[call] == in_turn.get(call) == serial[call]}
    program.dropped["never end, or die, as GCC has them"] += len(died)
    program.dropped["GCC's answer is not the serial one"] += len(wrong)
    calls = [call for call in calls if call not in wrong]
    command = [os.path.join(binaries, program.driver), *program.compiler[1:], "-w", *program.flags, *program.own_flags]
    for _ in range(30):
        look = run([*command, *program.sources(True), *link], cwd=folder)
        if look.returncode == 0:
            break
        named = "\n".join(line for line in look.stderr.splitlines() if "cannot be had for this loop" in line)
        if not named:
            raise RuntimeError(f"{' '.join(command)}:\n{look.stderr[:3000]}")
        program.drop_refused(named, "doall cannot deal by the name")
    calls = [call for call in calls if int(call.split(".")[0]) in program.numbers]
    doall = os.path.join(binaries, "doall")
    ways = [("on libgomp", [app])] + [("by doall run", [doall, "run", app])] + [
        (f"under {s}", [doall, "run", f"--schedule={s}", app]) for s in schedules]
    for what, command in ways:
        found = lines_of([*command, *calls], threads)
        for call in calls:
            if serial[call] != found.get(call):
                raise RuntimeError(
                    f"{call} {what}, {program.threads} threads, {' '.join(program.own_flags + program.flags)}: "
                    f"{found.get(call)}, serially {serial[call]}\n{program.functions[int(call.split('.')[0])]}")
    return len(program.numbers), len(calls), len(ways), program.dropped


def main():
    binaries = os.path.abspath(sys.argv[1])
    one = os.environ.get("DOALL_TEST_SEED")
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    wanted = int(sys.argv[3]) if len(sys.argv) > 3 else (
        6_000 if int(os.environ.get("DOALL_TEST_LONG", "1")) > 1 else 180)
    seeds = [int(one)] if one else range(first, first + (wanted + FUNCTIONS_A_PROGRAM - 1) // FUNCTIONS_A_PROGRAM)
    schedules = schedules_of(binaries)
    made_loops.OWN += [s for s in schedules if s.replace("-", "").isalnum() and s not in made_loops.GIVEN]
    failures = 0
    functions = runs = calls = 0
    dropped = collections.Counter()

    def check_one(seed):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return check(binaries, seed, folder, schedules, main_object)
            except Exception as wrong:
                return f"{wrong}\nto repeat: DOALL_TEST_SEED={seed} {sys.argv[0]} {binaries}"

    with tempfile.TemporaryDirectory() as shared, \
            concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as at_once:
        main_object = os.path.join(shared, "main.o")
        made_by(["gcc", "-O1", "-c", os.path.join(HERE, "loops_main.c"), "-o", main_object], shared)
        for outcome in at_once.map(check_one, seeds):
            if isinstance(outcome, str):
                failures += 1
                if failures <= 5:
                    print(outcome, flush=True)
                continue
            functions += outcome[0]
            calls += outcome[1]
            runs += outcome[1] * outcome[2]
            dropped += outcome[3]
    print(f"{functions} functions, {calls} loops, {runs} loops x schedules run, {failures} programs wrong; dropped: "
          + (", ".join(f"{count} loops {why}" for why, count in sorted(dropped.items())) or "none"))
    sys.exit(1 if failures else 0)


main()
