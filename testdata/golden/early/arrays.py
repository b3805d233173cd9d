"""Writes arrays with an early python-caterva or python-blosc2, into a directory: python early/arrays.py DIR. See ../early.py, which calls it."""

import os
import sys

import numpy as np

try:
    import caterva as library
except ImportError:
    import blosc2 as library

HERE = sys.argv[1]
PLACE = dict(chunks=(8, 12), blocks=(4, 5))
NUMBERS = (np.arange(600, dtype="<i4") * 3 % 1009).reshape(20, 30)


def path(name):
    return os.path.join(HERE, name)


for sparse in (False, True):
    tag = "-sparse" if sparse else ""
    arr = library.asarray(NUMBERS, urlpath=path("data" + tag), contiguous=not sparse, **PLACE)
    assert np.asarray(arr[...]).tobytes() == NUMBERS.tobytes()
if library.__name__ == "caterva":
    library.full((20, 30), b"\x01\x02\x03", itemsize=3, urlpath=path("full"), contiguous=True, **PLACE)
    library.zeros((20, 30), itemsize=8, urlpath=path("zeros"), contiguous=True, **PLACE)
else:
    library.full((20, 30), 7, dtype="<i2", urlpath=path("full"), contiguous=True, **PLACE)
    library.zeros((20, 30), dtype="<f8", urlpath=path("zeros"), contiguous=True, **PLACE)
