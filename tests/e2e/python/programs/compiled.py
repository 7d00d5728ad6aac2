"""numba: parallel loops on its threading layer `omp`."""

import numba
import numpy as np
from numba import njit, prange

from results import random, show

numba.config.THREADING_LAYER = "omp"


@njit(parallel=True)
def norms(a):
    found = np.empty(a.shape[0])
    for row in prange(a.shape[0]):
        found[row] = np.sqrt((a[row] ** 2).sum())
    return found


@njit(parallel=True)
def total(a):
    found = 0.0
    for i in prange(a.size):
        found += a.flat[i]
    return found


@njit(parallel=True)
def triangle(n):
    found = np.zeros(n)
    for i in prange(n):
        for j in prange(i):
            found[i] += (i * j) % 7
    return found


@numba.guvectorize(["void(f8[:], f8[:])"], "(n)->(n)", target="parallel")
def running(a, found):
    found[0] = a[0]
    for i in range(1, a.size):
        found[i] = found[i - 1] + a[i]


@numba.vectorize(["f8(f8, f8)"], target="parallel")
def mixed(a, b):
    return np.sin(a) * b


a = random().standard_normal((3000, 50))
show("norms", norms(a))
show("total", total(np.abs(a)))
show("triangle", triangle(600))
show("running sums", running(a))
show("mixed", mixed(a, 2.0))
for threads in (1, numba.get_num_threads()):
    numba.set_num_threads(threads)
    show("norms again", norms(a))
assert numba.threading_layer() == "omp", numba.threading_layer()
