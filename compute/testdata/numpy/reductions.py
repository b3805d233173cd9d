"""Writes reductions.json: what NumPy's reductions make of made-up arrays. Run by hand: python reductions.py > reductions.json"""
import json, warnings
import numpy as np

SHAPE = (4, 5, 6)


def items(dtype, nan):
    x = (np.arange(np.prod(SHAPE), dtype=np.uint64) * 2654435761 + 12345) % 2**32
    if dtype[0] == "f":
        v = ((x.astype("f8") / 4294967296 - 0.5) * 1000).astype(dtype)
        v[x % 5 == 0] = 0
        if nan:
            v[x % 7 == 3] = np.nan
    else:
        v = (x >> 7).astype(np.int64).astype(dtype)
        v[x % 5 == 0] = 0
    return v.reshape(SHAPE)


def wide(a):
    return np.float64 if a.dtype.kind == "f" else None


OPS = {
    "sum": lambda a, axis, skip: (np.nansum if skip else np.sum)(a, axis=axis, dtype=wide(a)),
    "prod": lambda a, axis, skip: (np.nanprod if skip else np.prod)(a, axis=axis, dtype=wide(a)),
    "mean": lambda a, axis, skip: (np.nanmean if skip else np.mean)(a, axis=axis, dtype=np.float64),
    "min": lambda a, axis, skip: (np.nanmin if skip else np.min)(a, axis=axis),
    "max": lambda a, axis, skip: (np.nanmax if skip else np.max)(a, axis=axis),
    "argmin": lambda a, axis, skip: (np.nanargmin if skip else np.argmin)(a, axis=axis),
    "argmax": lambda a, axis, skip: (np.nanargmax if skip else np.argmax)(a, axis=axis),
    "var": lambda a, axis, skip: (np.nanvar if skip else np.var)(a, axis=axis, dtype=np.float64),
    "std1": lambda a, axis, skip: (np.nanstd if skip else np.std)(a, axis=axis, dtype=np.float64, ddof=1),
    "count": lambda a, axis, skip: np.count_nonzero(a, axis=axis),
    "any": lambda a, axis, skip: np.any(a, axis=axis),
    "all": lambda a, axis, skip: np.all(a, axis=axis),
}


def number(v):
    if isinstance(v, (np.floating, float)):
        return "nan" if v != v else repr(float(v))
    return str(int(v))


def main():
    warnings.simplefilter("ignore")
    out = []
    for dtype, nan, skip in [("i1", 0, 0), ("u2", 0, 0), ("i8", 0, 0), ("f4", 0, 0), ("f8", 0, 0), ("f4", 1, 0), ("f8", 1, 0), ("f8", 1, 1)]:
        a = items(dtype, nan)
        for axes in [None, (0,), (1,), (2,), (0, 2), (1, 2)]:
            for op, run in OPS.items():
                axis = axes
                if op.startswith("arg"):
                    if axes is not None and len(axes) > 1:
                        continue
                    axis = None if axes is None else axes[0]
                made = np.atleast_1d(run(a, axis, skip)).ravel()
                out.append({"op": op, "dtype": dtype, "nan": bool(nan), "skip": bool(skip), "axes": list(axes or []), "want": " ".join(map(number, made))})
    print("[\n" + ",\n".join(json.dumps(e) for e in out) + "\n]")


main()
