"""From what a caller gives as a loop's body, and as its arrays, to addresses."""

import ctypes
import sys


def _name_of(capsule):
    get = ctypes.pythonapi.PyCapsule_GetName
    get.restype, get.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return get(capsule)


def _address_in(capsule, parameters, what):
    """The function in a capsule of Cython's __pyx_capi__, whose name is its signature."""
    name = _name_of(capsule)
    signature = (name or b"").decode()
    if not signature.endswith(")") or signature.count(",") != parameters - 1:
        raise TypeError(f"{what} is a capsule of \"{signature}\", expected a function of "
                        f"{parameters} parameters (docs/guide/python.md); nothing has run")
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, name)


def is_jitted(function):
    """Whether it is a function that numba compiles for the types it is called with."""
    if "numba" not in sys.modules:
        return False
    from numba.core.dispatcher import Dispatcher
    return isinstance(function, Dispatcher)


def address_of(function, parameters, what="the body"):
    """The address of a compiled function: an int, numba's cfunc, a function of ctypes, a capsule.
    Errors name it by `what`."""
    found = None
    if isinstance(function, int) and not isinstance(function, bool):
        found = function
    elif isinstance(function, ctypes._CFuncPtr):
        found = ctypes.cast(function, ctypes.c_void_p).value or 0
    elif type(function).__name__ == "PyCapsule":
        found = _address_in(function, parameters, what)
    elif isinstance(getattr(function, "address", None), int):
        found = function.address
    if found is not None:
        if 0 < found < 1 << 64:
            return found
        raise ValueError(f"{what} is at address {found}, expected that of a compiled function; "
                         "nothing has run")
    raise TypeError(f"{what} is {function!r}, expected a compiled function: of numba (njit or "
                    "cfunc), of ctypes, a capsule of Cython's, or an address; nothing has run")


def data_of(array, position):
    """The address of an array's numbers, which must lie one behind the other, in C's order."""
    about = getattr(array, "__array_interface__", None)
    # A number of numpy's has one, too, of a copy that is gone by now.
    if about is None or not about.get("shape") and "numpy" in sys.modules \
            and isinstance(array, sys.modules["numpy"].generic):
        raise TypeError(f"argument {position} is {array!r}, expected an array that has "
                        "__array_interface__, as numpy's have; nothing has run")
    shape = about["shape"]
    if about["typestr"][1] == "O" or getattr(getattr(array, "dtype", None), "hasobject", False):
        raise TypeError(f"array {position} of shape {shape} has Python objects, expected numbers or "
                        "records, since bodies run without the interpreter's lock; nothing has run")
    if about.get("strides") is not None and 0 not in shape:
        raise ValueError(f"array {position} of shape {shape} has gaps or another order, "
                         "expected C's order without gaps, since the body gets an address alone; "
                         "nothing has run: pass numpy.ascontiguousarray(...) of it")
    data = about.get("data")
    if not isinstance(data, tuple) or not data[0] and 0 not in shape:
        raise ValueError(f"array {position} of shape {shape} has no address, expected that of its "
                         "numbers; nothing has run")
    return data[0]


def pointers(arrays):
    """A void*[] of the arrays' addresses."""
    return (ctypes.c_void_p * max(1, len(arrays)))(*(data_of(a, k) for k, a in enumerate(arrays)))
