"""MKL's dgemm and dgesv with its Intel threading layer, by ctypes."""

import ctypes
import glob
import os
import sys

import numpy as np

mkl = ctypes.CDLL(glob.glob(os.path.join(sys.prefix, "lib", "libmkl_rt.so.*"))[0])
# CblasRowMajor, CblasNoTrans twice
N = 1000
rng = np.random.default_rng(36)
a, b, c = rng.random((N, N)), rng.random((N, N)), np.zeros((N, N))
data = [ctypes.c_void_p(x.ctypes.data) for x in (a, b, c)]
one = ctypes.c_double
for _ in range(4):
    mkl.cblas_dgemm(101, 111, 111, N, N, N, one(1), data[0], N, data[1], N, one(0), data[2], N)
print("dgemm", c.sum(), c[::311, ::419].tolist())
pivots = np.zeros(N, np.int32)
right = np.ones(N)
status = mkl.LAPACKE_dgesv(101, N, 1, data[0], N, ctypes.c_void_p(pivots.ctypes.data),
                           ctypes.c_void_p(right.ctypes.data), 1)
print("dgesv", status, right[::311].tolist())
