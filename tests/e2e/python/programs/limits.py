"""threadpoolctl: it sees the runtime that scikit-learn uses, and limits it."""

import os

from sklearn.cluster import KMeans
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads, _openmp_parallelism_enabled
from threadpoolctl import ThreadpoolController, threadpool_info, threadpool_limits

from results import random, show

assert _openmp_parallelism_enabled()
CPUS = len(os.sched_getaffinity(0))
data = random().standard_normal((3000, 6))


def openmp():
    return [p["num_threads"] for p in threadpool_info() if p["user_api"] == "openmp"]


def effective(threads):
    """scikit-learn's own rule: no more than CPUs, unless the variable is set."""
    return threads if "OMP_NUM_THREADS" in os.environ else min(threads, CPUS)


assert openmp(), threadpool_info()
usual = _openmp_effective_n_threads()
assert effective(max(openmp())) == usual, threadpool_info()
for limit in (1, 2, CPUS + 1):
    with threadpool_limits(limit, user_api="openmp"):
        assert set(openmp()) == {limit}, threadpool_info()
        assert _openmp_effective_n_threads() == effective(limit)
        show("limited", KMeans(4, n_init=1, random_state=1).fit(data).inertia_)
    assert _openmp_effective_n_threads() == usual
with ThreadpoolController().limit(limits=1):
    assert set(openmp()) == {1}
    assert _openmp_effective_n_threads() == 1
assert _openmp_effective_n_threads() == usual
print("limited")
