"""import doall.openmp: this process's OpenMP loops run on doall.

Import it before the libraries that bring an OpenMP runtime of their own (scikit-learn, LightGBM,
XGBoost, torch, numba's `omp` layer)::

    import doall.openmp
    import sklearn

doall's runtime becomes the first of the process's global scope, which the dynamic linker searches
before a wheel's renamed runtime. Functions that were looked up before stay where they were. So an
import that comes too late raises doall.openmp.TooLate, an ImportError that names who was first, and
changes nothing.

doall.openmp(children=True) also serves programs that this process starts from now on, and so the
workers of loky (joblib's) and of multiprocessing's "spawn" and "forkserver". Forked workers need
nothing.

Under `doall run` the process is served already, and the import changes nothing.
"""

import ctypes
import os
import re
import sys
import types

from . import _library as library
from ._settings import openmp_library

_RUNTIME = re.compile(r"/lib(gomp|omp|iomp5)[-.][^/]*$")


class TooLate(ImportError):
    """Another OpenMP runtime was loaded before doall's."""


def _files():
    """What `doall run` preloads: the runtime, and the names that programs ask for."""
    names = os.path.join(library.folder, "doall", "omp")
    return [os.path.join(library.folder, "libdoall-omp.so.0"),
            *(os.path.join(names, f) for f in ("libomp.so.5", "doall-iomp5.so", "libgomp.so.1"))]


def _mapped():
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        paths = [line.split(None, 5)[5].strip() for line in maps if "/" in line]
    return list(dict.fromkeys(paths))


def _needs(path, names):
    """Whether the file has one of the names among its strings, as it has those of its libraries."""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return False
    return any(b"\0" + os.fsencode(name) + b"\0" in text for name in names)


def _who_needs(runtime):
    """The first module that was imported, or else a file, that needs the runtime."""
    file = os.path.basename(runtime)
    names = {file, re.sub(r"(\.so(\.\d+)?).*", r"\1", file)}  # libgomp.so.1.0.0 is libgomp.so.1
    for module, what in list(sys.modules.items()):
        path = getattr(what, "__file__", None) or ""
        if ".so" in os.path.basename(path) and _needs(path, names):
            return f"the module {module}"
    users = [p for p in _mapped() if ".so" in p and p != runtime and _needs(p, names)]
    return users[0] if users else "this process"


def _load():
    if openmp_library():
        return
    others = [p for p in _mapped() if _RUNTIME.search(p) and "/doall/omp/" not in p]
    if others:
        first = "; ".join(f"{p}, loaded for {_who_needs(p)}" for p in others)
        raise TooLate(
            f"doall.openmp is imported too late, expected no OpenMP runtime before it, but here is "
            f"{first}. Nothing is changed: OpenMP loops run as without doall. Import doall.openmp "
            "first, or start the program by `doall run`.")
    os.environ.setdefault("DOALL_DEFAULT_SCHEDULE", "auto")  # as `doall run` does
    for file in _files():
        ctypes.CDLL(file, mode=ctypes.RTLD_GLOBAL)


def _for_glibc_alone(file):
    """Its path as musl's dynamic linker, which must not load it, does not find it: from the
    program's folder, which glibc's puts in place of $ORIGIN, up to the root. As `doall run` does,
    where programs of musl run."""
    has_musl = os.path.exists(f"/lib/ld-musl-{os.uname().machine}.so.1")
    return "$ORIGIN" + "/.." * 64 + file if has_musl else file


def _serve_children():
    files = [_for_glibc_alone(f) for f in _files()]
    if re.search(r"[ :\t\n]", library.folder):
        raise ValueError(f"children cannot be served: LD_PRELOAD cannot name {library.folder}, for "
                         "a path in it has no blank and no colon; install doall in another folder")
    others = [f for f in re.split("[ :]", os.environ.get("LD_PRELOAD", "")) if f and f not in files]
    os.environ["LD_PRELOAD"] = ":".join(files + others)


class _Module(types.ModuleType):
    def __call__(self, children=False):
        """Serves this process, as the import did and, with children=True, programs that it starts.

        Sets LD_PRELOAD in os.environ for that. Raises ValueError if doall lies in a folder that
        LD_PRELOAD cannot name.
        """
        if children:
            _serve_children()


_load()
sys.modules[__name__].__class__ = _Module
