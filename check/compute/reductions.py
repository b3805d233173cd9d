"""Reductions: what NumPy gives without rounding of its own, and the stated bound."""

MOST = LONG(np.finfo("f8").max)


class Reduced:
    """The items of each result, as rows."""

    def __init__(self, x, axis, keepdims):
        axes = range(x.ndim) if axis is None else (axis if isinstance(axis, tuple) else (axis,))
        gone = [a % x.ndim for a in axes]
        kept = [i for i in range(x.ndim) if i not in gone]
        self.n = int(np.prod([x.shape[i] for i in gone]))
        self.cells = int(np.prod([x.shape[i] for i in kept]))
        self.rows = x.transpose(kept + sorted(gone)).reshape(self.cells, self.n)
        self.shape = tuple(1 if i in gone else s for i, s in enumerate(x.shape) if keepdims or i in kept)


def reduce(name, x, q=None, axis=None, keepdims=False, ddof=0):
    x = np.asarray(x)
    base, skip = name.removeprefix("nan"), name.startswith("nan")
    r = Reduced(x, axis, keepdims)
    if base not in ("sum", "prod", "any", "all", "count") and r.n == 0 and r.cells:
        raise ValueError("no items")
    if base in ("var", "std") and r.n <= ddof and r.cells:
        raise ValueError("too few items")
    kind = x.dtype.kind
    if kind == "c" and base not in ("sum", "count", "any", "all"):
        raise TypeError("complex")
    if base in ("any", "all"):
        return Exactly(getattr(np, base)(r.rows, axis=1).reshape(r.shape))
    if base == "count":
        valid = ~np.isnan(r.rows)  # of values that are not missing
        return Exactly(np.count_nonzero(valid, axis=1).reshape(r.shape))
    if base in ("argmin", "argmax"):
        return Exactly(getattr(np, name)(r.rows, axis=1).reshape(r.shape) if r.cells else np.empty(r.shape, "i8"))
    few = np.zeros(1, "f8" if kind == "b" and q is not None else x.dtype)
    dtype = (np.median if q is not None else getattr(np, base))(few).dtype
    if base in ("min", "max"):
        return extreme(r, name, base)
    if q is not None or base == "median":
        q = 0.5 if q is None else q
        dtype = x.dtype.newbyteorder("=") if kind == "f" else np.dtype("f8")
        return Exactly(quantile(r.rows.astype("f8"), q, skip).astype(dtype).reshape(r.shape), True)
    if kind in "biu" and base in ("sum", "prod"):
        return Exactly(getattr(np, base)(r.rows, axis=1).reshape(r.shape))
    if kind == "c":
        rows = np.where(np.isnan(r.rows), 0, r.rows) if skip else r.rows
        half = {"c8": "f4", "c16": "f8"}[f"c{x.dtype.itemsize}"]
        return Parts(*[sums(p.astype(LONG), half, r.shape) for p in (rows.real, rows.imag)], x.dtype.newbyteorder("="))
    return {"sum": floats_sum, "mean": mean, "var": variance, "std": variance, "prod": prod}[base](r, base, skip, dtype, ddof)


def extreme(r, name, base):
    rows = r.rows
    if r.cells == 0:
        return Exactly(np.empty(r.shape, rows.dtype))
    value = getattr(np, name)(rows, axis=1)
    either = False
    if rows.dtype.kind == "f":  # of zeros of both signs, any may be the result
        zeros = rows == 0
        either = (np.any(zeros & np.signbit(rows), 1) & np.any(zeros & ~np.signbit(rows), 1)).reshape(r.shape)
    return Exactly(value.reshape(r.shape), either)


def without_nan(r, skip):
    """The items as long doubles, 0 for those that are skipped, and how many there are."""
    rows = r.rows.astype(LONG)
    missing = np.isnan(rows) & skip
    return np.where(missing, 0, rows), r.n - np.count_nonzero(missing, axis=1), missing


def sums(rows, dtype, shape):
    total = np.sum(rows, axis=1) + 0  # no negative zero
    absolute = np.sum(np.abs(rows), axis=1)
    out = Between(total.reshape(shape), (137 * U * absolute).reshape(shape), dtype)
    out.free = (np.isfinite(absolute) & (absolute > MOST)).reshape(shape)
    return out


def floats_sum(r, base, skip, dtype, ddof):
    return sums(without_nan(r, skip)[0], dtype, r.shape)


def mean(r, base, skip, dtype, ddof):
    rows, n, _ = without_nan(r, skip)
    if r.rows.dtype.kind in "biu" and r.rows.dtype.itemsize < 8:
        return Exactly((np.sum(r.rows, axis=1).astype("f8") / r.n).reshape(r.shape))
    value = (np.sum(rows, axis=1) + 0) / n
    # of integers of 64 bits, each is rounded to a float64
    error = 138 * U * np.sum(np.abs(rows), axis=1) / n + U * np.abs(value)
    out = Between(value.reshape(r.shape), error.reshape(r.shape), dtype)
    absolute = np.sum(np.abs(rows), axis=1)
    out.free = (np.isfinite(absolute) & (absolute > MOST)).reshape(r.shape)
    return out


def variance(r, base, skip, dtype, ddof):
    rows, n, missing = without_nan(r, skip)
    off = np.where(missing, 0, rows - (np.sum(rows, axis=1) / n)[:, None])
    square = np.sum(off * off, axis=1)
    left = np.where(n > ddof, n - ddof, np.nan).astype(LONG)
    mean_square = np.sum(rows * rows, axis=1)
    e = (n + 8) * U
    # std is off by e·rms, and var by e·rms·std + (e·rms)²
    value = square / left
    rms = np.sqrt(mean_square / left)
    error = e * rms * np.sqrt(value) + (e * rms) ** 2
    if base == "std":
        value, error = np.sqrt(value), e * rms
    out = Between(value.reshape(r.shape), error.reshape(r.shape), dtype)
    out.low = np.where(out.low < 0, 0, out.low).astype(dtype)
    far = np.isfinite(mean_square) & ((mean_square > MOST / 4) | (mean_square < 1e-290) & (mean_square > 0))
    out.free = far.reshape(r.shape)
    return out


def prod(r, base, skip, dtype, ddof):
    rows = r.rows.astype(LONG)
    rows = np.where(np.isnan(rows), 1, rows) if skip else rows
    value = np.prod(rows, axis=1)
    error = r.n * U * np.abs(value)
    out = Between(value.reshape(r.shape), error.reshape(r.shape), dtype)
    # A product that leaves the range of normal numbers on the way may do so for good.
    logs = np.log2(np.abs(rows))
    logs = np.where(np.isfinite(logs), logs, 0)
    far = (np.sum(np.maximum(logs, 0), axis=1) > 1022) | (np.sum(np.minimum(logs, 0), axis=1) < -1021)
    odd = np.isnan(rows).any(axis=1)
    out.free = (far & ~odd).reshape(r.shape)
    return out


def quantile(rows, q, skip):
    """The quantiles of float64 rows, as NumPy interpolates, but for infinite ends."""
    numbers_of = np.count_nonzero(~np.isnan(rows), axis=1)
    out = np.full(len(rows), np.nan)
    done = (numbers_of > 0) & (skip | (numbers_of == rows.shape[1]))
    if not np.any(done):
        return out
    rows, n = np.sort(rows[done], axis=1), numbers_of[done]
    at = q * (n - 1).astype("f8")
    low = np.minimum(at.astype("i8"), n - 1)
    part = at - low
    each = np.arange(len(rows))
    a, b = rows[each, low], rows[each, np.minimum(low + 1, n - 1)]
    d = b - a
    v = np.where(part >= 0.5, b - d * (1 - part), a + d * part)
    v = np.where(np.isinf(d), a / 2 + b / 2, v)
    out[done] = np.where(part == 0, a, v)
    return out
