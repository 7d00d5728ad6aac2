#!/usr/bin/env python3
"""A triangular loop by numba's prange and by doall.parallel_for, in turns, in one process.

    triangle.py [--rows N] [--rounds R]

Iteration i has i square roots. Both run the same compiled function on as many threads, prange on
the layer that numba chooses. Each round times both once. Prints medians, and for each way the median of
the rounds' ratios to prange, with the interval that holds that median in 95 of 100 repetitions
(by resampling the rounds). Answers are compared outside of the timed part. Needs numpy and numba.
"""

import argparse
import random
import statistics
import time

import numba
import numpy as np

import doall


@numba.njit
def row(i, out):
    total = 0.0
    for j in range(i):
        total += np.sqrt(j * 1.0 + i)
    out[i] = total


@numba.njit(parallel=True)
def by_prange(n, out):
    for i in numba.prange(n):
        row(i, out)


def interval(ratios, draws=2000):
    """Of the median: the bootstrap's 2.5 and 97.5 percent."""
    dice = random.Random(1)
    medians = sorted(statistics.median(dice.choices(ratios, k=len(ratios))) for _ in range(draws))
    return medians[draws // 40], medians[-1 - draws // 40]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=101)
    given = parser.parse_args()
    n = given.rows
    out, expected = np.zeros(n), np.zeros(n)
    costs = np.arange(n)
    ways = {
        "prange": lambda: by_prange(n, out),
        "doall": lambda: doall.parallel_for(n, row, out),
        "doall, guided": lambda: doall.parallel_for(n, row, out, schedule="guided"),
        "doall, costs": lambda: doall.parallel_for(n, row, out, costs=costs),
    }
    for i in range(n):
        row(i, expected)
    times = {name: [] for name in ways}
    for k in range(given.rounds + 10):
        for name, run in ways.items():
            out[:] = 0
            began = time.perf_counter()
            run()
            took = time.perf_counter() - began
            if k >= 10:
                times[name].append(took)
            assert (out == expected).all(), f"{name}: wrong answers"
    print(f"{n} rows, {given.rounds} rounds, {numba.get_num_threads()} threads, numba "
          f"{numba.__version__} on {numba.threading_layer()}, doall {doall.__version__}")
    print(f"{'':14} {'median':>9}  {'of prange':>9}  95 %")
    for name, of_way in times.items():
        ratios = [a / b for a, b in zip(of_way, times["prange"])]
        low, high = interval(ratios)
        print(f"{name:14} {1e3 * statistics.median(of_way):6.2f} ms  "
              f"{statistics.median(ratios):9.3f}  {low:.3f} to {high:.3f}")


if __name__ == "__main__":
    main()
