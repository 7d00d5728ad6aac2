"""Debian's OpenBLAS for OpenMP, by ctypes: products, a solution and many small products."""

import array
import ctypes
import random

blas = ctypes.CDLL("libopenblas.so.0")
N = 800
rng = random.Random(36)
a, b = (array.array("d", (rng.random() for _ in range(N * N))) for _ in "ab")
c = array.array("d", bytes(8 * N * N))
where = [ctypes.c_void_p(x.buffer_info()[0]) for x in (a, b, c)]
one = ctypes.c_double
for _ in range(4):
    blas.cblas_dgemm(101, 111, 111, N, N, N, one(1), where[0], N, where[1], N, one(0), where[2], N)
print("dgemm", *c[::N * 97 + 31])
for size in (60, 150):
    for _ in range(500):
        blas.cblas_dgemm(101, 111, 111, size, size, size, one(1), where[0], N, where[1], N, one(0),
                         where[2], N)
print("small", *c[:N * 100:N * 7 + 3])
pivots, right = array.array("i", [0] * N), array.array("d", [1] * N)
n, wide, status = ctypes.c_int(N), ctypes.c_int(1), ctypes.c_int(0)
blas.dgesv_(ctypes.byref(n), ctypes.byref(wide), where[0], ctypes.byref(n),
            ctypes.c_void_p(pivots.buffer_info()[0]), ctypes.c_void_p(right.buffer_info()[0]),
            ctypes.byref(n), ctypes.byref(status))
print("dgesv", status.value, *right[::97])
