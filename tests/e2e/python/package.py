#!/usr/bin/env python3
"""The Python package, from the build: what each of its functions promises.

    package.py PACKAGE LIBRARIES BODIES

PACKAGE: the folder python/; LIBRARIES: that of libdoall.so.0; BODIES: bodies.c as a library. Each
case is a program, for an import cannot be undone. A case that needs a package which is not there is
skipped, and says so.
"""

import importlib.util
import os
import subprocess
import sys
import textwrap

CASES = {}


def case(*needs):
    def add(function):
        CASES[function.__name__] = (needs, textwrap.dedent(function.__doc__))
    return add


BEGIN = """
import ctypes, os, sys
bodies = ctypes.CDLL(os.environ["BODIES"])

def raises(kind, text, function, *arguments, **named):
    try:
        function(*arguments, **named)
    except kind as e:
        assert text in str(e), str(e)
    else:
        raise AssertionError(f"expected {kind.__name__}: {text}")

class Array:
    def __init__(self, numbers, strides=None):
        self.numbers = (ctypes.c_double * len(numbers))(*numbers)
        self.__array_interface__ = {"shape": (len(numbers),), "typestr": "<f8", "version": 3,
            "data": (ctypes.addressof(self.numbers), False), "strides": strides}
"""


@case()
def loops_in_c():
    """
    import doall
    for n in (0, 1, 2, 1000):
        for how in (None, "static", "guided,3", doall.schedule("dynamic")):
            out, x = Array([1.0] * (n + 1)), Array(range(n + 1))
            doall.parallel_for(n, bodies.squares, out, x, schedule=how)
            assert list(out.numbers) == [1.0 + i * i for i in range(n)] + [1.0]
            costs = Array(range(n))
            doall.parallel_for(n, ctypes.cast(bodies.squares, ctypes.c_void_p).value, out, x,
                               costs=costs, schedule=how)
            assert list(out.numbers) == [1.0 + 2 * i * i for i in range(n)] + [1.0]
    """


@case()
def errors_name_the_value():
    """
    import doall
    x = Array(range(100))
    raises(RuntimeError, "returned 7, expected 0", doall.parallel_for, 100, bodies.stops, x)
    raises(ValueError, 'unknown schedule "no"', doall.parallel_for, 1, bodies.stops, schedule="no")
    raises(ValueError, 'unknown schedule "no"', doall.schedule, "no")
    raises(TypeError, "the schedule is 4", doall.schedule, 4)
    raises(ValueError, "-1 iterations", doall.parallel_for, -1, bodies.stops)
    raises(TypeError, "the body is None", doall.parallel_for, 1, None)
    raises(TypeError, "the body is <function <lambda>", doall.parallel_for, 1, lambda: 0)
    raises(TypeError, "argument 1 is 3", doall.parallel_for, 1, bodies.stops, x, 3)
    raises(ValueError, "has gaps", doall.parallel_for, 1, bodies.stops, Array([1], (16,)))
    raises(ValueError, "shape (100,), expected (5,)", doall.parallel_for, 5, bodies.stops, costs=x)
    for n in (0, 1025):
        raises(ValueError, f"{n} threads, expected 1 to 1024", doall.threads, n)
    raises(RuntimeError, "call doall.watch() before", doall.report)
    raises(RuntimeError, "called too late", doall.watch)
    """


@case()
def settings_are_restored():
    """
    import doall
    from doall import _library
    def default():
        text = ctypes.create_string_buffer(99)
        _library.native.doall_get_schedule(text, 99)
        return text.value.decode()
    assert default() == ""
    outer = doall.schedule("guided,k=2")
    with outer:
        assert default() == str(outer)
        with doall.schedule("dynamic,8"), outer:
            assert default() == str(outer)
        assert default() == str(outer)
        try:
            with doall.schedule("static"):
                1 / 0
        except ZeroDivisionError:
            assert default() == str(outer)
    assert default() == ""
    usual = doall.max_threads()
    with doall.threads(1):
        assert doall.max_threads() == 1
        with doall.threads(2):
            assert doall.max_threads() == min(2, os.cpu_count())
        assert doall.max_threads() == 1
    assert doall.max_threads() == usual
    """


@case()
def openmp_is_served():
    """
    import doall.openmp
    doall.watch()
    library = ctypes.CDLL(os.environ["BODIES"] + ".openmp")
    library.openmp_sum.restype, library.openmp_sum.argtypes = ctypes.c_long, [ctypes.c_long]
    omp = ctypes.CDLL(None)
    with doall.schedule("guided,7"), doall.threads(2):
        assert omp.omp_get_max_threads() == 2
        assert library.openmp_sum(1000) == 499500
    report = doall.report()
    assert "openmp_sum" in report and "guided,7" in report, report
    assert isinstance(report, str) and report._repr_html_().startswith("<iframe")
    before = os.environ.get("LD_PRELOAD")
    doall.openmp(children=True)
    doall.openmp(children=True)
    assert os.environ["LD_PRELOAD"].count("libgomp.so.1") == 1
    import subprocess
    child = subprocess.run([sys.executable, "-c", "print('libdoall-omp' in open('/proc/self/maps')"
                            ".read())"], capture_output=True, text=True)
    assert child.stdout == "True\\n" and not child.stderr, child
    """


@case()
def too_late_names_who_was_first():
    """
    library = ctypes.CDLL(os.environ["BODIES"] + ".openmp")
    library.openmp_sum(10)
    import doall
    for again in range(2):
        try:
            doall.openmp
        except ImportError as e:
            assert type(e).__name__ == "TooLate", e
            assert "libgomp.so.1" in str(e) and os.environ["BODIES"] + ".openmp" in str(e), e
        else:
            raise AssertionError("expected TooLate")
    assert "libdoall-omp" not in open("/proc/self/maps").read()
    """


@case("numpy")
def reductions_in_c():
    """
    import doall, numpy as np
    x = np.random.default_rng(1).random(10_000)
    results = set()
    for threads in (1, 2, 3):
        for how in (None, "dynamic", "cyclic"):
            with doall.threads(threads):
                results.add(doall.parallel_reduce(10_000, bodies.add, x, identity=0.0, schedule=how))
                results.add(doall.parallel_reduce(10_000, bodies.add, x, identity=0.0, schedule=how,
                                                  combine=bodies.add_two))
    assert len(results) == 1 and abs(results.pop() - x.sum()) < 1e-8
    assert doall.parallel_reduce(0, bodies.add, x, identity=3.0) == 3.0
    raises(ValueError, 'combine is "mean"', doall.parallel_reduce, 1, bodies.add, x, identity=0.0,
           combine="mean")
    raises(TypeError, "float16", doall.parallel_reduce, 1, bodies.add, x, identity=np.float16(0))
    raises(TypeError, "costs are of type", doall.parallel_for, 1, bodies.stops, x, costs=["a"])
    """


@case("numba")
def loops_in_numba():
    """
    import doall, numba, numpy as np
    @numba.njit
    def row(i, out, x, c):
        out[i] = x[i].sum() + c
    x = np.random.default_rng(2).random((500, 7))
    out = np.zeros(500)
    for how in (None, "guided", "static"):
        out[:] = 0
        doall.parallel_for(500, row, out, x, 2.5, schedule=how, costs=np.arange(500))
        assert np.allclose(out, x.sum(1) + 2.5, rtol=1e-14)
    @numba.cfunc(doall.for_signature())
    def body(arrays, first, last):
        out = numba.carray(arrays[0], 500, np.float64)
        for i in range(first, last):
            out[i] = i
        return 0
    doall.parallel_for(500, body, out)
    assert (out == np.arange(500)).all()
    @numba.njit
    def raising(i, out):
        if i == 77:
            raise ValueError("no")
        out[i] = 1
    raises(RuntimeError, "raising raised an exception in iteration 77", doall.parallel_for, 100,
           raising, out)
    @numba.njit
    def number(i, x):
        return x[i, 0]
    @numba.njit
    def larger(a, b):
        return max(a, b)
    for combine, expected in (("max", x[:, 0].max()), ("min", x[:, 0].min()),
                              (larger, x[:, 0].max()), ("sum", x[:, 0].sum())):
        identity = {"min": 9.0}.get(combine, 0.0)
        got = doall.parallel_reduce(500, number, x, identity=identity, combine=combine)
        assert abs(got - expected) < 1e-9, (combine, got, expected)
    raises(TypeError, "returns float64, expected", doall.parallel_reduce, 1, number, x, identity=0)
    @numba.njit
    def bin(i, bins, x):
        bins[int(8 * x[i, 0])] += 1
    bins = doall.parallel_reduce(500, bin, x, identity=np.zeros(8, np.int64))
    assert (bins == np.bincount((8 * x[:, 0]).astype(int), minlength=8)).all()
    """


def main():
    package, libraries, bodies = sys.argv[1:]
    chosen = ("OMP_", "GOMP_", "KMP_", "DOALL_", "LD_PRELOAD", "LD_LIBRARY_PATH")
    env = {k: v for k, v in os.environ.items() if not k.startswith(chosen)}
    env |= {"PYTHONPATH": package, "DOALL_LIBRARY_FOLDER": libraries, "BODIES": bodies,
            "PYTHONDONTWRITEBYTECODE": "1", "DOALL_OVERSUBSCRIBE": "false"}
    failures = 0
    for name, (needs, code) in CASES.items():
        missing = [n for n in needs if importlib.util.find_spec(n) is None]
        if missing:
            print(f"{name}: skipped, there is no {missing[0]} (`make python` installs it)")
            continue
        done = subprocess.run([sys.executable, "-c", BEGIN + code], env=env, capture_output=True,
                              text=True, timeout=300)
        failures += done.returncode != 0
        print(f"{name}: {'failed' if done.returncode else 'passed'}")
        if done.returncode:
            print(done.stdout + done.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
