"""NumPy's side: it draws arrays and expressions, and judges what cairn made of them.

One JSON command per line comes in, one JSON answer per line goes out.
"""

import json
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
ORDERS = "<<<>"
UNARY = "abs sqrt square floor ceil trunc rint sign isnan isinf isfinite logical_not negative".split()
INEXACT = """cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh
arctanh degrees radians""".split()
PAIRS = "minimum maximum fmin fmax logical_and logical_or logical_xor".split()
REDUCTIONS = "sum prod mean var std min max any all count argmin argmax median quantile".split()
SKIPPING = "sum prod mean var std min max argmin argmax median quantile".split()


def numbers(rng, d, shape):
    d = np.dtype(d)
    n = int(np.prod(shape))
    if d.kind == "b":
        v = rng.random(n) < rng.choice([0.1, 0.5, 0.9])
    elif d.kind in "iu":
        i = np.iinfo(d)
        v = rng.integers(i.min, i.max, n, d.newbyteorder("="), endpoint=True)
        if rng.random() < 0.7:
            v = rng.integers(max(i.min, -9), 10, n).astype(d)
        if rng.random() < 0.2 and n:
            v[rng.integers(0, n, 3)] = [i.min, i.max, 0]
    elif d.kind == "c":
        v = rng.integers(-5, 6, n) + 1j * rng.integers(-5, 6, n)
    else:
        v = rng.normal(0, rng.choice([1, 3, 100]), n)
        if rng.random() < 0.3:
            v = np.round(v)
        if rng.random() < 0.25 and n:
            v[rng.integers(0, n, 4)] = [np.nan, np.inf, -np.inf, -0.0]
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
    def __init__(self, rng):
        self.rng = rng
        self.shape = draw_shape(rng)
        self.arrays = {}
        for name in "abcd"[: int(rng.integers(1, 4))]:
            pool = INTS + FLOATS * 3 + ["?"] * 2
            if rng.random() < 0.04:
                pool = ["c8", "c16"]
            d = rng.choice(pool)
            d = d if d == "?" else rng.choice(list(ORDERS)) + d
            self.arrays[name] = numbers(rng, d, part_of(rng, self.shape))

    def pick(self, *what):
        return what[int(self.rng.integers(len(what)))]

    def literal(self):
        return self.pick("0", "1", "2", "3", "7", "-1", "100", "0.5", "2.0", "-1.5", "1e3", "True", "pi", "inf", "300", "0x10")

    def atom(self):
        if self.rng.random() < 0.25:
            return self.literal()
        name = self.pick(*self.arrays)
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
            return f"({x()} {self.pick('+', '-', '*', '/', '//', '%', '+', '-', '*')} {x()})"
        if r < 0.57:
            return f"({x()} {self.pick('<', '<=', '>', '>=', '==', '!=')} {x()})"
        if r < 0.64:
            return f"({x()} {self.pick('&', '|', '^', '<<', '>>')} {x()})"
        if r < 0.69:
            return f"{self.pick('-', '~', '+')}({x()})"
        if r < 0.78:
            return f"{self.pick(*UNARY)}({x()})"
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
        return f"{self.pick('int8', 'uint8', 'int16', 'int32', 'uint32', 'int64', 'uint64')}(clip(where(isnan({n}), 0, {n}), 0, 100))"

    def reduction(self, x, dims):
        name = self.pick(*REDUCTIONS)
        args = [x]
        if name == "quantile":
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
        keep = self.rng.random() < 0.3
        if keep:
            args.append("keepdims=True")
        if name.endswith(("var", "std")) and self.rng.random() < 0.3:
            args.append("ddof=1")
        return name, f"{name}({', '.join(args)})"


def cast(name):
    t = np.dtype(name).type
    return lambda x: x.astype(t) if isinstance(x, (np.ndarray, np.generic)) else t(x)


def one_axis(kw, name):
    if name.endswith(("argmin", "argmax")) and isinstance(kw.get("axis"), tuple):
        return {**kw, "axis": kw["axis"][0]}
    return kw


def reduced(name):
    """A reduction without NumPy's own rounding: floats are reduced as long doubles."""
    np_name = {"count": "count_nonzero"}.get(name, name)
    f = getattr(np, np_name)

    def run(x, *args, **kw):
        x = np.asarray(x)
        axis = kw.get("axis")
        axes = tuple(range(x.ndim)) if axis is None else (axis if isinstance(axis, tuple) else (axis,))
        n = int(np.prod([x.shape[a] for a in axes]))
        gone = {a % x.ndim for a in axes}
        cells = int(np.prod([s for i, s in enumerate(x.shape) if i not in gone]))
        base = name.removeprefix("nan")
        if base in ("mean", "var", "std", "median", "quantile", "min", "max", "argmin", "argmax") and n == 0 and cells:
            raise ValueError("no items")
        if base in ("var", "std") and n <= kw.get("ddof", 0) and cells:
            raise ValueError("too few items")
        if x.dtype.kind == "c" and name != "sum" and base not in ("count", "any", "all"):
            raise TypeError("complex")
        few = np.zeros([1] * max(1, x.ndim), x.dtype)
        want = f(few.astype("f8") if base in ("median", "quantile") and x.dtype.kind == "b" else few, *args).dtype
        kw = one_axis(kw, name)
        if x.dtype.kind == "f" and base in ("sum", "prod", "mean", "var", "std"):
            return np.asarray(f(x.astype(np.longdouble), *args, **kw)).astype(want)
        if x.dtype.kind == "f" and base in ("median", "quantile"):
            return np.asarray(f(x.astype(np.float64), *args, **kw)).astype(want)
        if base in ("median", "quantile"):
            return np.asarray(f(x.astype(np.float64), *args, **kw))
        return f(x, *args, **kw)

    return run


def where(c, x, y):
    for v, w in ((x, y), (y, x)):  # literals that do not fit are refused, not cut off
        if type(v) is int and isinstance(w, (np.ndarray, np.generic)):
            np.minimum(w, v)
    return np.where(c, x, y)


def namespace(arrays):
    names = {n: getattr(np, n) for n in UNARY + INEXACT + PAIRS + ["where", "arctan2", "hypot", "copysign", "isnan"]}
    names |= {n: reduced(n) for n in REDUCTIONS} | {"nan" + n: reduced("nan" + n) for n in SKIPPING}
    names |= {n: cast(n) for n in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()}
    names["where"] = where
    names["clip"] = lambda x, low, high: np.minimum(np.maximum(x, low), high)
    return names | {"pi": np.pi, "inf": np.inf} | arrays


kept = None


def draw(c):
    global kept
    rng = np.random.default_rng([c["seed"], c["case"]])
    while True:
        d = Drawn(rng)
        names = namespace(d.arrays)
        kind, inner = "elementwise", d.exact(int(rng.integers(1, 5)))
        text, scale, ulps = inner, None, 0
        try:
            value = np.asarray(eval(inner, names))
        except Exception as e:
            if rng.random() < 0.9 or "recursion" in str(e):
                continue
            kept = None
            return save(c, d, text, "refused", f"{type(e).__name__}: {e}")
        if value.dtype.kind not in "biufc" or value.ndim == 0 and not any(n in inner for n in d.arrays):
            continue
        if "** 2" in inner and any(a.ndim == 0 for a in d.arrays.values()):
            continue  # NumPy squares scalar bools in int64, and other bools in int8
        if any(a.dtype.kind == "c" for a in d.arrays.values()) and value.dtype.kind in "fc":
            ulps, scale = 4, float(np.sum(np.abs(value[np.isfinite(value)]))) + 100
        r = rng.random()
        refuse = ""
        if r < 0.15:
            kind, name, ulps = "function", d.pick(*INEXACT), 4
            text = f"{name}({inner})"
            if name in ("sin", "cos", "tan"):
                # as if the argument differed by one unit in the last place
                x = np.abs(value).astype(np.longdouble)
                scale = x * np.finfo("f8").eps * (1 + np.tan(x) ** 2 if name == "tan" else 1)
        elif r < 0.2:
            kind, ulps = "function", 4
            text = f"{d.pick('arctan2', 'hypot')}({inner}, {d.atom()})"
        elif r < 0.5:
            kind = "reduction"
            name, text = d.reduction(inner, value.ndim)
            base = name.removeprefix("nan")
            if base in ("sum", "mean", "var", "std", "prod", "median", "quantile"):
                ulps = 4
                scale = np.abs(value.astype(np.longdouble if value.dtype.kind != "c" else "c16"))
                scale = float(np.sum(scale[np.isfinite(scale)])) if value.size else 0
                if base in ("var", "std"):
                    scale = scale * scale if base == "var" else scale
        try:
            value = np.asarray(eval(text, names))
        except Exception as e:
            refuse = f"{type(e).__name__}: {e}"
            if rng.random() < 0.7:
                continue
        kept = (value, ulps, scale, text)
        return save(c, d, text, kind, refuse)


def save(c, d, text, kind, refuse):
    for name, a in d.arrays.items():
        np.save(os.path.join(c["dir"], name + ".npy"), a)
    return {"text": text, "names": list(d.arrays), "kind": kind, "refuse": refuse,
            "complex": any(a.dtype.kind == "c" for a in d.arrays.values())}


def compare(c):
    want, ulps, scale, text = kept
    got = np.load(os.path.join(c["dir"], "out.npy"))
    if got.dtype != want.dtype.newbyteorder("=") or got.shape != want.shape:
        raise ValueError(f"{got.dtype} {got.shape}, want {want.dtype} {want.shape}")
    if want.dtype.kind in "biu":
        bad = got != want
    else:
        bad = ~((got == want) | (np.isnan(got) & np.isnan(want)))
        if "quantile(" in text or "median(" in text:  # beside infinities NumPy interpolates to NaN
            bad &= ~(np.isinf(got) & np.isnan(want))
        if ulps or want.dtype.kind == "c":
            wide = "c16" if want.dtype.kind == "c" else "f8"
            g, w = got.astype(wide), want.astype(wide)
            eps = np.finfo(want.dtype).eps
            least = float(np.finfo(want.dtype).smallest_subnormal)
            room = 4 * eps * np.abs(w) + least + (
                scale if isinstance(scale, np.ndarray) else 131 * 2.0**-53 * scale if scale else 0)
            bad &= ~(np.abs(g - w) <= room)
            if np.isfinite(np.finfo(want.dtype).max):  # both at the edge of the range
                edge = float(np.finfo(want.dtype).max) * (1 - 8 * eps)
                bad &= ~((np.abs(g) >= edge) & (np.abs(w) >= edge))
    if np.any(bad):
        at = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(bad)))
        g, w = np.atleast_1d(got)[at], np.atleast_1d(want)[at]
        raise ValueError(f"{int(np.sum(bad))} of {bad.size} items differ, at {at}: {g!r}, want {w!r}")
    return {}


def hello(c):
    return {"numpy": np.__version__, "python_blosc2": blosc2.__version__, "c_blosc2": blosc2.blosclib_version}


OPS = {"hello": hello, "draw": draw, "compare": compare}

for line in sys.stdin:
    command = json.loads(line)
    try:
        answer = OPS[command["op"]](command)
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}", "trace": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
