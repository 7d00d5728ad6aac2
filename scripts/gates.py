#!/usr/bin/env python3
"""Runs the gate, .ci/run, several times in a row, each in a fresh clone of what HEAD is now.

    scripts/gates.py [--runs 10] [--cold 3] [--busy 5] [--folder FOLDER] [--stop]

The first `--cold` runs compile everything: they show how long the gate is. Those after them take
what was compiled, if ccache is installed: they show what fails now and then. Beside the last
`--busy` runs a program keeps one CPU busy. Prints the machine, a line for each run (seconds in all
and of each stage, tests that failed), and the median lengths of the cold runs with nothing beside
them. What a run printed stays in FOLDER/run-N.log. Exits 0 if all were green, 1 otherwise. --stop
ends at the first red one.
"""

import argparse
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def machine():
    model = platform.processor()
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return f"{model}, {len(os.sched_getaffinity(0))} CPUs"


def run_gate(root, commit, folder, number, cold, busy):
    """Returns the exit status, seconds in all, seconds by stage, and the failed tests."""
    cache = folder / "ccache"
    if cold:
        shutil.rmtree(cache, ignore_errors=True)
    clone = folder / "clone"
    shutil.rmtree(clone, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", root, clone], check=True)
    subprocess.run(["git", "-C", clone, "checkout", "--quiet", commit], check=True)
    beside = [sys.executable, "-c", "while True: pass"]
    neighbour = subprocess.Popen(beside) if busy else None
    stages = []  # of each: name, when it began
    failed = []
    began = time.monotonic()
    try:
        with open(folder / f"run-{number}.log", "w", encoding="utf-8") as log, subprocess.Popen(
                ["bash", ".ci/run"], cwd=clone, env={**os.environ, "CCACHE_DIR": str(cache)},
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, errors="replace") as gate:
            for line in gate.stdout:
                log.write(line)
                if match := re.match(r"gate: (.*)", line):
                    stages.append((match[1], time.monotonic()))
                elif match := re.match(r"\s+\d+ - (\S+) \((?!Skipped|Not Run)", line):
                    failed.append(match[1])
        status = gate.wait()
    finally:
        if neighbour:
            neighbour.kill()
            neighbour.wait()
    ended = time.monotonic()
    ends = [start for _, start in stages[1:]] + [ended]
    lengths = {name: end - start for (name, start), end in zip(stages, ends)}
    return status, ended - began, lengths, failed


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("--runs", type=int, default=10)
    arguments.add_argument("--cold", type=int, default=3)
    arguments.add_argument("--busy", type=int, default=5)
    arguments.add_argument("--folder", type=pathlib.Path)
    arguments.add_argument("--stop", action="store_true")
    options = arguments.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    folder = options.folder or pathlib.Path(tempfile.mkdtemp(prefix="doall-gates-"))
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    commit = subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], check=True,
                            capture_output=True, text=True).stdout.strip()
    print(f"{machine()}; commit {commit}; logs in {folder}", flush=True)
    red = 0
    runs = 0
    alone = []  # of each green cold run with nothing beside it: seconds in all and by stage
    for number in range(1, options.runs + 1):
        cold = number <= options.cold
        busy = number > options.runs - options.busy
        status, took, stages, failed = run_gate(root, commit, folder, number, cold, busy)
        runs += 1
        red += status != 0
        if cold and not busy and status == 0:
            alone.append({"in all": took, **stages})
        kind = ("cold" if cold else "cached") + (", beside a busy CPU" if busy else "")
        print(f"run {number}, {kind}: {'green' if status == 0 else 'RED'} {took:.0f} s ("
              + ", ".join(f"{stage} {length:.0f}" for stage, length in stages.items()) + ")"
              + (f"; failed: {' '.join(failed)}" if failed else ""), flush=True)
        if status != 0 and options.stop:
            break
    print(f"{runs} runs, {red} red")
    if alone:
        medians = {stage: statistics.median(run[stage] for run in alone) for stage in alone[0]}
        print(f"median of {len(alone)} cold runs with nothing beside them: "
              + ", ".join(f"{stage} {length:.0f}" for stage, length in medians.items()) + " s")
    return 1 if red else 0


if __name__ == "__main__":
    sys.exit(main())
