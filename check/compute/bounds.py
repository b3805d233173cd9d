"""What the documentation of package compute promises, as the least and the greatest result.

The error of a result in float64 is at most a bound; it is then rounded to the dtype of the result.
Rounding is monotone, so the result lies between the rounded ends.
"""

U = 2.0**-53
LONG = np.longdouble


class Between:
    """Results from low to high, of a dtype. NaN stands for NaN, and zeros have their signs. Nothing
    is promised where free is true: where float64 overflows or underflows on the way."""

    free = False

    def __init__(self, value, error, dtype):
        value = np.asarray(value, LONG)
        # 1/100 for the reference's own error
        error = np.where(np.isfinite(value), np.asarray(error, LONG) * LONG(1.01), 0)
        self.dtype = np.dtype(dtype)
        self.low, self.high = self.rounded(value - error), self.rounded(value + error)

    def rounded(self, v):
        v = v.astype("f8")
        return v.astype("f4").astype("f2") if self.dtype == "f2" else v.astype(self.dtype)

    def wrong(self, got):
        low, high = self.low, self.high
        signed = (got == 0) & (low == 0) & (high == 0) & (np.signbit(got) != np.signbit(low)) & (np.signbit(low) == np.signbit(high))
        return (~((low <= got) & (got <= high) | np.isnan(got) & np.isnan(low)) | signed) & ~np.asarray(self.free)


class Parts:
    """Complex results, in both parts."""

    def __init__(self, real, imag, dtype):
        self.dtype, self.parts = np.dtype(dtype), (real, imag)
        self.low = real.low

    def wrong(self, got):
        return self.parts[0].wrong(got.real) | self.parts[1].wrong(got.imag)


class Exactly:
    """One result. either says where a zero may have any sign."""

    def __init__(self, value, either=False):
        self.low, self.either = np.asarray(value), either
        self.dtype = self.low.dtype.newbyteorder("=")

    def wrong(self, got):
        want = self.low
        if self.dtype.kind in "biu":
            return got != want
        if self.dtype.kind == "c":
            return Exactly(want.real).wrong(got.real) | Exactly(want.imag).wrong(got.imag)
        signed = (got == 0) & (np.signbit(got) != np.signbit(want)) & ~np.asarray(self.either)
        return ~((got == want) | np.isnan(got) & np.isnan(want)) | signed


def ulp(v):
    """The distance of float64 numbers at v."""
    return np.maximum(np.abs(np.asarray(v, LONG)) * LONG(2.0**-52), LONG(5e-324))


def function(name, *args):
    """Elementwise functions, to four units in the last place of float64."""
    numpy = {"**": np.power}.get(name) or getattr(np, name)
    want = np.asarray(numpy(*args))
    if want.dtype.kind == "c" and name in COMPLEX_FUNCTIONS:
        return complex_function(name, args[0])
    if want.dtype.kind != "f" or name in ("abs", "copysign") and args[0].dtype.kind != "c":
        return Exactly(want)
    if args[0].dtype.kind == "c":
        x = args[0].astype(want.dtype.newbyteorder("=") == "f4" and "c8" or "c16")
        value = np.hypot(x.real.astype(LONG), x.imag.astype(LONG))
        return Between(value, 4 * ulp(value), want.dtype)
    args = [np.asarray(x).astype(want.dtype).astype(LONG) for x in args]
    value = numpy(*args)
    error = 4 * ulp(value)
    if name in ("sin", "cos", "tan"):  # as if the argument differed by one
        error = error + ulp(args[0]) * (1 + value * value if name == "tan" else 1)
    return Between(value, error, want.dtype)


COMPLEX_FUNCTIONS = ("exp", "log", "sqrt")


def complex_function(name, x):
    """Functions of complex numbers: both parts to 2**-50 of the absolute value. Nothing is known of
    numbers that are not finite."""
    want = np.asarray(getattr(np, name)(x))
    value = np.asarray(getattr(np, name)(np.asarray(x).astype(np.clongdouble)))
    size = np.hypot(value.real, value.imag)
    error = LONG(2.0**-50) * (np.maximum(size, 1) if name == "log" else size)
    part = want.real.dtype.newbyteorder("=")
    parts = [Between(v, error, part) for v in (value.real, value.imag)]
    for p in parts:
        p.free = ~(np.isfinite(x) & np.isfinite(want) & (size < np.finfo(part).max))
    return Parts(*parts, want.dtype.newbyteorder("="))


def product(x, y):
    """Products of complex numbers as Go computes them: those of complex64 in float64."""
    d = np.result_type(x, y)
    x, y = (np.asarray(v).astype(d).astype("c16") for v in (x, y))
    out = np.empty(np.broadcast(x, y).shape, "c16")
    out.real = x.real * y.real - x.imag * y.imag
    out.imag = x.real * y.imag + x.imag * y.real
    # NumPy fuses operations if the processor can, and computes complex64 in float32.
    scale = np.abs(x) * np.abs(y)
    peer = (x.astype(d) * y.astype(d)).astype("c16")
    fine = np.isfinite(out) & np.isfinite(peer) & (scale < np.finfo(d).max)
    eps, least = np.finfo(d).eps, np.finfo(d).smallest_subnormal
    if np.any(fine & (np.abs(out - peer) > 2 * eps * scale + 4 * least)):
        raise AssertionError("NumPy multiplies complex numbers in another way")
    return out.astype(d)[()]
