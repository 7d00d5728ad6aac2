"""Bodies of numba's: a function f(i, *arguments) becomes a compiled body of loops.c.

The body gets void** arrays: the addresses of the arguments, then of their shapes and strides, then
of a word in which it leaves the iteration whose call raised an exception. It is compiled once for
each function and each combination of the arguments' types, and the last _MOST of these are kept.

A function of `njit(cache=True)` has its bodies in numba's cache, too: their source is written to a
file beside the function's own cache, since numba caches what it finds in a file.
"""

import collections
import ctypes
import hashlib
import inspect
import os
import pickle
import re
import threading

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import NumbaError
from numba.core.registry import cpu_target
from numba.np import arrayobj

from ._read_only import ReadOnlyArray
from ._space import loop_over

RAISED = 1
_VOIDS = types.CPointer(types.voidptr)
_FOR = types.int32(_VOIDS, types.int64, types.int64)
_REDUCE = types.int32(_VOIDS, types.int64, types.int64, types.voidptr)
_COMBINE = types.void(_VOIDS, types.voidptr, types.voidptr)

# How a value x is added to a number: NaN stays, as in numpy and loops.c.
_INTO = {
    "sum": "value + x",
    "product": "value * x",
    "min": "x if x < value or x != x else value",
    "max": "x if x > value or x != x else value",
}

_MOST = 256
_kept = collections.OrderedDict()  # the one that was used last is at the end
_lock = threading.RLock()  # also held while one is compiled: numba compiles one at a time


def _array_at(array_type):
    """A function of numba's that makes an array of that type from the addresses of its data, and of
    its shape and strides."""

    @numba.extending.intrinsic
    def array_at(typing, data, about):  # noqa: ARG001 -- numba's protocol
        def generate(context, builder, signature, arguments):  # noqa: ARG001
            data, about = arguments
            word = ir.IntType(64)
            words = builder.bitcast(about, word.as_pointer())

            def load(first):
                found = [builder.load(builder.gep(words, [ir.Constant(word, first + d)]))
                         for d in range(array_type.ndim)]
                return cgutils.pack_array(builder, found, ty=word)

            array = arrayobj.make_array(array_type)(context, builder)
            arrayobj.populate_array(
                array, data=builder.bitcast(data, array.data.type), shape=load(0),
                strides=load(array_type.ndim),
                itemsize=arrayobj.get_itemsize(context, array_type), meminfo=None)
            return array._getvalue()
        return array_type(types.voidptr, types.voidptr), generate
    return array_at


def _has_values(its):
    """Whether compiled code can hold values of the type: numba knows some, as float16, by name."""
    try:
        cpu_target.target_context.get_value_type(its)
    except NotImplementedError:
        return False
    return True


def _is_number(a):
    return isinstance(a, (bool, int, float, complex, np.bool_, np.number, np.void))


class Arguments:
    """The arguments of a call: numbers are passed by value, arrays as arrays."""

    def __init__(self, arguments, space=None):
        self.arrays, self.types, self.is_array = [], [], []
        self.space = None if space is None else np.array(space.about(), np.int64)
        for position, a in enumerate(arguments):
            is_array = isinstance(a, np.ndarray) or (
                not _is_number(a) and hasattr(a, "__array_interface__"))
            if not is_array and not _is_number(a):
                raise TypeError(f"argument {position} is {a!r}, expected a number, or a numpy array "
                                "of numbers or records; nothing has run")
            try:
                made = a if isinstance(a, np.ndarray) else np.asarray(a)
                if not is_array:
                    made = made.reshape(1)
                its = numba.typeof(made) if is_array else numba.from_dtype(made.dtype)
            except (ValueError, NumbaError) as e:
                raise self._bad(position, a, str(e).splitlines()[0]) from None
            if isinstance(its, types.Array) and not its.mutable:
                its = ReadOnlyArray(its)
            if made.dtype.hasobject or is_array and not isinstance(its, types.Array):
                raise self._bad(position, a, "its elements are not numbers")
            if not _has_values(its):
                raise self._bad(position, a, f"numba has no values of type {made.dtype}")
            self.arrays.append(made)
            self.types.append(its)
            self.is_array.append(is_array)
        self.abouts = [np.array((*a.shape, *a.strides, 0), np.int64) for a in self.arrays]
        self.failed = np.full(1, -1, np.int64)
        told = (self.failed,) if space is None else (self.failed, self.space)
        addresses = [a.ctypes.data for a in (*self.arrays, *self.abouts, *told)]
        self.pointers = (ctypes.c_void_p * len(addresses))(*addresses)
        self.dimensions = 1 if space is None else len(space.lengths)
        self.key = (*self.types, *self.is_array, None if space is None else self.dimensions)

    @staticmethod
    def _bad(position, a, why):
        kind = f"an array of {a.dtype}" if isinstance(a, np.ndarray) else repr(a)
        return TypeError(f"argument {position} is {kind}, expected a number, or an array of numbers "
                         f"or records in this machine's byte order; nothing has run ({why})")

    def read_only(self):
        return [k for k, its in enumerate(self.types)
                if isinstance(its, types.Array) and not its.mutable]

    def declarations(self, names):
        """Lines that make the arguments, and their names; adds what the lines need to `names`."""
        count = len(self.arrays)
        lines = [f"failed = carray(arrays[{2 * count}], 1, int64)"]
        for k, its in enumerate(self.types):
            is_array = self.is_array[k]
            names[f"array{k}"] = _array_at(its if is_array else types.Array(its, 1, "C"))
            lines.append(f"a{k} = array{k}(arrays[{k}], arrays[{count + k}])" +
                         ("" if is_array else "[0]"))
        if self.space is not None:
            lines.append(f"space = carray(arrays[{2 * count + 1}], {self.space.size}, int64)")
        return lines, "".join(f", a{k}" for k in range(count))

    def index(self):
        """The index, or indices, that a body gets."""
        if self.space is None:
            return "i"
        return ", ".join(f"i{d}" for d in range(self.dimensions))

    def iteration(self, call):
        """Lines that make the statements of `call` for iteration i: an index, or a tile."""
        return call if self.space is None else loop_over(self.dimensions, call)


def _cached_file(functions, source, key):
    """Where to put the source so that numba caches what it compiles of it; None: nowhere. The name
    tells the source, the types and the functions apart, as they are now."""
    stamps = []
    folder = None
    for function in functions:
        cache = getattr(function, "_cache", None)
        if getattr(cache, "cache_path", None) is None:
            return None  # it is not of njit(cache=True)
        folder = cache.cache_path
        code = function.py_func.__code__
        try:
            cells = pickle.dumps([c.cell_contents for c in function.py_func.__closure__ or ()])
            stamp = os.stat(code.co_filename)
        except (OSError, ValueError, TypeError, AttributeError, pickle.PicklingError):
            return None
        stamps.append((code.co_filename, stamp.st_mtime_ns, stamp.st_size, code.co_name,
                       code.co_firstlineno, code.co_code, cells,
                       sorted(function.targetoptions.items(), key=repr)))
    named = hashlib.sha256(repr((stamps, source, key)).encode()).hexdigest()[:32]
    return os.path.join(folder, f"doall-{named}.py")


def _write(path, source):
    """Writes the file if it is not there, so that no other process sees a part of it."""
    if os.path.exists(path):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    part = f"{path}.{os.getpid()}.{threading.get_ident()}"
    with open(part, "w", encoding="utf-8") as file:
        file.write(source)
    os.replace(part, path)


def _compile(signature, source, names, functions, key):
    """The cfunc that `source` defines as `body`."""
    names |= {"carray": numba.carray, "int64": types.int64, "__name__": __name__}
    path = _cached_file(functions, source, key)
    if path is not None:
        try:
            _write(path, source)
            exec(compile(source, path, "exec"), names)  # noqa: S102
            return numba.cfunc(signature, cache=True)(names["body"])
        except (OSError, RuntimeError, pickle.PicklingError):
            pass  # the folder cannot be written to
    exec(compile(source, "<doall>", "exec"), names)  # noqa: S102 -- made of this file's words alone
    return numba.cfunc(signature)(names["body"])


def _made(key, make):
    """What is kept under the key; makes it if it is not."""
    with _lock:
        if key not in _kept:
            _kept[key] = make()
        _kept.move_to_end(key)
        while len(_kept) > _MOST:
            _kept.popitem(last=False)
        return _kept[key]


def _reason(error):
    """The line of numba's message that says what is wrong; the whole is the new error's cause."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith("Failed in ")]
    return said[0] if said else type(error).__name__


def _explained(make, function, passed, arguments=None):
    """What make() returns, which has numba compile the function for arguments of the types in
    `passed`. A store to an array that may not be changed is named."""
    name = _name(function)
    try:
        return make()
    except (MemoryError, OSError):
        raise
    except Exception as e:  # numba's own errors, and those that escape it
        which = ", ".join(map(str, arguments.read_only())) if arguments is not None else ""
        said = isinstance(e, NumbaError) and re.search(r".*readonly array.*", str(e))
        if said:
            what = f"argument {which}, which" if which else "an array that"
            raise TypeError(f"{name} writes to {what} is read-only, expected an array that may be "
                            f"changed; nothing has run ({said[0].strip()})") from e
        if isinstance(e, AttributeError) and which:  # of `a += 1` for an array a that is read-only
            raise TypeError(f"numba cannot compile {name} for argument {which}, which is read-only"
                            ", expected arrays that may be changed; nothing has run") from e
        raise TypeError(f"numba cannot compile {name} for ({', '.join(map(str, passed))}), "
                        "expected a function that it can compile for them; nothing has run "
                        f"({_reason(e)})") from e


def _check_count(function, passed, takes):
    """Raises TypeError unless the function can be called with so many arguments."""
    signature = inspect.signature(function.py_func)
    kinds = [p.kind for p in signature.parameters.values()]
    single = [p for p in signature.parameters.values()
              if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    least = sum(p.default is p.empty for p in single)
    most = passed if inspect.Parameter.VAR_POSITIONAL in kinds else len(single)
    if not least <= passed <= most:
        raise TypeError(f"{_name(function)} takes {signature}, expected a function of {passed} "
                        f"parameter{'s' if passed != 1 else ''}: {takes}; nothing has run")


def _takes(arguments, has_value=False):
    """How many arguments a body gets, and which."""
    indices, others = arguments.dimensions, len(arguments.types)
    parts = ["the index" if indices == 1 else f"{indices} indices"]
    if has_value:
        parts.append("the value")
    if others:
        parts.append("the argument" if others == 1 else f"the {others} arguments")
    return indices + has_value + others, ", ".join(parts)


def _name(function):
    return getattr(function, "__name__", "the body")


def _indented(lines, by=2):
    return "".join(f"{' ' * by}{line}\n" for line in lines)


def loop_body(function, arguments):
    """The cfunc that calls function(i, *arguments) for i in [first, last)."""
    key = ("for", function, arguments.key)

    def make():
        _check_count(function, *_takes(arguments))
        names = {"function": function}
        lines, passed = arguments.declarations(names)
        source = ("def body(arrays, first, last):\n" + _indented(lines) +
                  "  i = first\n"
                  "  try:\n"
                  "    while i < last:\n" +
                  _indented(arguments.iteration([f"function({arguments.index()}{passed})"]), 6) +
                  "      i += 1\n"
                  "  except Exception:\n"
                  "    failed[0] = i\n"
                  f"    return {RAISED}\n"
                  "  return 0\n")
        passed = (*(types.int64,) * arguments.dimensions, *arguments.types)
        return _explained(lambda: _compile(_FOR, source, names, (function,), arguments.key),
                          function, passed, arguments)
    return _made(key, make)


def _check_type(function, arguments, dtype):
    passed = (*(types.int64,) * arguments.dimensions, *arguments.types)

    def signature():
        found = types.Dispatcher(function).get_call_type(cpu_target.typing_context, passed, {})
        if found is None:  # of njit("...")
            raise NumbaError("it is compiled for other types alone")
        return found
    returned = _explained(signature, function, passed, arguments).return_type
    try:
        fits = np.can_cast(numba.np.numpy_support.as_dtype(returned), dtype, "same_kind")
    except (NotImplementedError, numba.core.errors.NumbaNotImplementedError):
        fits = False
    if not fits:
        raise TypeError(f"the body returns {returned}, expected what the identity's type {dtype} "
                        "can hold; nothing has run: give an identity of the result's type, as 0.0")


def _number_of(value):
    try:
        number = numba.from_dtype(value.dtype)
    except NumbaError:
        number = None
    if not isinstance(number, (types.Number, types.Boolean)) or not _has_values(number):
        raise TypeError(f"the identity is of type {value.dtype}, expected numbers of a type that "
                        "numba has; nothing has run")
    return number


def reduce_body(function, arguments, value, combine):
    """The cfunc that reduces function(i, *arguments), or function(i, value, *arguments) for an
    array, over [first, last) into a value."""
    key = ("reduce", function, arguments.key, value.ndim, value.shape, value.dtype, combine)
    number = _number_of(value)

    def make():
        _check_count(function, *_takes(arguments, value.ndim > 0))
        names = {"function": function, "combine": combine, "number": number}
        lines, passed = arguments.declarations(names)
        if value.ndim == 0:
            _check_type(function, arguments, value.dtype)
            lines += ["at = carray(place, 1, number)", "value = at[0]"]
            into = _INTO[combine] if isinstance(combine, str) else "combine(value, x)"
            step = [f"x = number(function({arguments.index()}{passed}))", f"value = number({into})"]
            end = "at[0] = value"
        else:
            lines.append(f"value = carray(place, {value.shape}, number)")
            step, end = [f"function({arguments.index()}, value{passed})"], "pass"
        source = ("def body(arrays, first, last, place):\n" + _indented(lines) +
                  "  i = first\n"
                  "  try:\n"
                  "    while i < last:\n" + _indented(arguments.iteration(step), 6) +
                  "      i += 1\n"
                  "  except Exception:\n"
                  "    failed[0] = i\n"
                  f"    return {RAISED}\n"
                  f"  {end}\n"
                  "  return 0\n")
        called = (function,) if isinstance(combine, str) else (function, combine)
        values = (types.Array(number, value.ndim, "C"),) if value.ndim else ()
        passed = (*(types.int64,) * arguments.dimensions, *values, *arguments.types)
        return _explained(
            lambda: _compile(_REDUCE, source, names, called, (arguments.key, number)),
            function, passed, arguments)
    return _made(key, make)


def combination(function, value):
    """The cfunc that combines two values by function(left, right): which returns the result, or
    for arrays leaves it in left."""
    key = ("combine", function, value.shape, value.dtype)
    number = _number_of(value)

    def make():
        _check_count(function, 2, "left, right")
        shape = value.shape or 1
        call = ("function(left, right)" if value.ndim
                else "left[0] = function(left[0], right[0])")
        source = ("def body(arrays, to, of):\n"
                  f"  left = carray(to, {shape}, number)\n"
                  f"  right = carray(of, {shape}, number)\n"
                  f"  {call}\n")
        names = {"function": function, "number": number}
        passed = (types.Array(number, value.ndim, "C") if value.ndim else number,) * 2
        return _explained(lambda: _compile(_COMBINE, source, names, (function,), number),
                          function, passed)
    return _made(key, make)
