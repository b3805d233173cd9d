"""Draws arrays and expressions. The files of this folder are one program, in this order: draw,
bounds, reductions, evaluate, peer."""

import json
import operator
import os
import sys
import traceback
import warnings

import blosc2
import numpy as np

warnings.simplefilter("ignore")
np.seterr(all="ignore")

INTS = "i1 i2 i4 i8 u1 u2 u4 u8".split()
FLOATS = "f2 f4 f8".split()
COMPLEX = "c8 c16".split()
DTYPES = ["?"] + INTS + FLOATS + COMPLEX
ORDERS = "<<<>"
ARITHMETIC = "+ - * / // % **".split()
COMPARISONS = "< <= > >= == !=".split()
BITS = "& | ^ << >>".split()
UNARY = "abs sqrt square floor ceil trunc rint sign isnan isinf isfinite logical_not negative".split()
INEXACT = """cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh
arctanh degrees radians""".split()
PAIRS = "minimum maximum fmin fmax logical_and logical_or logical_xor copysign".split()
INEXACT_PAIRS = "arctan2 hypot **".split()
PARTS = "real imag conj".split()
CASTS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
SKIPPING = "sum prod mean var std min max argmin argmax median quantile".split()
REDUCTIONS = SKIPPING + "any all count".split()
ALL_REDUCTIONS = REDUCTIONS + ["nan" + name for name in SKIPPING]


def numbers(rng, d, shape, edges=False):
    d = np.dtype(d)
    n = int(np.prod(shape))
    if d.kind == "b":
        v = rng.random(n) < rng.choice([0.1, 0.5, 0.9])
    elif d.kind in "iu":
        i = np.iinfo(d)
        v = rng.integers(i.min, i.max, n, d.newbyteorder("="), endpoint=True)
        if rng.random() < 0.7:
            v = rng.integers(max(i.min, -9), 10, n).astype(d)
        if (edges or rng.random() < 0.2) and n:
            v[rng.integers(0, n, 4)] = [i.min, i.max, 0, 1]
    elif d.kind == "c":
        v = rng.normal(0, 5, n) + 1j * rng.normal(0, 5, n)
        if rng.random() < 0.5:
            v = rng.integers(-5, 6, n) + 1j * rng.integers(-5, 6, n)
        if rng.random() < 0.1 and n:
            v[rng.integers(0, n, 2)] = [complex(np.nan, 1), complex(0, -0.0)]
    else:
        v = rng.normal(0, rng.choice([1, 3, 100]), n)
        if rng.random() < 0.3:
            v = np.round(v)
        if (edges or rng.random() < 0.25) and n:
            v[rng.integers(0, n, 5)] = [np.nan, np.inf, -np.inf, -0.0, 0.0]
        if edges and rng.random() < 0.5 and n:
            f = np.finfo(d)
            v[rng.integers(0, n, 4)] = [f.max, -f.max, f.smallest_subnormal, f.tiny]
    return v.astype(d).reshape(shape)


def draw_shape(rng):
    if rng.random() < 0.03:
        return (int(rng.integers(50_000, 200_000)),)
    dims = int(rng.integers(0, 5))
    sizes = [1, 2, 3, 5, 7, 13, 31, 64, 100]
    shape = [int(rng.choice(sizes)) for _ in range(dims)]
    if dims and rng.random() < 0.06:
        shape[rng.integers(dims)] = 0
    while np.prod(shape) > 40_000:
        shape[int(np.argmax(shape))] = 2
    return tuple(shape)


def part_of(rng, shape):
    """A shape that broadcasts to shape."""
    if rng.random() < 0.55:
        return shape
    own = [1 if rng.random() < 0.4 else n for n in shape]
    return tuple(own[int(rng.integers(0, len(own) + 1)):] if rng.random() < 0.3 else own)


class Drawn:
    """The arrays of a case, and what is drawn of them."""

    def __init__(self, rng, dtypes=None):
        self.rng = rng
        self.shape = draw_shape(rng)
        self.arrays = {}
        pool = INTS + FLOATS * 3 + ["?"] * 2
        if rng.random() < 0.08:
            pool = COMPLEX
        for name in "abc"[: len(dtypes or "?" * int(rng.integers(1, 4)))]:
            d = dtypes[len(self.arrays)] if dtypes else rng.choice(pool)
            d = d if d == "?" else rng.choice(list(ORDERS)) + d
            self.arrays[name] = numbers(rng, d, part_of(rng, self.shape), edges=dtypes is not None)

    def complex(self):
        return any(a.dtype.kind == "c" for a in self.arrays.values())

    def pick(self, *what):
        return what[int(self.rng.integers(len(what)))]

    def literal(self):
        return self.pick("0", "1", "2", "3", "7", "-1", "100", "0.5", "2.0", "-1.5", "1e3", "True", "pi", "inf", "300", "0x10")

    def atom(self):
        if self.rng.random() < 0.25:
            return self.literal()
        name = self.pick(*self.arrays)
        if self.arrays[name].ndim and self.rng.random() < 0.05:
            return f"index({name}, {int(self.rng.integers(self.arrays[name].ndim))})"
        if self.rng.random() < 0.1:
            dims = self.arrays[name].ndim
            name += "[" + ", ".join(self.pick(":", "::2", "::-1", "1:", ":-1") for _ in range(dims)) + "]" if dims else ""
        return name

    def exact(self, depth):
        """An expression whose result has no rounding but that of IEEE 754."""
        if depth == 0 or self.rng.random() < 0.1:
            return self.atom()
        x = lambda: self.exact(depth - 1)
        r = self.rng.random()
        if r < 0.45:
            ops = "+-*" if self.complex() else ["+", "-", "*", "/", "//", "%", "+", "-", "*"]
            return f"({x()} {self.pick(*ops)} {x()})"
        if r < 0.57:
            return f"({x()} {self.pick(*COMPARISONS)} {x()})"
        if r < 0.64:
            return f"({x()} {self.pick(*BITS)} {x()})"
        if r < 0.69:
            return f"{self.pick('-', '~', '+')}({x()})"
        if r < 0.78:
            return f"{self.pick(*PARTS) if self.complex() else self.pick(*UNARY)}({x()})"
        if r < 0.84:
            return f"{self.pick(*PAIRS)}({x()}, {x()})"
        if r < 0.90:
            return f"where({x()}, {x()}, {x()})"
        if r < 0.93:
            return f"clip({x()}, {self.pick('0', '-1', '0.5')}, {self.pick('3', '2.5')})"
        if r < 0.96:
            return f"({x()} ** {self.pick('0', '1', '2')})"
        if r < 0.98:
            return f"{self.pick('float16', 'float32', 'float64', 'bool')}({x()})"
        n = x()
        return f"{self.pick(*CASTS[1:9])}(clip(where(isnan({n}), 0, {n}), 0, 100))"

    def reduction(self, x, dims, name=None):
        name = name or self.pick(*REDUCTIONS)
        args = [x]
        if name.endswith("quantile"):
            args.append(self.pick("0", "0.25", "0.9", "1", "0.333"))
        if name in SKIPPING and self.rng.random() < 0.25:
            name = "nan" + name
        axes = [int(i) for i in self.rng.permutation(dims)[: int(self.rng.integers(0, dims + 1))]]
        axes = [a - dims if self.rng.random() < 0.3 else a for a in axes]
        if name.endswith(("argmin", "argmax")):
            axes = axes[:1]
        if len(axes) == 1 and self.rng.random() < 0.7:
            args.append(f"axis={axes[0]}")
        elif axes:
            args.append(f"axis={tuple(axes)}")
        if self.rng.random() < 0.3:
            args.append("keepdims=True")
        if name.endswith(("var", "std")) and self.rng.random() < 0.3:
            args.append("ddof=1")
        return f"{name}({', '.join(args)})"

    def function(self, x, y=None):
        """A function with rounding of its own."""
        if self.complex():
            return f"abs({x})"
        if self.rng.random() < 0.75:
            return f"{self.pick(*INEXACT)}({x})"
        name = self.pick(*INEXACT_PAIRS)
        y = y or self.atom()
        return f"({x}) ** ({y})" if name == "**" else f"{name}({x}, {y})"


# What each case must be about so that everything occurs: an operator or function with dtypes.
def directed(rng, n):
    """The arrays and the text of directed case number n."""
    what, n = n % 4, n // 4
    one, other = DTYPES[n % 14], DTYPES[(n // 14 + n) % 14]
    if what < 2:  # every pair of dtypes occurs within 196 numbers of both kinds
        ops = ARITHMETIC[:6] + COMPARISONS if what == 0 else BITS + PAIRS + ["where"]
        op = ops[(n // 14 + 5 * (n % 14)) % len(ops)]
        d = Drawn(rng, [one, other])
        text = f"{op}(a, b)" if op in PAIRS else "where(a > b, a, b)" if op == "where" else f"a {op} b"
        return d, text
    if what == 2:
        d = Drawn(rng, [one, other])
        names = UNARY + PARTS + CASTS + INEXACT + INEXACT_PAIRS + ["~", "+", "** 2", "** 3", "** 0.5", "clip"]
        name = names[(n // 14 + 5 * (n % 14)) % len(names)]
        if name in CASTS:  # of other numbers C does not say what becomes of them
            return d, f"{name}(a)" if name in ("bool", "float32", "float64") else f"{name}(minimum(isfinite(a), 1))"
        if name in INEXACT_PAIRS:
            return d, f"(a) ** (b)" if name == "**" else f"{name}(a, b)"
        if name.startswith("**"):
            return d, f"(a) {name}"
        return d, "clip(a, 0, 2)" if name == "clip" else f"{name}(a)"
    d = Drawn(rng, [one])
    return d, d.reduction("a", d.arrays["a"].ndim, ALL_REDUCTIONS[(n // 14 + 5 * (n % 14)) % len(ALL_REDUCTIONS)])
