#!/usr/bin/env python3
"""Random loops in C, C++ and Fortran give the answers that plain GCC's do.

    loops.py BIN [SEED [LOOPS]]

Each program of 60 loops (made_loops.py) is compiled without OpenMP, by GCC as it is, by GCC with
schedule(dynamic) on every loop, and by doall's driver. Where GCC's answer is the serial program's, so
must the driver's be, on libgomp and under every schedule of the registry. What GCC alone gets wrong
is counted: where its dynamic loops differ from its static ones lies what the driver must not inherit.

DOALL_TEST_SEED=N repeats one program; DOALL_TEST_LONG makes 6,000 loops.
"""
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

import made_loops

LOOPS_A_PROGRAM = 60
LANGUAGES = {  # the compiler, the driver, the source's name
    "c": (["gcc", "-std=gnu17"], "doall-cc", "loops.c"),
    "c++": (["g++", "-std=gnu++17"], "doall-c++", "loops.cpp"),
    "fortran": (["gfortran", "-ffree-line-length-none", "-fno-range-check"], "doall-fortran", "loops.f90"),
}


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **more)


def made_by(command, folder):
    done = run(command, cwd=folder)  # where Fortran's modules go
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr[:4000]}")


def lines_of(command, env, may_hang=False):
    """What the program prints of each loop. Some of GCC's dynamic loops never end."""
    try:
        done = run(["timeout", "10" if may_hang else "60", *command], env=env)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{' '.join(command)} hangs") from None
    if done.returncode != 0 and not may_hang:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}\n{done.stderr[:2000]}")
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


def schedules_of(binaries):
    table = run([os.path.join(binaries, "doall"), "schedules"]).stdout.split("\n\n")[0]
    return [line.split()[0] for line in table.splitlines()[1:]]


def check(binaries, seed, folder, schedules):
    rng = random.Random(seed)
    language = rng.choice(["c", "c", "c", "c++", "c++", "fortran", "fortran"])
    compiler, driver, source = LANGUAGES[language]
    if language == "fortran":
        functions, program = made_loops.fortran_program(rng, LOOPS_A_PROGRAM)
    else:
        functions, program = made_loops.c_program(rng, LOOPS_A_PROGRAM, language == "c++")
    numbers = list(functions)

    def file_with(schedule, name):
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.write(program(numbers).replace("@S@", schedule))
        return path

    level = rng.choice(["-O0", "-O1", "-O2", "-O2", "-O3"])
    given = rng.choice(["", "", "", "schedule(static)", "schedule(dynamic, 3)", "schedule(guided)", "schedule(static, 5)",
                        "schedule(runtime)"])
    app = os.path.join(folder, "app")
    env = {key: value for key, value in os.environ.items() if not key.startswith(("DOALL_", "OMP_"))}
    env["GFORTRAN_UNBUFFERED_ALL"] = "1"
    threads = {**env, "OMP_NUM_THREADS": str(rng.choice([2, 3, 4]))}
    # GCC refuses some loops, as those whose condition it finds to be never true, and fails at others;
    # some that the source makes dynamic never end. These are left out.
    for _ in range(30):
        ours = file_with(given, "given_" + source)
        look = run([*compiler, "-w", level, "-fopenmp", ours, "-o", app], cwd=folder)
        left = {int(k) for k in re.findall(r"In function .(?:void |_ZL\d+)?f(\d+)", look.stderr)}
        if look.returncode == 0:
            own = lines_of([app], threads, may_hang=True)
            left = {k for k in numbers if str(k) not in own}
            left = {min(left)} if left else left
        if not left:
            break
        numbers = [k for k in numbers if k not in left]
    plain = file_with("", source)
    dynamic = file_with("schedule(dynamic)", "dynamic_" + source)
    flags = rng.choice([[], ["-fdoall-static"], ["-fdoall-static", "-fdoall-runtime"]]) if given else []
    if look.returncode != 0:
        raise RuntimeError(look.stderr[:4000])
    made_by([*compiler, "-w", "-O1", plain, "-o", app], folder)
    serial = lines_of([app], env)
    made_by([*compiler, "-w", "-O1", "-fopenmp", dynamic, "-o", app], folder)
    inherited = lines_of([app], threads, may_hang=True)
    made_by([os.path.join(binaries, driver), *compiler[1:], "-w", level, "-fopenmp", *flags, ours, "-o", app], folder)
    ways = [("on libgomp", [app])] + [("by doall run", [os.path.join(binaries, "doall"), "run", app])] + [
        (f"under {s}", [os.path.join(binaries, "doall"), "run", f"--schedule={s}", app]) for s in schedules]
    for what, command in ways:
        found = lines_of(command, threads)
        for key, right in serial.items():
            if own[key] == right != found.get(key):
                raise RuntimeError(
                    f"loop {key} {what}, {threads['OMP_NUM_THREADS']} threads, {given} {' '.join(flags)} {level}: "
                    f"{found.get(key)}, serially {right}, by GCC {own[key]}\n{functions[int(key)]}")
    return len(numbers), sum(own[k] != v for k, v in serial.items()), sum(inherited.get(k) != own[k] for k in serial)


def main():
    binaries = sys.argv[1]
    one = os.environ.get("DOALL_TEST_SEED")
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    wanted = int(sys.argv[3]) if len(sys.argv) > 3 else (
        6_000 if int(os.environ.get("DOALL_TEST_LONG", "1")) > 1 else 180)
    seeds = [int(one)] if one else range(first, first + (wanted + LOOPS_A_PROGRAM - 1) // LOOPS_A_PROGRAM)
    schedules = schedules_of(binaries)
    failures = []
    total = own = inherited = 0

    def check_one(seed):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return check(binaries, seed, folder, schedules)
            except Exception as wrong:
                return f"{wrong}\nto repeat: DOALL_TEST_SEED={seed} {sys.argv[0]} {binaries}"

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as at_once:
        for outcome in at_once.map(check_one, seeds):
            if isinstance(outcome, str):
                failures.append(outcome)
                if len(failures) <= 5:
                    print(outcome, flush=True)
            else:
                total, own, inherited = total + outcome[0], own + outcome[1], inherited + outcome[2]
    print(f"{total} loops, {len(failures)} programs wrong; of GCC's own, {own} loops differ "
          f"from serial ones, {inherited} of its dynamic ones from its static ones")
    sys.exit(1 if failures else 0)


main()
