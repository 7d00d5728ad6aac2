"""What the programs of this folder share: results that are printed so that runs can be compared.

Sums of floating point numbers depend on how many threads made them, and in what order they came,
on any runtime. So a result is printed with nine significant digits.
"""

import numpy as np


def show(name, value):
    array = np.asarray(value, dtype=float).ravel()
    parts = (array.size, array.sum(), np.abs(array).max(), array[:: max(1, array.size // 7)][:7])
    text = " ".join(" ".join(f"{x:.9g}" for x in np.atleast_1d(part)) for part in parts)
    print(f"{name}: {text}")


def random(seed=7):
    return np.random.default_rng(seed)
