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


@case("Cython", "numpy", "setuptools")
def loops_in_cython():
    """
    import subprocess, sysconfig, tempfile
    import doall, numpy as np
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/cubes.pyx", "w") as file:
            file.write(
                "from libc.stdint cimport int64_t\\n"
                "cdef api int cube(void** arrays, int64_t first, int64_t last) noexcept nogil:\\n"
                "    cdef double* x = <double*> arrays[0]\\n"
                "    cdef int64_t i\\n"
                "    for i in range(first, last): x[i] = x[i] * x[i] * x[i]\\n"
                "    return 0\\n"
                "cdef api int other(int x) noexcept nogil: return x\\n")
        subprocess.run([sys.executable, "-m", "cython", "-3", folder + "/cubes.pyx"], check=True)
        subprocess.run(["cc", "-shared", "-fPIC", "-I" + sysconfig.get_path("include"),
                        folder + "/cubes.c", "-o", folder + "/cubes.so"], check=True)
        sys.path.insert(0, folder)
        import cubes
    x = np.arange(1000.0)
    doall.parallel_for(1000, cubes.__pyx_capi__["cube"], x)
    assert (x == np.arange(1000.0) ** 3).all()
    raises(TypeError, "expected a function of 3 parameters", doall.parallel_for, 1,
           cubes.__pyx_capi__["other"], x)
    """


@case("sklearn", "lightgbm", "xgboost", "threadpoolctl")
def packages_are_served():
    """
    import doall.openmp
    import lightgbm, numpy as np, sklearn.ensemble, xgboost, numba
    from threadpoolctl import threadpool_info, threadpool_limits
    doall.watch()
    x = np.random.default_rng(0).random((4000, 20))
    y = (x[:, 0] > 0.5).astype(int)
    sklearn.ensemble.HistGradientBoostingClassifier(max_iter=10).fit(x, y)
    lightgbm.train({"objective": "binary", "verbose": -1}, lightgbm.Dataset(x, y), 10)
    xgboost.XGBClassifier(n_estimators=10).fit(x, y)
    numba.config.THREADING_LAYER = "omp"
    @numba.njit(parallel=True)
    def total(a):
        found = 0.0
        for i in numba.prange(a.size):
            found += a[i]
        return found
    assert abs(total(x[:, 0].copy()) - x[:, 0].sum()) < 1e-8
    assert numba.threading_layer() == "omp"
    report = doall.report()
    for name in ("sklearn", "lightgbm", "xgboost", "omppool"):
        assert name in report, (name, report)
    def seen(prefix):
        return {p["num_threads"] for p in threadpool_info() if prefix in p["filepath"]}
    with doall.threads(1):
        assert seen("/doall/omp/") == {1} and seen("/libdoall.so") == {1}, threadpool_info()
    with threadpool_limits(1):
        assert {p["num_threads"] for p in threadpool_info()} == {1}, threadpool_info()
        assert doall.max_threads() == 1
    assert doall.max_threads() == min(seen("/libdoall.so"))
    """


@case("sklearn", "joblib")
def workers_are_served():
    """
    import doall.openmp
    doall.openmp(children=True)
    import multiprocessing, tempfile, joblib
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/work.py", "w") as file:
            file.write("def served(seed):\\n"
                       "    import numpy, sklearn.ensemble, doall.openmp\\n"
                       "    doall.watch()\\n"
                       "    x = numpy.random.default_rng(seed).random((500, 5))\\n"
                       "    sklearn.ensemble.HistGradientBoostingRegressor(max_iter=3).fit(x, x[:, 0])\\n"
                       "    return 'sklearn' in doall.report()\\n")
        sys.path.insert(0, folder)
        os.environ["PYTHONPATH"] += ":" + folder
        from work import served
        assert all(joblib.Parallel(2)(joblib.delayed(served)(i) for i in range(4)))
        for how in ("spawn", "forkserver", "fork"):
            with multiprocessing.get_context(how).Pool(2) as pool:
                assert all(pool.map(served, range(4))), how
    """


@case("nbclient", "ipykernel", "sklearn")
def a_notebook_shows_the_report():
    """
    import nbclient, nbformat
    cells = ["import doall.openmp; doall.watch()",
             "import numpy as np; from sklearn.ensemble import HistGradientBoostingRegressor as H",
             "x = np.random.default_rng(1).random((2000, 5)); H(max_iter=5).fit(x, x[:, 0]);",
             "doall.report()"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    shown = [o.get("data", {}) for o in book.cells[-1].outputs]
    pages = [d["text/html"] for d in shown if "text/html" in d]
    assert len(pages) == 1 and "sklearn" in pages[0] and "region" in pages[0], book.cells[-1]
    errors = [o for c in book.cells for o in c.outputs if o.output_type in ("error", "stream")]
    assert not errors, errors
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
