"""FFTW's transforms with OpenMP, by ctypes; plans are estimated, so each run has the same."""

import array
import ctypes
import os
import random

fftw = ctypes.CDLL("libfftw3.so.3", mode=ctypes.RTLD_GLOBAL)
omp = ctypes.CDLL("libfftw3_omp.so.3")
omp.fftw_init_threads()
omp.fftw_plan_with_nthreads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count())))
N = 1 << 10
rng = random.Random(36)
data = array.array("d", (rng.random() for _ in range(2 * N * N)))
out = array.array("d", bytes(16 * N * N))
places = [ctypes.c_void_p(x.buffer_info()[0]) for x in (data, out)]
fftw.fftw_plan_dft_2d.restype = fftw.fftw_plan_dft_1d.restype = ctypes.c_void_p
FORWARD, ESTIMATE = -1, 64
for make, sizes, times in ((fftw.fftw_plan_dft_2d, (N, N), 30),
                           (fftw.fftw_plan_dft_1d, (N * N,), 10),
                           (fftw.fftw_plan_dft_1d, (N * 16,), 400)):
    plan = ctypes.c_void_p(make(*sizes, *places, FORWARD, ESTIMATE))
    for _ in range(times):
        fftw.fftw_execute(plan)
    print(sizes, *out[:2 * sizes[0]:sizes[0] // 3 + 1])
