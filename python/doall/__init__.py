"""doall: parallel loops, under any schedule.

    import doall.openmp                              # OpenMP loops of other packages run on doall
    with doall.schedule("guided,4"), doall.threads(4): ...
    doall.parallel_for(n, body, x, y)                # loops of one's own, compiled by numba, Cython, C
    doall.parallel_reduce(n, body, x, identity=0.0)
    doall.numba()                                    # numba's own prange runs on doall
    doall.watch() ... doall.report()                 # where the time went

The guide: docs/guide/python.md.
"""

from ._library import native as _native
from ._loops import for_signature, parallel_for, parallel_reduce, reduce_signature
from ._numba import numba
from ._report import Report, report, watch
from ._settings import max_threads, schedule, threads

# Without "openmp": to import it changes the process.
__all__ = ["Report", "for_signature", "max_threads", "numba", "parallel_for", "parallel_reduce",
           "reduce_signature", "report", "schedule", "threads", "watch"]
__version__ = _native.doall_version().decode()


def __getattr__(name):
    if name == "openmp":
        import importlib
        return importlib.import_module("doall.openmp")
    raise AttributeError(f"module 'doall' has no attribute {name!r}")
