#!/usr/bin/env python3
"""Compares two builds of doall by one of its benchmarks, run in turns.

A change that should cost nothing is shown to cost nothing: by each row of doall's, over something
that no build of doall changes, measured in the same run: the serial program, or libgomp's empty
loop. So a machine that is slower today does not count. The other runtimes' rows are the control:
they show how far two equal builds differ.

    scripts/compare_builds.py --before OLD/build/bin/doall --after build/bin/doall \\
        --pairs 7 burden -- --rounds 10

Prints for each row the geometric mean over the pairs of the ratio after over the ratio before,
with its 95 % interval (Student's t of the logarithms). Above 1: it has become slower. A row that
only one of the builds has is named.

Exits 0; 1 if a row of doall's is slower by more than --limit (default 1.02), the whole interval
above it; 2 if a benchmark fails.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

# Two-sided 95 % points of Student's t, by degrees of freedom.
T95 = (0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14)
T95_OF_MORE = 2.13


def name_of(row, program):
    """Names a row by what was run, not by what came out."""
    words = [row.get(key) for key in ("runtime", "door", "schedule", "setting", "site")]
    return ": ".join(part for part in (program, " ".join(str(w) for w in words if w)) if part)


def ratios_of_loops(result):
    """The rows' medians over the median of libgomp's static loop, in `burden`."""
    rows = result["rows"]
    unit = next(r["median_ns"] for r in rows
                if r["runtime"] == "libgomp" and r["schedule"] == "static")
    return {name_of(r, ""): r["median_ns"] / unit for r in rows}


def ratios_of_envelopes(result):
    """The rows' times over the ideal ones, which come from the serial loops of the run."""
    return {name_of(r, ""): r["geomean"] for r in result["rows"]}


def ratios_of_programs(result):
    """The rows' medians over the serial program's, of benchmarks that compare programs."""
    found = {}
    for program in result["programs"]:
        title = ", ".join(program[key] for key in ("program", "input") if program.get(key))
        for row in program["rows"]:
            found[name_of(row, title)] = row["median_ns"] / program["serial_ns"]
    return found


RATIOS = {"burden": ratios_of_loops, "envelope": ratios_of_envelopes}


def ratios_of(doall, bench, options):
    """Runs the benchmark of that build; returns each row's ratio."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "result.json")
        command = [doall, "bench", bench, "--json", file, *options]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              check=False)
        if not file.exists():
            sys.exit(f"{' '.join(map(str, command))}: ended with {done.returncode}, wrote no result\n"
                     + done.stderr)
        return RATIOS.get(bench, ratios_of_programs)(json.loads(file.read_text()))


def interval_of(quotients):
    """The geometric mean with its 95 % interval."""
    logs = [math.log(q) for q in quotients]
    mean = statistics.fmean(logs)
    if len(logs) < 2:
        return math.exp(mean), 0.0, math.inf
    points = T95[len(logs) - 1] if len(logs) <= len(T95) else T95_OF_MORE
    half = points * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", required=True, help="the doall command of the older build")
    parser.add_argument("--after", required=True, help="the same of the newer one")
    parser.add_argument("--pairs", type=int, default=7, help="runs of each (default %(default)s)")
    parser.add_argument("--limit", type=float, default=1.02, help="(default %(default)s)")
    parser.add_argument("bench", help="burden, envelope, or one that compares programs: afs, lbs ...")
    parser.add_argument("options", nargs="*", help="the benchmark's own, after --")
    asked = parser.parse_args()

    builds = [asked.before, asked.after]
    found = {build: [] for build in builds}
    for pair in range(asked.pairs):
        for build in builds if pair % 2 == 0 else reversed(builds):
            found[build].append(ratios_of(build, asked.bench, asked.options))
            print(f"{asked.bench}: pair {pair + 1} of {asked.pairs}", end="\r", file=sys.stderr)
    print(file=sys.stderr)

    slower = compared = 0
    last = {build: set(runs[-1]) for build, runs in found.items()}
    for row in found[asked.after][-1]:
        pairs = [(before[row], after[row]) for before, after in zip(*found.values())
                 if row in before and row in after]
        if not pairs:
            continue
        mean, low, high = interval_of([after / before for before, after in pairs])
        is_ours = "doall" in row.rsplit(": ", maxsplit=1)[-1]
        above = is_ours and low > asked.limit
        compared += is_ours
        slower += above
        print(f"{mean:6.3f} [{low:.3f}, {high:.3f}] {'SLOWER ' if above else ''}{row}")
    for build, others in ((asked.before, last[asked.after]), (asked.after, last[asked.before])):
        for row in sorted(last[build] - others):
            print(f"only {build}: {row}")
    print(f"{asked.bench}: {slower} of {compared} rows of doall's are slower by more than"
          f" {asked.limit}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
