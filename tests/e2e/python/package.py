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
    for n in (1.5, "2", None):
        raises(TypeError, f"{n!r} threads, expected an integer", doall.threads, n)
        raises(TypeError, f"a loop of {n!r} iterations", doall.parallel_for, n, bodies.stops)
    for bad in ([1.0], "text", memoryview(b"1234"), b"1234", None, object()):
        raises(TypeError, "argument 0 is", doall.parallel_for, 1, bodies.stops, bad)
    for body in (0, -1, 1 << 64, ctypes.CFUNCTYPE(None)(0)):
        raises(ValueError, "the body is at address", doall.parallel_for, 1, body)
    nowhere = Array([1.0])
    nowhere.__array_interface__["data"] = (0, False)
    raises(ValueError, "has no address", doall.parallel_for, 1, bodies.stops, nowhere)
    raises(RuntimeError, "call doall.watch() before", doall.report)
    raises(RuntimeError, "called too late", doall.watch)
    """


@case()
def to_ask_for_a_report_settles_nothing():
    """
    import doall
    for again in range(2):
        raises(RuntimeError, "call doall.watch() before", doall.report)
    with doall.schedule("guided"), doall.threads(1):
        assert doall.max_threads() == 1
    doall._library.native.doall_wait_begin()
    doall._library.native.doall_wait_end()
    doall.watch()
    assert "squares" not in doall.report()
    doall.parallel_for(10, bodies.squares, Array([0] * 10), Array([0] * 10))
    assert "squares" in doall.report()
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
def all_names_leave_openmp_alone():
    """
    library = ctypes.CDLL(os.environ["BODIES"] + ".openmp")
    library.openmp_sum(10)  # on another runtime: too late for doall.openmp
    from doall import *
    assert "doall.openmp" not in sys.modules and "openmp" not in globals()
    assert callable(parallel_for) and callable(threads)
    """


@case()
def places_of_threads_are_one():
    """
    import threading
    from doall import _loops
    class Slow(dict):  # in which all threads miss a text before one of them has added it
        def get(self, text):
            found = dict.get(self, text)
            together.wait()
            return found
    _loops._texts = Slow()
    together, kept = threading.Barrier(4), []
    threads = [threading.Thread(target=lambda: kept.append(_loops._kept("place"))) for _ in range(4)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert len(kept) == 4 and all(k is _loops._texts["place"] for k in kept)
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


@case()
def doall_run_serves_openmp():
    """
    # Under `doall run` OpenMP's functions are those of a library that opens doall's when it is
    # called. A wheel's renamed libgomp comes too late to serve anything.
    import doall, glob, shutil, subprocess, tempfile
    inside = (
        "import ctypes, os, sys\\n"
        "ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)\\n"
        "import doall, doall.openmp\\n"
        "library = ctypes.CDLL(os.environ['BODIES'] + '.openmp')\\n"
        "omp = ctypes.CDLL(None)\\n"
        "with doall.threads(1):\\n"
        "    print(omp.omp_get_max_threads(), library.openmp_sum(1000))\\n"
        "with doall.threads(3):\\n"
        "    print(omp.omp_get_max_threads(), library.openmp_sum(1000))\\n"
        "maps = open('/proc/self/maps').read().split()\\n"
        "print(len({p for p in maps if '/libdoall.so' in p}))\\n")
    libgomp = subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True,
                             text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        wheels = shutil.copy(libgomp, folder + "/libgomp-0123abcd.so.1.0.0")
        done = subprocess.run([doall._library.command(), "run", sys.executable, "-c", inside, wheels],
                              capture_output=True, text=True)
    assert done.stdout == "1 499500\\n3 499500\\n1\\n" and not done.stderr, done
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


@case("numpy")
def what_a_body_returns_is_its_own():
    """
    # Also where it is a number by which doall could say something itself.
    import concurrent.futures, doall
    def run(code):
        x = Array([code])
        if code == 0:
            doall.parallel_for(100, bodies.returns, x)
            assert doall.parallel_reduce(100, bodies.returns_of, x, identity=0.0) == 0.0
            return
        raises(RuntimeError, f"returns returned {code}, expected 0", doall.parallel_for, 100,
               bodies.returns, x)
        for identity in (0.0, 0):
            raises(RuntimeError, f"returns_of returned {code}, expected 0", doall.parallel_reduce,
                   100, bodies.returns_of, x, identity=identity)
            raises(RuntimeError, f"returns_of returned {code}, expected 0", doall.parallel_reduce,
                   100, bodies.returns_of, x, identity=identity, combine=bodies.add_two)
    with concurrent.futures.ThreadPoolExecutor(1) as elsewhere:
        for code in (*range(-130, 131), 2**31 - 1, -2**31):
            run(code)  # Ctrl-C would end it
            elsewhere.submit(run, code).result()  # and not this one
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


@case("numba")
def arrays_are_as_in_numba():
    """
    import doall, numba, numpy as np, tempfile
    @numba.njit
    def inc(i, a): a[i] += 1
    @numba.njit
    def copy(i, a, b): b[i] = a[i]
    @numba.njit
    def total(i, a): return a[i]

    # What may not be written to is not: nothing has run. It may be read.
    frozen = np.frombuffer(b"\\0" * 80)
    file = tempfile.NamedTemporaryFile(); file.write(b"\\0" * 80); file.flush()
    mapped = np.memmap(file.name, dtype=np.float64, mode="r")
    view = np.zeros(10); view.flags.writeable = False
    wide = np.broadcast_to(np.zeros(1), (10,))
    captured = np.zeros(10)
    @numba.njit
    def inc_captured(i): captured[i] += 1
    @numba.njit
    def through_another(i, a): inc(i, a)
    @numba.njit
    def by_flat(i, a): a.flat[i] = 1
    @numba.njit
    def by_flat_of_view(i, a): a[i:].flat[0] = 1
    @numba.njit
    def by_iterator(i, a):
        for x in np.nditer(a): x[()] = 1
    @numba.njit
    def flat_sum(i, a, to):
        for x in a.flat: to[i] += x
        to[i] += a.flat[i] + len(a.flat)
    for a in (frozen, mapped, view, wide):
        for body in (by_flat, by_flat_of_view, by_iterator):
            raises(TypeError, "read-only", doall.parallel_for, 10, body, a)
        sums = np.zeros(10)
        doall.parallel_for(10, flat_sum, a, sums)
        assert (sums == a.size).all()
        for body in (inc, through_another):
            raises(TypeError, "writes to argument 0, which is read-only", doall.parallel_for, 10, body, a)
        raises(TypeError, "writes to argument 1", doall.parallel_for, 10, copy, np.ones(10), a)
        assert not a.any()
        to = np.ones(10)
        doall.parallel_for(10, copy, a, to)
        assert not to.any()
        assert doall.parallel_reduce(10, total, a, identity=0.0) == 0
    raises(TypeError, "read-only", doall.parallel_for, 10, inc_captured)
    writable = np.memmap(file.name, dtype=np.float64, mode="r+")
    doall.parallel_for(10, inc, writable)
    assert (writable == 1).all()

    # Records, of any layout; strides of any kind; no elements, no dimensions.
    @numba.njit
    def inc_x(i, a): a[i].x += a[i].y
    for aligned in (False, True):
        a = np.zeros(10, np.dtype([("x", "f8"), ("y", "i4")], align=aligned))
        a["y"] = 3
        doall.parallel_for(10, inc_x, a)
        assert (a["x"] == 3).all()
    # Nor through their records.
    fields = [("x", "f8"), ("y", "i4"), ("in", [("z", "f8")]), ("row", "f4", (3,))]
    fixed = np.zeros(10, fields); fixed["x"] = 2; fixed.flags.writeable = False
    @numba.njit
    def by_name(i, a): a[i]["y"] = 1
    @numba.njit
    def alias(i, a):
        one = a[i]
        one.x = 1
    @numba.njit
    def inside(i, a): a[i]["in"].z = 1
    @numba.njit
    def in_row(i, a): a[i].row[1] = 1
    for body in (inc_x, by_name, alias, inside, in_row):
        raises(TypeError, "writes to argument 0, which is read-only", doall.parallel_for, 10, body, fixed)
    @numba.njit
    def same(i, a, b):
        b[i] = a[i]
        b[i].y = a[i].row[1] + 1
    copied = np.zeros(10, fields)
    doall.parallel_for(10, same, fixed, copied)
    assert (copied["x"] == 2).all() and (copied["y"] == 1).all() and not fixed["y"].any()
    @numba.njit
    def in_place(i, a): a += 1
    raises(TypeError, "read-only", doall.parallel_for, 10, in_place, view)
    one = a[0].copy()
    @numba.njit
    def use(i, record, to): to[i] = record.y
    doall.parallel_for(10, use, one, to)
    assert (to == 3).all()
    @numba.njit
    def inc_row(i, a): a[i, :] += i
    base = np.zeros((20, 30))
    for a in (base, base.T[:20], base[::2], base[::-1], base[:, ::3], np.asfortranarray(base),
              np.zeros((10, 0)), base.astype(np.float32)):
        a[...] = 0
        doall.parallel_for(len(a), inc_row, a)
        assert (a == np.arange(len(a))[:, None]).all()
    @numba.njit
    def inc_all(i, a): a[()] += 1
    zero = np.zeros(())
    doall.parallel_for(1, inc_all, zero)
    assert zero == 1
    doall.parallel_for(0, inc, np.zeros(0))
    @numba.njit
    def use_numbers(i, a, b, f, c, n):
        if b:
            a[i] = f + c.imag + n
    a = np.zeros(10)
    doall.parallel_for(10, use_numbers, a, True, np.float32(1), 2j, np.int8(3))
    assert (a == 6).all()

    for bad in ([1.0, 2.0], "text", b"1234", memoryview(b"1234"), None, (1,), {}, 1 << 70,
                np.zeros(3, object), np.zeros(3, ">f8"), np.ma.zeros(3), np.array(["a"])[:0].tolist()):
        raises(TypeError, "argument 0 is", doall.parallel_for, 1, inc, bad)
    raises(TypeError, "the identity is of type >f8", doall.parallel_reduce, 1, total, a,
           identity=np.zeros((), ">f8"))
    @numba.cfunc(doall.for_signature())
    def nothing(arrays, first, last): return 0
    raises(TypeError, "has Python objects", doall.parallel_for, 1, nothing, np.zeros(3, object))
    raises(TypeError, "argument 0 is", doall.parallel_for, 1, nothing, np.float64(1))
    raises(ValueError, "has gaps", doall.parallel_for, 1, nothing, base.T)
    """


@case("numba")
def what_numba_cannot_compile_is_a_type_error():
    """
    import doall, numba, numpy as np
    each, reduced, njit = doall.parallel_for, doall.parallel_reduce, numba.njit
    @njit
    def one(i): return 1.0
    @njit
    def two(i, a): return a[i]
    @njit
    def add(left, right): return left + right
    @njit
    def adds(i, value): pass
    @njit
    def any_number(i, *more): return 1.0
    @njit
    def defaulted(i, by=2.0): return by
    @njit("float64(int64)")
    def declared(i): return 1.0
    @njit("float64(int64, complex128)")
    def declared_otherwise(i, x): return 1.0
    @njit
    def unknown(i): return i.unknown
    @njit
    def imports(i):
        import os
        return 1.0
    @njit
    def mixed(i): return [1, "a"]
    a, none = np.ones(4), np.zeros(2)

    # The number of arguments.
    raises(TypeError, "two takes (i, a), expected a function of 1 parameter: the index; nothing",
           each, 4, two)
    raises(TypeError, "one takes (i), expected a function of 3 parameters: the index, the 2 arg",
           each, 4, one, a, 1)
    raises(TypeError, "one takes (i), expected a function of 2 parameters: 2 indices", each, (2, 2),
           one)
    raises(TypeError, "two takes (i, a), expected a function of 1 param", reduced, 4, two,
           identity=0.0)
    raises(TypeError, "one takes (i), expected a function of 2 parameters: the index, the value",
           reduced, 4, one, identity=none)
    raises(TypeError, "one takes (i), expected a function of 2 parameters: left, right", reduced, 4,
           one, identity=0.0, combine=one)
    for body in (any_number, defaulted):
        assert reduced(4, body, identity=0.0) in (4.0, 8.0)
        assert reduced(4, body, 1.0, identity=0.0) == 4.0
    assert reduced(4, declared, identity=0.0) == 4.0

    # What is in the body.
    for body, why in ((unknown, "Unknown attribute"), (imports, "IMPORT_NAME")):
        raises(TypeError, f"cannot compile {body.__name__} for (int64), expected", each, 4, body)
        raises(TypeError, why, reduced, 4, body, identity=0.0)
    raises(TypeError, "numba cannot compile mixed for (int64)", reduced, 4, mixed, identity=0.0)
    for run, how in ((each, {}), (reduced, {"identity": 0.0})):
        raises(TypeError, "compile declared_otherwise for (int64, array(float64, 1d, C))", run, 4,
               declared_otherwise, a, **how)
    raises(TypeError, "numba cannot compile two for (float64, float64)", reduced, 4, one,
           identity=0.0, combine=two)
    raises(TypeError, "combine is None, expected a compiled function", reduced, 4, one,
           identity=0.0, combine=None)

    # Types that numba knows, and has no values of.
    for combine in ("sum", add):
        raises(TypeError, "the identity is of type float16, expected numbers", reduced, 4, one,
               identity=np.float16(0), combine=combine)
        raises(TypeError, "the identity is of type float16, expected numbers", reduced, 4, adds,
               identity=none.astype(np.float16), combine=combine)
    for bad in (np.zeros(2, "M8[s]"), np.zeros(2, "U3"), np.zeros(2, [("x", "f2")])):
        raises(TypeError, f"the identity is of type {bad.dtype}, expected", reduced, 4, adds,
               identity=bad, combine=add)
    raises(TypeError, "argument 0 is an array of float16", each, 4, two, a.astype(np.float16))
    raises(TypeError, "argument 0 is", each, 4, two, np.float16(1))
    raises(TypeError, "numba has no values of type", each, 4, two, np.zeros(4, [("x", "f2")]))
    """


@case("numba")
def spaces():
    """
    import doall, numba, numpy as np
    @numba.njit
    def put(i, j, a): a[i, j] += 10 * i + j
    @numba.njit
    def put3(i, j, k, a): a[i, j, k] += 100 * i + 10 * j + k
    @numba.njit
    def get(i, j, a): return a[i, j]
    @numba.njit
    def column(i, j, value, a): value[j] += a[i, j]
    expected = 10 * np.arange(7)[:, None] + np.arange(300)
    for tiles in (None, (1, 1), (2, 64), (100, 1000)):
        for how in (None, "dynamic,1", "affinity"):
            a = np.zeros((7, 300))
            doall.parallel_for((7, 300), put, a, tiles=tiles, schedule=how)
            assert (a == expected).all()
            assert doall.parallel_reduce(a.shape, get, a, identity=0.0, tiles=tiles) == a.sum()
            sums = doall.parallel_reduce(a.shape, column, a, identity=np.zeros(300), schedule=how)
            assert (sums == a.sum(0)).all()
    a = np.zeros((4, 5, 6))
    doall.parallel_for(a.shape, put3, a, costs=np.ones(20))
    assert (a == 100 * np.arange(4)[:, None, None] + 10 * np.arange(5)[:, None] + np.arange(6)).all()
    doall.parallel_for((0, 5), put, a[0])
    raises(ValueError, "tiles of (2,)", doall.parallel_for, (3, 3), put, a[0], tiles=(2,))
    raises(ValueError, "tiles of (0, 1)", doall.parallel_for, (3, 3), put, a[0], tiles=(0, 1))
    raises(ValueError, "a space of (3, -1)", doall.parallel_for, (3, -1), put, a[0])
    raises(ValueError, "a space of ()", doall.parallel_for, (), put, a[0])
    raises(TypeError, "a space of (3, 1.5)", doall.parallel_for, (3, 1.5), put, a[0])
    raises(ValueError, "tiles of (3, 3) for a loop of 3", doall.parallel_for, 3, put, a, tiles=(3, 3))
    raises(TypeError, "expected a function of njit", doall.parallel_for, (3, 3), bodies.stops, a)
    """


@case("numba")
def compiled_bodies_are_kept():
    """
    import doall, gc, glob, numba, numpy as np, subprocess, tempfile
    from doall import _jit
    a = np.zeros(4)
    _jit._MOST = 3
    for k in range(8):
        @numba.njit
        def put(i, a): a[i] = k
        doall.parallel_for(4, put, a)
        assert (a == k).all()
    assert len(_jit._kept) == 3

    # numba's cache: a second process compiles nothing; a changed body is compiled again.
    with tempfile.TemporaryDirectory() as folder:
        program = folder + "/program.py"
        def write(constant):
            with open(program, "w") as file:
                file.write("import doall, numba, numpy as np\\n"
                           "made = []\\n"
                           "from numba.core import event\\n"
                           "class Count(event.Listener):\\n"
                           "    def on_start(self, e): made.append(e)\\n"
                           "    def on_end(self, e): pass\\n"
                           "event.register('numba:compile', Count())\\n"
                           "@numba.njit(cache=True)\\n"
                           f"def put(i, a): a[i] = {constant}\\n"
                           "@numba.njit(cache=True)\\n"
                           f"def get(i, a): return a[i]\\n"
                           "a = np.zeros(4)\\n"
                           "doall.parallel_for(4, put, a)\\n"
                           "s = doall.parallel_reduce(4, get, a, identity=0.0)\\n"
                           "print(a[0], s, len(made))\\n")
        def run(constant):
            done = subprocess.run([sys.executable, program], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            value, total, compiled = done.stdout.split()
            assert float(value) == constant and float(total) == 4 * constant, done.stdout
            return int(compiled)
        write(1)
        assert run(1) > 0
        assert run(1) == 0
        write(22)
        assert run(22) > 0
        assert run(22) == 0
    """


@case("numba")
def control_c_ends_a_loop():
    """
    import doall, math, numba, numpy as np, signal, threading, time
    # Serves as a clock of the loop's own: how much has run.
    @numba.njit
    def slow(i, a):
        for k in range(40_000):
            a[i] += math.sqrt(k)
    @numba.njit
    def slow_sum(i, a):
        s = 0.0
        for k in range(40_000):
            s += math.sqrt(k)
        a[i] = 1
        return s
    @numba.cfunc(doall.for_signature())
    def slow_body(arrays, first, last):
        a = numba.carray(arrays[0], 1, np.float64)
        for i in range(first, last):
            for k in range(40_000):
                a[i] += math.sqrt(k)
        return 0
    n = 400_000   # a minute or more
    def interrupted(run, **how):
        a = np.zeros(n)
        def interrupt():
            while not a.any():   # until the loop runs
                time.sleep(0.01)
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt).start()
        try:
            run(a, **how)
        except KeyboardInterrupt:
            pass
        else:
            raise AssertionError("expected KeyboardInterrupt")
        assert 0 < np.count_nonzero(a) < n / 4, np.count_nonzero(a)
        time.sleep(0)   # no second one is pending
    for how in (None, "static", "dynamic,1"):
        interrupted(lambda a, **h: doall.parallel_for(n, slow, a, **h), schedule=how)
        interrupted(lambda a, **h: doall.parallel_for(n, slow_body, a, **h), schedule=how)
        interrupted(lambda a, **h: doall.parallel_reduce(n, slow_sum, a, identity=0.0, **h),
                    schedule=how)
    # A loop in a callback of another one ends with that.
    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    def callback(arrays, first, last):
        try:
            if threading.current_thread() is threading.main_thread():
                doall.parallel_for(1, slow, b)
            time.sleep(0.01)
            return 0
        except KeyboardInterrupt:
            return 1
    b = np.zeros(1)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        doall.parallel_for(100_000, callback)
    except (KeyboardInterrupt, RuntimeError):
        pass
    else:
        raise AssertionError("expected KeyboardInterrupt")
    # Loops run on, and a handler of the program's is called after the loop.
    a = np.zeros(100)
    doall.parallel_for(100, slow, a)
    seen = []
    signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    b = np.zeros(5000)
    doall.parallel_for(5000, slow, b)
    assert b.all()
    timer.join()
    assert seen == [1]
    """


@case("numba", "numpy")
def numbas_prange():
    """
    import doall, numba, numpy as np
    doall.numba()
    doall.numba()

    @numba.njit(parallel=True)
    def triangle(n, out):
        for i in numba.prange(n):
            total = 0.0
            for j in range(i):
                total += np.sqrt(1.0 * j)
            out[i] += total

    @numba.njit(parallel=True)
    def sums(x):
        total, most = 0.0, -1.0
        for i in numba.prange(x.size):
            total += x[i]
            most = max(most, x[i])
        return total, most

    @numba.njit(parallel=True)
    def nested(n, out):
        for i in numba.prange(n):
            for j in numba.prange(i):
                out[i, j] += 1

    @numba.njit(parallel=True)
    def arrays(x, y):
        return np.sum(np.sqrt(x) * y + 1.0)

    def check():
        for n in (0, 1, 7, 1000):
            out, expected = np.zeros(n), np.zeros(n)
            triangle(n, out)
            for i in range(n):
                expected[i] = np.sqrt(np.arange(i) * 1.0).sum()
            assert np.allclose(out, expected)
            x = np.arange(n) * 1.0
            if n:
                assert sums(x) == (n * (n - 1) / 2, n - 1.0)
            out = np.zeros((n, n))
            nested(n, out)
            assert (out == np.tri(n, k=-1)).all()
            assert np.isclose(arrays(x, x), (np.sqrt(x) * x + 1).sum())

    check()
    for how in ("guided,4", "affinity"):
        with doall.schedule(how):
            check()
    numba.set_num_threads(1)
    check()
    numba.set_parallel_chunksize(3)
    check()
    pid = os.fork()  # the child has threads of its own
    if pid == 0:
        check()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    check()
    """


@case("numba", "numpy")
def numbas_prange_is_dealt():
    """
    # By costs that grow, a schedule that balances ends with the same sums as numba's static blocks,
    # and each thread's number is below the number of threads.
    import doall, numba, numpy as np
    doall.numba()

    @numba.njit(parallel=True)
    def numbers(n, out):
        for i in numba.prange(n):
            total = 0.0
            for j in range(2000):
                total += np.sqrt(1.0 * j)
            out[i] = numba.np.ufunc.parallel._iget_thread_id() + (total < 0)

    out = np.full(10000, -1)
    numbers(10000, out)
    assert out.min() >= 0 and out.max() < numba.get_num_threads(), (out.min(), out.max())
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
