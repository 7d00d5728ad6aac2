"""Finds doall's libraries and calls them by ctypes.

In a wheel they lie in the package. Elsewhere DOALL_LIBRARY_FOLDER names the folder that has
libdoall.so.0, or the dynamic linker knows it. A process that runs under `doall run` has a libdoall
already, and there is only one in a process: that is used.
"""

import ctypes
import os
import shutil

U32, U64, I64 = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int64
TEXT, POINTER = ctypes.c_char_p, ctypes.c_void_p


class Schedule(ctypes.Structure):
    """abi.h's doall_schedule."""

    _fields_ = [("which", U64), ("count", U32), ("order", U32), ("options", U64 * 6)]


class Loop(ctypes.Structure):
    """loops.c's python_loop."""

    _fields_ = [("file", TEXT), ("function", TEXT), ("schedule", ctypes.POINTER(Schedule)),
                ("costs", POINTER), ("costs_kind", U64), ("iterations", I64), ("arrays", POINTER),
                ("line", U64), ("stops_at_interrupt", U64), ("in_pieces", U64),
                ("verdict", I64)]


_SIGNATURES = {
    "doall_schedule_parse": (ctypes.c_int, [TEXT, ctypes.POINTER(Schedule), TEXT, ctypes.c_size_t]),
    "doall_schedule_text": (None, [ctypes.POINTER(Schedule), TEXT, ctypes.c_size_t]),
    "doall_set_schedule": (ctypes.c_int, [TEXT]),
    "doall_get_schedule": (None, [TEXT, ctypes.c_size_t]),
    "doall_threads": (U32, []),
    "doall_set_threads": (U32, [U32]),
    "doall_report_begin": (ctypes.c_int, []),
    "doall_report_write": (ctypes.c_int, [TEXT]),
    "doall_version": (TEXT, []),
}
_LOOP_SIGNATURES = {
    "doall_python_for": (ctypes.c_int, [ctypes.POINTER(Loop), POINTER]),
    "doall_python_reduce": (ctypes.c_int, [ctypes.POINTER(Loop), POINTER, POINTER, U64, POINTER,
                                           TEXT, U64, U64]),
    "doall_python_tiles": (U64, [U64, ctypes.POINTER(U64), ctypes.POINTER(U64)]),
}


class DlInfo(ctypes.Structure):
    """dladdr()'s result."""

    _fields_ = [("file", TEXT), ("base", POINTER), ("name", TEXT), ("address", POINTER)]


def file_of(symbol):
    """The file that the process's global scope has the symbol from; None: it has none."""
    process = ctypes.CDLL(None)
    if not hasattr(process, symbol):
        return None
    found = DlInfo()
    address = ctypes.cast(getattr(process, symbol), POINTER)
    process.dladdr.argtypes = [POINTER, ctypes.POINTER(DlInfo)]
    if process.dladdr(address, ctypes.byref(found)) == 0:
        return None
    return os.fsdecode(found.file)


# FOLDER/doall/omp/doall-lazy.so, by which `doall run` opens FOLDER/libdoall-omp.so.0, and with it
# FOLDER/libdoall.so.0, when something is called.
OPENS_LATER = "doall-lazy.so"


def _find_folder():
    """The folder that has libdoall.so.0."""
    loaded = file_of("doall_run")
    if loaded:
        return os.path.dirname(os.path.realpath(loaded))
    opener = file_of("GOMP_parallel")
    if opener and os.path.basename(opener) == OPENS_LATER:
        return os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(opener))))
    named = os.environ.get("DOALL_LIBRARY_FOLDER")
    tried = [named] if named else [os.path.join(os.path.dirname(__file__), "lib")]
    for folder in tried:
        if os.path.exists(os.path.join(folder, "libdoall.so.0")):
            return folder
    if not named:
        try:
            known = ctypes.CDLL("libdoall.so.0", mode=ctypes.RTLD_GLOBAL)
            if hasattr(known, "doall_run"):
                return os.path.dirname(os.path.realpath(file_of("doall_run")))
        except OSError:
            pass
        tried.append("where the dynamic linker looks")
    raise ImportError(f"libdoall.so.0 is not in {', nor '.join(tried)}; install the wheel, or let "
                      "DOALL_LIBRARY_FOLDER name its folder")


def _declare(library, signatures):
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _loops_file():
    own = os.path.join(folder, "doall", "python", "doall-loops.so")
    if os.path.exists(own):
        return own
    # Under another installation's `doall run`: the wheel's, on that libdoall.
    return os.path.join(os.path.dirname(__file__), "lib", "doall", "python", "doall-loops.so")


folder = _find_folder()
native = _declare(ctypes.CDLL(os.path.join(folder, "libdoall.so.0")), _SIGNATURES)
loops = _declare(ctypes.CDLL(_loops_file()), _LOOP_SIGNATURES)


def command():
    """The path of the command `doall`."""
    for own in (os.path.join(os.path.dirname(folder), "bin", "doall"),
                os.path.join(os.path.dirname(__file__), "bin", "doall"), shutil.which("doall")):
        if own and os.access(own, os.X_OK):
            return own
    raise FileNotFoundError(f"the command doall is not beside {folder}, nor in PATH; it makes "
                            "reports, and is a part of the wheel")
