"""multiprocessing: forked and spawned workers with parallel code.

    workers.py [after|alone]

The parent has run parallel code before only with `after`: libgomp's threads do not survive that, so
workers may wait for ever on it, and `alone`, which prints the same without workers, is what runs
there. numba ends a forked worker whose parent has used its layer, on any runtime: so here only
workers use it.
"""

import multiprocessing
import sys

import numpy as np
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingRegressor

from results import random, show


def fit(seed):
    x = random(seed).standard_normal((2000, 8))
    means = KMeans(5, n_init=2, random_state=seed).fit(x)
    trees = HistGradientBoostingRegressor(max_iter=15, random_state=seed).fit(x, x[:, 0])
    return np.concatenate([np.sort(means.cluster_centers_.ravel()), trees.predict(x[:50])])


def compiled(seed):
    import numba

    numba.config.THREADING_LAYER = "omp"

    @numba.njit(parallel=True)
    def total(a):
        found = 0.0
        for i in numba.prange(a.size):
            found += a[i]
        return found

    return total(np.abs(random(seed).standard_normal(5000)))


def in_workers(how, function, name):
    sys.stdout.flush()
    if mode == "alone":
        results = [function(seed) for seed in range(4)]
    else:
        with multiprocessing.get_context(how).Pool(2) as pool:
            results = pool.map(function, range(4), chunksize=1)
    for seed, result in enumerate(results):
        show(f"{how}, {name} {seed}", result)


if __name__ == "__main__":
    mode = sys.argv[1] if len(sys.argv) > 1 else ""
    if mode:
        show("before", fit(0))
    in_workers("fork", fit, "fit")
    in_workers("fork", compiled, "compiled")
    if mode:
        show("between", fit(1))
        in_workers("fork", fit, "fit")  # of a parent that has seen a fork
    in_workers("spawn", fit, "fit")
    show("after", fit(2))
