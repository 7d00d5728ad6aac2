"""Parallel loops over numpy arrays, with compiled bodies."""

import ctypes
import operator
import os
import signal
import sys
import threading

from . import _bodies as bodies
from . import _library as library
from . import _space
from ._settings import schedule as a_schedule

COMBINATIONS = ("sum", "product", "min", "max")  # in the order of loops.c

_KINDS = {"u8": 2, "i8": 3, "f8": 4}  # abi.h's DOALL_COSTS_...
# loops.c's outcomes.
_ENDED, _STOPPED, _INTERRUPTED, _NO_MEMORY, _NO_COMBINATION = range(5)
_texts = {}  # the runtime tells places of the source apart by the addresses of these


def _kept(text):
    # One for all threads, which may come at once.
    return _texts.get(text) or _texts.setdefault(text, os.fsencode(text))


def _costs(costs, n):
    """The costs as an array whose type the runtime reads, and its kind."""
    about = getattr(costs, "__array_interface__", None)
    kind = about and about.get("strides") is None and _KINDS.get(about["typestr"].lstrip("<"))
    if not kind:
        import numpy as np
        costs = np.asarray(costs)
        if costs.dtype.kind not in "uif":
            raise TypeError(f"costs are of type {costs.dtype}, expected numbers; nothing has run")
        costs = np.ascontiguousarray(costs, costs.dtype.kind + "8")
        about = costs.__array_interface__
        kind = _KINDS[about["typestr"].lstrip("<")]
    if about["shape"] != (n,):
        raise ValueError(f"costs have the shape {about['shape']}, expected ({n},), a number for "
                         "each iteration; nothing has run")
    return costs, kind


def _is_interruptible():
    """Whether Ctrl-C would raise KeyboardInterrupt in this thread."""
    return (threading.get_ident() == threading.main_thread().ident and
            signal.getsignal(signal.SIGINT) is signal.default_int_handler)


def _describe(n, name, schedule, costs, caller):
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError(f"a loop of {n!r} iterations, expected an integer from 0 to 2^63 - 1; "
                        "nothing has run") from None
    if not 0 <= n < 1 << 63:
        raise ValueError(f"a loop of {n} iterations, expected 0 to 2^63 - 1; nothing has run")
    loop = library.Loop(file=_kept(caller.f_code.co_filename), line=caller.f_lineno,
                        function=_kept(name), iterations=n,
                        stops_at_interrupt=_is_interruptible())
    if schedule is not None:
        if not isinstance(schedule, a_schedule):
            schedule = a_schedule(schedule)
        loop.schedule = ctypes.pointer(schedule._descriptor)
    if costs is not None:
        costs, loop.costs_kind = _costs(costs, n)
        loop.costs = costs.__array_interface__["data"][0]
    return loop, costs


def _judge(outcome, loop, name, arguments):
    if outcome == _ENDED:
        return
    if outcome == _INTERRUPTED:
        raise KeyboardInterrupt  # unless Python has by now
    assert outcome == _STOPPED, outcome
    if arguments is not None:  # all that a body of _jit.py stops for
        what = "iteration" if arguments.space is None else "tile"
        raise RuntimeError(f"{name} raised an exception in {what} {arguments.failed[0]}; the "
                           f"loop has stopped, and other iterations may not have run. Call {name} "
                           "for that iteration to see it")
    raise RuntimeError(f"{name} returned {loop.verdict}, expected 0; the loop has stopped, and other "
                       "iterations may not have run")


def _space_of(n, tiles, body):
    """The number of iterations, and of a loop over several dimensions its space, or None."""
    if not isinstance(n, (tuple, list)):
        if tiles is not None:
            raise ValueError(f"tiles of {tiles!r} for a loop of {n!r} iterations, expected them for "
                             "a space, as (rows, columns); nothing has run")
        return n, None
    space = _space.Space(n, tiles)
    if not bodies.is_jitted(body):
        raise TypeError(f"the body of a loop over {n!r} is {body!r}, expected a function of njit; "
                        "nothing has run")
    return space.count, space


def _name(body):
    return getattr(body, "__name__", None) or type(body).__name__


def parallel_for(n, body, *arrays, tiles=None, schedule=None, costs=None):
    """Runs the iterations 0 to n - 1 of a compiled body in parallel.

    body: one of

    - a function of numba's `njit`: body(i, *arrays) runs iteration i. `arrays` may have numbers,
      too. It is compiled once for each combination of types.
    - a compiled function `int body(void** arrays, int64_t first, int64_t last)`, which runs the
      iterations first to last - 1, and returns 0, or anything else to stop the loop. `arrays` has
      the arrays' addresses. It is a cfunc of numba's with the signature `doall.for_signature()`, a
      function of ctypes, a capsule from a Cython module's __pyx_capi__, or an address (int).

    arrays: numpy arrays of any shape, of numbers or records; for a compiled function in C's order
    without gaps. They are not copied, and must be neither freed nor resized meanwhile.
    n may be a tuple, (rows, columns) or more: then body(i, j, *arrays), of njit, runs an index of
    that space. `tiles`, as (32, 32), are the sides of its tiles, the iterations that schedules deal
    and costs are of; default: up to 64 in the last two dimensions.
    schedule: a text such as "guided,4", or a doall.schedule. Default: see docs/guide/python.md.
    costs: numbers of 0 or more, one for each iteration, in any unit: what it costs. They say how to
    deal the loop, never what it computes.

    The interpreter's lock is released. Ctrl-C in the main thread ends the loop within some
    milliseconds, or when the iterations that run have ended, with KeyboardInterrupt. Other signals
    of Python's, and Ctrl-C with a handler of the program's, are handled after the loop.

    Raises ValueError or TypeError, before anything has run, for an argument that it cannot use, and
    RuntimeError if the body stopped the loop or raised an exception. An njit body that numba cannot
    compile for the arguments, or that writes to a read-only array, is a TypeError; what a compiled
    body writes cannot be seen.
    """
    name = _name(body)
    n, space = _space_of(n, tiles, body)
    loop, costs = _describe(n, name, schedule, costs, sys._getframe(1))
    arguments = None
    if bodies.is_jitted(body):
        from . import _jit
        arguments = _jit.Arguments(arrays, space)
        compiled = _jit.loop_body(body, arguments)  # held: another thread may make it be forgotten
        address, pointers = compiled.address, arguments.pointers
    else:
        address, pointers = bodies.address_of(body, 3), bodies.pointers(arrays)
    loop.arrays = ctypes.addressof(pointers)
    _judge(library.loops.doall_python_for(loop, address), loop, name, arguments)


def parallel_reduce(n, body, *arrays, identity, combine="sum", tiles=None, schedule=None,
                    costs=None):
    """Reduces the iterations 0 to n - 1 of a compiled body to one number or array.

    identity: a number or an array: what combined with any value gives that value, as 0.0 for a sum.
    The result has its shape and type. It is not changed.
    body: one of

    - a function of numba's `njit`. For a number, body(i, *arrays) returns what iteration i
      contributes. For an array, body(i, value, *arrays) adds it to the array `value`.
    - a compiled function `int body(void** arrays, int64_t first, int64_t last, void* value)`, which
      adds iterations first to last - 1 to *value and returns 0. See doall.parallel_for.

    combine: "sum", "product", "min" or "max", element by element; or a function of numba's `njit`,
    combine(left, right), that returns the combined number or leaves the combined array in `left`;
    or a compiled `void combine(void** arrays, void* left, const void* right)` that leaves it in
    *left. It is associative up to rounding; left and right keep their order.

    The result has the same bits for any number of threads and any schedule, those that
    doall_reduce() gives in C. Raises what doall.parallel_for raises, and MemoryError.
    """
    import numpy as np
    value = np.array(identity, order="C")
    if value.dtype.kind not in "iuf" and isinstance(combine, str) or value.dtype.hasobject:
        raise TypeError(f"the identity is of type {value.dtype}, expected integers or floats; "
                        "nothing has run")
    if isinstance(combine, str) and combine not in COMBINATIONS:
        raise ValueError(f"combine is \"{combine}\", expected one of {', '.join(COMBINATIONS)}, or "
                         "a compiled function; nothing has run")
    name = _name(body)
    n, space = _space_of(n, tiles, body)
    loop, costs = _describe(n, name, schedule, costs, sys._getframe(1))
    arguments = None
    which, combines = 0, None
    if isinstance(combine, str):
        which = COMBINATIONS.index(combine)
    elif bodies.is_jitted(combine):
        from . import _jit
        combination = _jit.combination(combine, value)
        combines = combination.address
    else:
        combines = bodies.address_of(combine, 3, "combine")
    if bodies.is_jitted(body):
        from . import _jit
        if not isinstance(combine, str) and not bodies.is_jitted(combine) and value.ndim == 0:
            raise TypeError(f"combine is {combine!r}, expected a function of njit, or a word, as the "
                            "body is one of njit; nothing has run")
        arguments = _jit.Arguments(arrays, space)
        compiled = _jit.reduce_body(body, arguments, value, combine)
        address, pointers = compiled.address, arguments.pointers
        loop.in_pieces = True
    else:
        address, pointers = bodies.address_of(body, 4), bodies.pointers(arrays)
    loop.arrays = ctypes.addressof(pointers)
    typed = value.dtype.str.lstrip("<|=").encode()
    outcome = library.loops.doall_python_reduce(loop, address, value.ctypes.data, value.nbytes,
                                                combines, typed, which, value.size)
    if outcome == _NO_COMBINATION:
        raise TypeError(f"the identity is of type {value.dtype}, expected integers of up to 8 bytes, "
                        "or floats of 4 or 8, for this combination; nothing has run")
    if outcome == _NO_MEMORY:
        raise MemoryError(f"no memory for the values of {name}, of {value.nbytes} bytes each")
    _judge(outcome, loop, name, arguments)
    return value if value.ndim else value[()]


def for_signature():
    """numba's signature of a body of parallel_for: numba.cfunc(doall.for_signature())."""
    from . import _jit
    return _jit._FOR


def reduce_signature():
    """numba's signature of a body of parallel_reduce."""
    from . import _jit
    return _jit._REDUCE
