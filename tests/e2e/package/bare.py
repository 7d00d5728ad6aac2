"""In a bare virtual environment: OpenMP is doall's, and a loop in C runs over an array."""

import ctypes

import doall.openmp

doall.watch()


class Array:
    def __init__(self, numbers):
        self.numbers = (ctypes.c_double * len(numbers))(*numbers)
        self.__array_interface__ = {"shape": (len(numbers),), "typestr": "<f8", "version": 3,
                                    "data": (ctypes.addressof(self.numbers), False)}


out, x = Array([0.0] * 1000), Array(range(1000))
bodies = ctypes.CDLL("/root/bodies.so")
with doall.schedule("guided"):
    doall.parallel_for(1000, bodies.squares, out, x)
assert list(out.numbers) == [i * i for i in range(1000)]
assert "guided" in doall.report() and "bare.py" in doall.report(), doall.report()
assert "libdoall-omp" in open("/proc/self/maps").read()
print("served and summed")
