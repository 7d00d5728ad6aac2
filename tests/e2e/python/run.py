#!/usr/bin/env python3
"""Runs Python programs in a virtual environment, plainly and under doall: the same results.

    run.py --doall FILE --cache FOLDER [--bodies FILE] [--when VARIABLE] [--only NAME]...

The environment has the packages below, which pip installs when the cache folder has none. Each
program of programs/ is run as it is, and under `doall run` with several numbers of threads and
schedules, and after `import doall.openmp` (imported.py). On doall it must end well, print the same,
say nothing on standard error that it does not say without, and be served. Sums depend on the number
of threads, so both have as many. Then package.py runs there, with all its cases.

Exits 0 when that holds, 1 when not, 77 when pip cannot install the packages, or --when names a
variable that is not set.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = ["numpy", "scipy", "scikit-learn", "numba", "threadpoolctl", "joblib", "lightgbm",
            "xgboost-cpu", "cython", "setuptools", "ipykernel", "nbclient"]

# OMP_NUM_THREADS, 0 for unset, and what else `doall run` is given, or IMPORTED. The first is as a
# user types it.
IMPORTED = ["import doall.openmp"]
WAYS = [(0, []), (0, ["--schedule=guided"]), (1, []), (4, []), (0, IMPORTED)]


@dataclass
class Program:
    file: str
    plainly: list = field(default_factory=list)  # its arguments
    on_doall: list = field(default_factory=list)
    served: bool = True  # it uses OpenMP


PROGRAMS = {
    # The wheels' OpenBLAS has threads of its own, and their other code has none.
    "algebra": Program("algebra.py", served=False),
    "learning": Program("learning.py"),
    "boosted": Program("boosted.py"),
    "compiled": Program("compiled.py"),
    "workers": Program("workers.py"),
    "workers-after": Program("workers.py", ["alone"], ["after"]),
    "limits": Program("limits.py"),
}
TIMEOUT_S = 300


def environment():
    """Ours without what would choose another runtime or schedule."""
    chosen = ("OMP_", "GOMP_", "KMP_", "DOALL_", "NUMBA_", "LD_PRELOAD", "LD_LIBRARY_PATH")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(chosen)}
    return kept | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.path.join(HERE, "programs")}


def prepare(cache):
    """Returns the environment's python, or ends with 77."""
    python = os.path.join(cache, "venv", "bin", "python")
    stamp = os.path.join(cache, "venv", "complete")
    complete = " ".join(PACKAGES)
    if not os.path.exists(stamp) or open(stamp).read() != complete:
        made = subprocess.run([sys.executable, "-m", "venv", os.path.join(cache, "venv")],
                              capture_output=True, text=True)
        if made.returncode == 0:
            print("installing", ", ".join(PACKAGES), flush=True)
            made = subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES],
                                  capture_output=True, text=True)
        if made.returncode != 0:
            print(made.stderr.strip()[-500:])
            print("skipped: pip cannot install the packages; it needs the network, or an index")
            sys.exit(77)
        with open(stamp, "w") as file:
            file.write(complete)
    listed = subprocess.run([python, "-m", "pip", "list", "--format=freeze"], capture_output=True,
                            text=True).stdout
    print(" ".join(line for line in listed.split() if line.split("==")[0] in PACKAGES))
    return python


def run(command, threads=0, more=()):
    began = time.monotonic()
    chosen = environment() | dict(more) | ({"OMP_NUM_THREADS": str(threads)} if threads else {})
    try:
        done = subprocess.run(command, env=chosen, capture_output=True, text=True,
                              timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired as e:
        return 1, (e.stdout or b"").decode(), f"nothing for {TIMEOUT_S} s\n", TIMEOUT_S
    return done.returncode, done.stdout, done.stderr, time.monotonic() - began


def libraries(doall):
    """The environment variables by which Python finds the package beside that command."""
    root = os.path.join(HERE, "..", "..", "..", "python")
    folder = os.path.join(os.path.dirname(doall), "..", "lib")
    return {"PYTHONPATH": os.path.join(HERE, "programs") + ":" + os.path.normpath(root),
            "DOALL_LIBRARY_FOLDER": os.path.normpath(os.path.abspath(folder))}


def run_imported(doall, command, threads):
    """The program after `import doall.openmp`, which leaves marks as under `doall run`."""
    python, *program = command
    with tempfile.NamedTemporaryFile() as marks:
        made = os.fstat(marks.fileno())
        named = f"{marks.name}:{made.st_dev}:{made.st_ino}"
        more = libraries(doall) | {"DOALL_SERVED_FILE": named}
        done = run([python, os.path.join(HERE, "imported.py"), *program], threads, more)
        served = "served" in marks.read().decode()
    return done if served else (*done[:2], done[2] + "doall: nothing of it ran on doall\n", done[3])


def messages(text):
    """Standard error without what differs between two runs of one program."""
    return {re.sub(r"\d+", "N", line) for line in text.splitlines()}


def judge(plain, doall, served):
    """What is wrong with a run under doall; empty if nothing is."""
    if doall[0] != 0:
        return f"ended with status {doall[0]}"
    new = messages(doall[2]) - messages(plain[2])
    unserved = {line for line in new if line.startswith("doall: nothing of ")}
    if not served and not unserved:
        return "was served: the test's table has to say so"
    if not served:
        new -= unserved
    if new:
        return "said on standard error: " + "; ".join(sorted(new))
    if doall[1] == plain[1]:
        return ""
    for old, now in zip(plain[1].splitlines() + ["nothing"], doall[1].splitlines() + ["nothing"]):
        if old != now:
            return f"expected {old}, got {now}"
    return "printed more or less"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--doall", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--bodies", help="bodies.c as a library, for package.py")
    parser.add_argument("--only", action="append", choices=PROGRAMS)
    parser.add_argument("--when", metavar="VARIABLE")
    given = parser.parse_args()
    if given.when and not os.environ.get(given.when):
        print(f"skipped: it takes minutes, and runs by `make python` or with {given.when}=1")
        return 77
    python = prepare(given.cache)
    failures = 0
    for name in given.only or PROGRAMS:
        program = PROGRAMS[name]
        command = [python, os.path.join(HERE, "programs", program.file)]
        plain = {}
        for threads, way in WAYS if program.served else WAYS[:1]:
            if threads not in plain:
                plain[threads] = run(command + program.plainly, threads)
            if plain[threads][0] != 0:
                print(f"{name}: fails without doall, status {plain[threads][0]}")
                print(plain[threads][2])
                failures += 1
                continue
            if way is IMPORTED:
                doall = run_imported(given.doall, [*command, *program.on_doall], threads)
            else:
                doall = run([given.doall, "run", *way, *command, *program.on_doall], threads)
            wrong = judge(plain[threads], doall, program.served)
            failures += wrong != ""
            size = f"{threads} threads" if threads else "usual threads"
            print(f"{' '.join([name, size, *way])}: {wrong or 'the same'}, {doall[3]:.1f} s, "
                  f"plainly {plain[threads][3]:.1f} s", flush=True)
            if wrong:
                print(doall[2])
    if given.bodies and not given.only:
        env = libraries(given.doall)
        package = env["PYTHONPATH"].split(":")[1]
        command = [python, "-B", os.path.join(HERE, "package.py"), package,
                   env["DOALL_LIBRARY_FOLDER"], given.bodies]
        failures += subprocess.run(command, check=False).returncode != 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
