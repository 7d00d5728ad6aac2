#!/usr/bin/env python3
"""Runs real programs plainly and under doall: the same output, and how long it takes.

    run.py --doall FILE --folder FOLDER [--page FILE] [--rounds N] [--only NAME]...

The programs are in table.py: Debian packages and wheels, which are installed by name into the
folder. Each gets a small input made from a fixed seed. It is run

- plainly twice: does it agree with itself?
- under `doall run --report`: is it served (does a region run on doall), and of how many places?
- under `doall run` with the usual number of threads and with four: the same output as plainly?
- in turns, --rounds times: plainly, with OMP_WAIT_POLICY=passive, under `doall run`; first as the
  machine is, then beside a process that keeps the last CPU busy.

Exits 1 when a program that can be installed fails on doall, prints something else or is not served.
"""

import argparse
import glob
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

import page
from install import Folder, NotInstalled
from table import PROGRAMS

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT_S = 300
CHOSEN = ("OMP_", "GOMP_", "KMP_", "DOALL_", "MKL_", "OPENBLAS_", "LD_", "PYTHON")


class Failed(Exception):
    """A run that did not end with 0; its text says how."""


class Runner:
    def __init__(self, program, name, folder, doall):
        self.program, self.folder, self.doall = program, folder, doall
        self.input = folder.at("inputs", name)
        self.work = folder.at("work", name)
        fonts = os.path.join(folder.root, "usr/share/fonts/truetype/dejavu")
        self.places = {"here": os.path.join(HERE, "programs"), "root": folder.root,
                       "python": os.path.join(folder.venv, "bin", "python"),
                       "r": os.path.join(folder.root, "usr/lib/R/bin/exec/R"),
                       "cpu": "avx2" if has_avx2() else "sse4.1",
                       "fonts": fonts if os.path.isdir(fonts) else fonts.replace(folder.root, "")}

    def environment(self, more=()):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(CHOSEN)}
        own = {k: v.format(**self.places) for k, v in self.program.environment.items()}
        return (kept | self.folder.environment() | {"PYTHONDONTWRITEBYTECODE": "1"} | own |
                dict(more))

    def command(self, text, threads):
        return text.format(threads=threads or len(os.sched_getaffinity(0)), **self.places).split()

    def make_input(self):
        shutil.rmtree(self.input, ignore_errors=True)
        os.makedirs(self.input)
        self.program.make(self.input)
        if self.program.before:
            done = subprocess.run(self.command(self.program.before, 0), cwd=self.input,
                                  env=self.environment(), capture_output=True, text=True)
            if done.returncode != 0:
                raise Failed("its input: " + last_line(done.stderr))

    def run(self, prefix=(), threads=0, more=()):
        """Runs it once. Returns its output, its messages and the seconds."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.input, self.work)
        sized = {"OMP_NUM_THREADS": str(threads)} if threads else {}
        chosen = self.environment(dict(more) | sized)
        began = time.monotonic()
        child = subprocess.Popen([*prefix, *self.command(self.program.command, threads)],
                                 cwd=self.work, env=chosen, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 start_new_session=True)
        try:
            printed, messages = child.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            raise Failed(f"not ended after {TIMEOUT_S} s") from None
        seconds = time.monotonic() - began
        messages = messages.decode(errors="replace")
        if child.returncode != 0:
            raise Failed(f"status {child.returncode}: {last_line(messages)}")
        return self.output(printed), messages, seconds

    def output(self, printed):
        if self.program.output:
            printed = b""
            for file in sorted(glob.glob(os.path.join(self.work, self.program.output))):
                with open(file, "rb") as opened:
                    printed += opened.read()
        return self.program.form(printed.decode("latin-1"))

    def on_doall(self, *options):
        return [self.doall, "run", *options]


def has_avx2():
    with open("/proc/cpuinfo") as file:
        return " avx2 " in file.read()


def last_line(text):
    return ([line for line in text.splitlines() if line.strip()] or [""])[-1][:160]


NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def difference(one, two, tolerance):
    """In words, where two outputs differ; empty: they are the same within the tolerance."""
    if one == two:
        return ""
    a, b = one.split(), two.split()
    if len(a) != len(b):
        return f"{len(a)} words, {len(b)} on doall"
    largest = 0
    for x, y in zip(a, b):
        if x == y:
            continue
        if not tolerance or NUMBER.sub("N", x) != NUMBER.sub("N", y):
            return f"{x[:60]!r}, {y[:60]!r} on doall"
        for i, k in zip(NUMBER.findall(x), NUMBER.findall(y)):
            size = max(abs(float(i)), abs(float(k)), 1e-6)
            largest = max(largest, abs(float(i) - float(k)) / size)
    return f"numbers differ by {largest:.1e}" if largest > tolerance else ""


def served(runner):
    """Whether something of it ran on doall: places, calls; or why not."""
    report = runner.folder.at("report.json")
    _, messages, _ = runner.run(runner.on_doall("--report=" + report))
    why_not = re.search(r"doall: nothing of .*? ran on doall: (.*)", messages)
    if why_not:
        return {"served": False, "why": why_not.group(1)}
    with open(report) as file:
        loops = [loop for process in json.load(file)["processes"] for loop in process["loops"]]
    said = [line for line in messages.splitlines() if line.startswith("doall:")]
    return {"served": True, "places": len(loops), "calls": sum(loop["calls"] for loop in loops),
            "doors": sorted({loop["door"] for loop in loops}), "said": sorted(set(said))}


def check(runner, row):
    """The answers, at the usual number of threads and with four."""
    wrong, tolerance = [], runner.program.tolerance
    for threads in (0, 4):
        try:
            plain, _, _ = runner.run(threads=threads)
        except Failed as failed:  # some refuse more threads than CPUs
            row["refuses"] = f"plainly with {threads} threads: {failed}"
            continue
        again, _, _ = runner.run(threads=threads)
        itself = difference(plain, again, tolerance)
        if not plain.strip():
            raise Failed("plainly: no output")
        size = f"{threads} threads: " if threads else ""
        try:
            for _ in range(2):
                now, _, _ = runner.run(runner.on_doall(), threads)
                differs = difference(plain, now, tolerance)
                if differs and itself:
                    row["itself"] = size + itself.replace("on doall", "the next time")
                elif differs and difference(runner.run(threads=threads)[0], now, tolerance):
                    wrong.append(size + differs)
                    break
                row["bits"] = row.get("bits", True) and plain == now
        except Failed as failed:
            wrong.append(f"{size}fails under doall: {failed}")
    row["wrong"] = wrong


WAYS = {"plain": ([], {}), "passive": ([], {"OMP_WAIT_POLICY": "passive"}), "doall": (None, {})}


def times(runner, rounds):
    """Medians of each way's seconds, in turns."""
    taken = {way: [] for way in WAYS}
    for turn in range(rounds):
        order = list(WAYS.items())
        for way, (prefix, more) in order[turn % 3:] + order[:turn % 3]:
            prefix = runner.on_doall() if prefix is None else prefix
            taken[way].append(runner.run(prefix, more=more)[2])
    return {way: {"median": statistics.median(s), "least": min(s), "most": max(s)}
            for way, s in taken.items()}


class Busy:
    """A process that computes on the last CPU."""
    def __enter__(self):
        last = max(os.sched_getaffinity(0))
        self.process = subprocess.Popen([sys.executable, "-c", "while True: pass"],
                                        preexec_fn=lambda: os.sched_setaffinity(0, {last}))

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def row_of(name, given, folder):
    program = PROGRAMS[name]
    row = {"name": name, "wrong": []}
    try:
        row["version"] = folder.packages(program.packages) or folder.wheels(program.wheels)
    except NotInstalled as no:
        return row | {"not_installed": str(no)}
    runner = Runner(program, name, folder, given.doall)
    try:
        runner.make_input()
        runner.run()
    except Failed as failed:
        return row | {"fails": str(failed)}
    try:
        row |= served(runner)
        check(runner, row)
        row["load"] = os.getloadavg()[0]
        if given.rounds and not any("fails under doall" in w for w in row["wrong"]):
            row["idle"] = times(runner, given.rounds)
            with Busy():
                row["busy"] = times(runner, given.rounds)
    except Failed as failed:
        row["wrong"].append(str(failed))
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--doall", required=True, type=os.path.abspath)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--page", help="where the page is written; FOLDER/programs.md")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append", choices=PROGRAMS)
    given = parser.parse_args()
    folder = Folder(given.folder)
    rows = []
    for name in given.only or PROGRAMS:
        rows.append(row_of(name, given, folder))
        print(page.line(rows[-1]), flush=True)
        # After each: it takes long, and may be ended.
        with open(folder.at("programs.json"), "w") as file:
            json.dump(rows, file, indent=1)
        with open(given.page or folder.at("programs.md"), "w") as file:
            file.write(page.page(rows, given.rounds, PROGRAMS))
    failed = [r["name"] for r in rows if r["wrong"] or r.get("served") is False or "fails" in r]
    print(f"{len(rows) - len(failed)} passed, {len(failed)} failed" +
          (": " + " ".join(failed) if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
