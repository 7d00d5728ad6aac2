"""What is set for loops: their schedule, their threads."""

import ctypes
import operator
import os

from . import _library as library

MOST_THREADS = 1024
_TEXT_SIZE = 512


class schedule:  # noqa: N801 -- used as a function is
    """A schedule, from a text such as "guided,4" (`doall schedules` lists them).

    Given to a loop, it schedules that loop. As a context manager it is the default in between, for
    the whole process: of doall's own loops that name none, and of OpenMP loops that the compiler
    leaves to the runtime (`schedule(runtime)`, `dynamic` and `guided`; loops without a clause only
    in what `doall cc` or Clang compiled). What was the default before is restored::

        with doall.schedule("guided,4"):
            model.fit(x, y)

    Raises ValueError, which says what is wrong, for a text that names no schedule.
    """

    def __init__(self, text):
        if not isinstance(text, str):
            raise TypeError(f"the schedule is {text!r}, expected a text like \"guided,4\"")
        self._descriptor = library.Schedule()
        why = ctypes.create_string_buffer(_TEXT_SIZE)
        if library.native.doall_schedule_parse(text.encode(), self._descriptor, why, _TEXT_SIZE):
            raise ValueError(why.value.decode())
        shortest = ctypes.create_string_buffer(_TEXT_SIZE)
        library.native.doall_schedule_text(self._descriptor, shortest, _TEXT_SIZE)
        self._text = shortest.value
        self._before = []

    def __enter__(self):
        before = ctypes.create_string_buffer(_TEXT_SIZE)
        library.native.doall_get_schedule(before, _TEXT_SIZE)
        library.native.doall_set_schedule(self._text)
        self._before.append(before.value)
        return self

    def __exit__(self, *_):
        library.native.doall_set_schedule(self._before.pop())

    def __str__(self):
        return self._text.decode()

    def __repr__(self):
        return f"doall.schedule({str(self)!r})"


class threads:  # noqa: N801
    """Loops that this thread starts inside of `with doall.threads(n):` have n threads, 1 to 1024.

    OpenMP loops that doall serves have n, as by omp_set_num_threads(n); doall's own have no more
    than there are CPUs. `threadpoolctl` shows the number. What was set before is restored.
    """

    def __init__(self, n):
        try:
            self._n = operator.index(n)
        except TypeError:
            raise TypeError(f"{n!r} threads, expected an integer from 1 to {MOST_THREADS}; nothing "
                            "is changed") from None
        if not 1 <= self._n <= MOST_THREADS:
            raise ValueError(f"{n} threads, expected 1 to {MOST_THREADS}; nothing is changed")
        self._before = []

    def __enter__(self):
        omp = openmp_library()
        before = omp.omp_get_max_threads() if omp else None
        if omp:
            omp.omp_set_num_threads(self._n)
        self._before.append((library.native.doall_set_threads(self._n), before))
        return self

    def __exit__(self, *_):
        native, omp = self._before.pop()
        library.native.doall_set_threads(native)
        if omp is not None:
            openmp_library().omp_set_num_threads(omp)


def max_threads():
    """How many threads a loop of doall's own has that this thread starts now."""
    return library.native.doall_threads()


def openmp_library():
    """The OpenMP runtime of the process if it is doall's, else None. Under `doall run` it may be
    what opens it when it is called."""
    served = os.path.basename(library.file_of("GOMP_parallel") or "")
    is_doalls = served.startswith(("libdoall-omp.so", library.OPENS_LATER))
    return ctypes.CDLL(None) if is_doalls else None


def _tell_threadpoolctl():
    """Lets threadpoolctl, if it is there, see and limit doall's own loops as "doall"."""
    try:
        import threadpoolctl
    except ImportError:
        return

    class Controller(threadpoolctl.LibController):
        user_api = "doall"
        internal_api = "doall"
        filename_prefixes = ("libdoall.so",)
        check_symbols = ("doall_set_threads", "doall_threads")

        def get_num_threads(self):
            return library.native.doall_threads()

        def set_num_threads(self, num_threads):
            library.native.doall_set_threads(num_threads)

        def get_version(self):
            return library.native.doall_version().decode()

    if hasattr(threadpoolctl, "register"):
        threadpoolctl.register(Controller)


_tell_threadpoolctl()
