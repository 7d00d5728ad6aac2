#!/usr/bin/env python3
"""Runs programs again and again with 8 threads on 2 CPUs: no run may take five times the median.

    run_times.py [--runs N] VARIABLE=LIBRARY PROGRAM...

A run that takes long is how a lost wake-up, a thread that waits for one without a CPU, or a spin
without end show before they hang. Prints the median and the longest of each program's runs, in
seconds. What spoils an attempt may be another program that had the CPUs, so an attempt with a run
that is too long is made again, twice at most; a run that fails, or does not end, counts at once.

DOALL_TEST_LONG=n makes n times as many runs, by default 3. Two hundred, of programs of GCC's:

    tests/omp/run_times.py --runs 200 LD_PRELOAD=build/lib/doall/omp/libgomp.so.1 \\
      build/tests/omp_tasks build/tests/omp_barriers

Exits 0 when that holds, 1 otherwise.
"""

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import time

THREADS = 8
CPUS = 2
TIMES_MEDIAN = 5
ATTEMPTS = 3
TIMEOUT_S = 300
SKIPPED = 77
SHORTEST_MEDIAN_S = 0.005  # starting a process takes as long: no time of the runtime's


def run(program, environment):
    """Returns the seconds that it took, of the CPU too, and what is wrong."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    try:
        done = subprocess.run([program], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return TIMEOUT_S, 0, f"did not end within {TIMEOUT_S} s"
    took = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    wrong = ""
    if done.returncode not in (0, SKIPPED):
        wrong = f"ended with {done.returncode}: {done.stderr[-500:].decode('latin-1')}"
    return took, cpu, wrong


def attempt(program, runs, environment):
    """Prints the times of an attempt. Returns whether one is too long, and whether a run failed."""
    times = []
    for n in range(1, runs + 1):
        took, cpu, wrong = run(program, environment)
        times.append((took, cpu))
        if wrong:
            print(f"{os.path.basename(program)}: run {n}: {wrong}", flush=True)
            return False, True
    median = statistics.median(took for took, _ in times)
    longest, its_cpu = max(times)
    long = longest > TIMES_MEDIAN * max(median, SHORTEST_MEDIAN_S)
    print(f"{os.path.basename(program):24} {runs:4} runs: median {median:7.3f} longest "
          f"{longest:7.3f} (of the CPUs {its_cpu:.3f}), {longest / median:.1f} times"
          + (" TOO LONG" if long else ""), flush=True)
    return long, False


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("--runs", type=int, default=3)
    arguments.add_argument("library", help="the variable that brings doall, and its value")
    arguments.add_argument("programs", nargs="+")
    options = arguments.parse_args()
    runs = options.runs * int(os.environ.get("DOALL_TEST_LONG", "1"))
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CPUS])
    environment = {k: v for k, v in os.environ.items()
                   if not re.match(r"(OMP|GOMP|KMP|DOALL)_|LD_PRELOAD$", k)}
    name, _, value = options.library.partition("=")
    environment.update({name: value, "OMP_NUM_THREADS": str(THREADS)})

    wrong = []
    for program in options.programs:
        for _ in range(ATTEMPTS):
            long, failed = attempt(program, runs, environment)
            if failed or not long:
                break
        if long or failed:
            wrong.append(os.path.basename(program))
    print(f"{len(options.programs)} programs; wrong: {', '.join(wrong) or 'none'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
