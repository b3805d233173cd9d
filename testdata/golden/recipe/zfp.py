"""Arrays of floats in the three zfp codecs, of one to four dimensions.

What they hold is made of integers alone, so that a test can make it again and compare what it encodes: see number().
"""

import blosc2
import numpy as np

from .frames import cparams

MODES = {33: ("acc", 255), 34: ("prec", 9), 35: ("rate", 30)}
PLAN = {1: ((50,), (40,), (13,)), 2: ((19, 22), (19, 22), (9, 22)), 3: ((10, 9, 11), (10, 9, 11), (5, 9, 11)), 4: ((6, 7, 5, 6), (6, 7, 5, 6), (6, 4, 5, 6))}


def number(shape):
    """Item i at coordinates c: the sum of (k+2)·c[k]², and i³ mod 23, in eighths; every seventh one negative."""
    i = np.arange(int(np.prod(shape))).reshape(shape)
    v = sum((k + 2) * c * c for k, c in enumerate(np.indices(shape))) + i**3 % 23
    return np.where(i % 7 == 0, -v, v) / 8


def run(rec):
    for codec, (mode, meta) in MODES.items():
        for dims, (shape, chunks, blocks) in PLAN.items():
            for dtype in ("<f4", "<f8"):
                name = f"zfp-{mode}-{dims}d-{dtype[1:]}.b2nd"
                p = cparams(codec, filters="none", typesize=int(dtype[2]), split=2)
                p.codec_meta = meta
                arr = number(shape).astype(dtype)
                out = blosc2.asarray(arr, chunks=chunks, blocks=blocks, urlpath=rec.path(name), mode="w", cparams=p, dparams=blosc2.DParams(nthreads=1))
                got = out[...]
                if abs(got - arr).max() > abs(arr).max() / 3:
                    raise RuntimeError(f"{name}: {abs(got - arr).max()} is not the loss that was meant")
                rec.array(name, got, needs_codec=codec, hostile=dims == 2 and dtype == "<f4")
