"""Bodies of numba's: a function f(i, *arguments) becomes a compiled body of loops.c.

The body gets void** arrays: the addresses of the arguments, then of their shapes, then of a word in
which it leaves the iteration whose call raised an exception. It is compiled once for each function
and each combination of the arguments' types.
"""

import ctypes

import numba
import numpy as np
from numba import types

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

_compiled = {}


class Arguments:
    """The arguments of a call: numbers are passed by value, arrays as arrays."""

    def __init__(self, arguments):
        self.arrays = [a if isinstance(a, np.ndarray) else np.asarray(a) for a in arguments]
        self.is_array = [isinstance(a, np.ndarray) for a in arguments]
        for position, a in enumerate(self.arrays):
            if a.dtype.hasobject:
                raise TypeError(f"argument {position} is {arguments[position]!r}, expected a "
                                "number, or an array of numbers or records; nothing has run")
            if not a.flags.c_contiguous:
                raise ValueError(f"array {position} of shape {a.shape} has gaps or another order, "
                                 "expected C's order without gaps; nothing has run: pass "
                                 "numpy.ascontiguousarray(...) of it")
        self.shapes = [np.array(a.shape or (1,), np.int64) for a in self.arrays]
        self.failed = np.full(1, -1, np.int64)
        addresses = [a.ctypes.data for a in (*self.arrays, *self.shapes, self.failed)]
        self.pointers = (ctypes.c_void_p * len(addresses))(*addresses)
        self.key = tuple((is_array, a.ndim, a.dtype)
                         for is_array, a in zip(self.is_array, self.arrays))

    def types(self):
        return [types.Array(numba.from_dtype(a.dtype), a.ndim, "C") if is_array
                else numba.from_dtype(a.dtype) for is_array, a in zip(self.is_array, self.arrays)]

    def declarations(self, names):
        """Lines that make the arguments, and their names; adds what the lines need to `names`."""
        count = len(self.arrays)
        lines = [f"failed = carray(arrays[{2 * count}], 1, int64)"]
        for k, a in enumerate(self.arrays):
            names[f"type{k}"] = numba.from_dtype(a.dtype)
            if not self.is_array[k]:
                lines.append(f"a{k} = carray(arrays[{k}], 1, type{k})[0]")
                continue
            shape = "".join(f"s{k}[{d}], " for d in range(a.ndim))
            lines.append(f"s{k} = carray(arrays[{count + k}], {max(1, a.ndim)}, int64)")
            lines.append(f"a{k} = carray(arrays[{k}], ({shape}), type{k})")
        return lines, "".join(f", a{k}" for k in range(count))


def _make(signature, source, names):
    names |= {"carray": numba.carray, "int64": types.int64}
    exec(compile(source, "<doall>", "exec"), names)  # noqa: S102 -- made of this file's words alone
    return numba.cfunc(signature)(names["body"])


def _indented(lines):
    return "".join(f"  {line}\n" for line in lines)


def loop_body(function, arguments):
    """The cfunc that calls function(i, *arguments) for i in [first, last)."""
    key = ("for", function, arguments.key)
    if key not in _compiled:
        names = {"function": function}
        lines, passed = arguments.declarations(names)
        source = ("def body(arrays, first, last):\n" + _indented(lines) +
                  "  i = first\n"
                  "  try:\n"
                  "    while i < last:\n"
                  f"      function(i{passed})\n"
                  "      i += 1\n"
                  "  except Exception:\n"
                  "    failed[0] = i\n"
                  f"    return {RAISED}\n"
                  "  return 0\n")
        _compiled[key] = _make(_FOR, source, names)
    return _compiled[key]


def _check_type(function, signature, dtype, what):
    function.compile(signature)
    returned = function.overloads[signature].signature.return_type
    try:
        fits = np.can_cast(numba.np.numpy_support.as_dtype(returned), dtype, "same_kind")
    except (NotImplementedError, numba.core.errors.NumbaNotImplementedError):
        fits = False
    if not fits:
        raise TypeError(f"{what} returns {returned}, expected what the identity's type {dtype} can "
                        "hold; nothing has run: give an identity of the result's type, as 0.0")


def reduce_body(function, arguments, value, combine):
    """The cfunc that reduces function(i, *arguments), or function(i, value, *arguments) for an
    array, over [first, last) into a value."""
    key = ("reduce", function, arguments.key, value.ndim, value.shape, value.dtype, combine)
    if key not in _compiled:
        number = numba.from_dtype(value.dtype)
        names = {"function": function, "combine": combine, "number": number}
        lines, passed = arguments.declarations(names)
        if value.ndim == 0:
            _check_type(function, (types.int64, *arguments.types()), value.dtype, "the body")
            lines += ["at = carray(place, 1, number)", "value = at[0]"]
            into = _INTO[combine] if isinstance(combine, str) else "combine(value, x)"
            step, end = [f"x = number(function(i{passed}))", f"value = number({into})"], "at[0] = value"
        else:
            lines.append(f"value = carray(place, {value.shape}, number)")
            step, end = [f"function(i, value{passed})"], "pass"
        source = ("def body(arrays, first, last, place):\n" + _indented(lines) +
                  "  i = first\n"
                  "  try:\n"
                  "    while i < last:\n" + "".join(f"      {line}\n" for line in step) +
                  "      i += 1\n"
                  "  except Exception:\n"
                  "    failed[0] = i\n"
                  f"    return {RAISED}\n"
                  f"  {end}\n"
                  "  return 0\n")
        _compiled[key] = _make(_REDUCE, source, names)
    return _compiled[key]


def combination(function, value):
    """The cfunc that combines two values by function(left, right): which returns the result, or
    for arrays leaves it in left."""
    key = ("combine", function, value.shape, value.dtype)
    if key not in _compiled:
        names = {"function": function, "number": numba.from_dtype(value.dtype)}
        shape = value.shape or 1
        call = ("function(left, right)" if value.ndim
                else "left[0] = function(left[0], right[0])")
        source = ("def body(arrays, to, of):\n"
                  f"  left = carray(to, {shape}, number)\n"
                  f"  right = carray(of, {shape}, number)\n"
                  f"  {call}\n")
        _compiled[key] = _make(_COMBINE, source, names)
    return _compiled[key]
