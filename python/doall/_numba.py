"""doall.numba(): numba's prange on doall's loops (numba_layer.c)."""

import ctypes

from . import _library as library

_NAMES = {"numba_parallel_for": "doall_numba_for", "get_thread_id": "doall_numba_thread_id",
          "get_sched_size": "doall_numba_divisions"}
_begun = False


def numba():
    """numba's own parallel loops run on doall from now on: those of functions that numba compiles,
    or loads from its cache, after this call.

        doall.numba()

        @numba.njit(parallel=True)
        def f(x): ...

        with doall.schedule("guided"):
            f(x)

    prange, and all else that `parallel=True` makes parallel, is cut into 32 pieces for each thread
    (or by numba.set_parallel_chunksize()), which doall's default schedule deals: none that the
    program sets means the runtime's choice. numba.set_num_threads() sets how many threads they have.
    Nested ones share the same threads, and a forked child has its own.

    Needs numba 0.57 or later. Raises ImportError, which names what is missing, if this numba's
    threading layers are built otherwise; then nothing is changed. May be called again.
    """
    global _begun
    if _begun:
        return
    import llvmlite.binding
    import numba as its
    from numba.np.ufunc import parallel

    loops = library.loops
    if not parallel._is_initialized:
        # Its threads are none: a region of OpenMP would start them.
        before, its.config.THREADING_LAYER = its.config.THREADING_LAYER, "omp"
        try:
            parallel._launch_threads()
        except ValueError:  # no OpenMP runtime
            its.config.THREADING_LAYER = before
            parallel._launch_threads()
    own = {name: llvmlite.binding.address_of_symbol(name)
           for name in (*_NAMES, "get_parallel_chunksize")}
    missing = [name for name, address in own.items() if not address]
    if missing:
        raise ImportError(f"numba {its.__version__} has no {missing[0]}, expected one whose threading "
                          "layers have it (0.57 or later); its loops stay as they are")
    loops.doall_numba_begin.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    loops.doall_numba_begin(own["get_sched_size"], own["get_parallel_chunksize"])
    for name, ours in _NAMES.items():
        llvmlite.binding.add_symbol(name, ctypes.cast(getattr(loops, ours), ctypes.c_void_p).value)
    _begun = True
