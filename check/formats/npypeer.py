"""NumPy's side of the npy cases: it draws arrays, writes files, and compares those of cairn.

One JSON command per line comes in, one JSON answer per line goes out.
"""

import base64
import json
import os
import sys
import traceback
import warnings

import blosc2
import numpy as np
from numpy.lib import format as npy

warnings.simplefilter("ignore")

SCALARS = """
? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 f16 c8 c16 c32 >i2 >i4 >i8 >u2 >u4 >u8 >f2 >f4 >f8 >f16 >c8 >c16 >c32
S1 S7 S300 U1 U5 >U3 V1 V5 V40 M8[Y] M8[M] M8[W] M8[D] M8[h] M8[m] M8[s] M8[ms] M8[us] M8[ns] M8[ps] M8[fs] M8[as]
M8[25ns] >M8[ns] m8[ns] m8[7D] >m8[as] M8 m8
""".split()
NAMES = ["a", "b", "x y", "é", "漢字", "it's", 'q"q', "back\\slash", "", "f{}[]()", "line\nbreak", "😀", "descr", "0"]


def draw_dtype(rng, depth=0):
    if depth > 2 or rng.random() < 0.65:
        return np.dtype(SCALARS[rng.integers(len(SCALARS))])
    fields, used = [], set()
    for _ in range(rng.integers(1, 6)):
        name = NAMES[rng.integers(len(NAMES))]
        title = NAMES[rng.integers(len(NAMES))] if rng.random() < 0.15 else None
        name, title = name or f"f{len(fields)}", title or None
        if name in used or title in used or name == title:
            continue
        used |= {name, title} - {None}
        field = [(title, name) if title else name, draw_dtype(rng, depth + 1)]
        if rng.random() < 0.2:
            field.append(tuple(int(n) for n in rng.integers(1, 4, rng.integers(1, 3))))
        fields.append(tuple(field))
    if not fields:
        return np.dtype("i4")
    d = np.dtype(fields, align=bool(rng.random() < 0.3))
    if rng.random() < 0.1 and d.names and not any(isinstance(f[0], tuple) for f in fields):
        at = 0
        offsets = []
        for n in d.names:
            at += int(rng.integers(0, 5))
            offsets.append(at)
            at += d[n].itemsize
        d = np.dtype({"names": d.names, "formats": [d[n] for n in d.names], "offsets": offsets,
                      "itemsize": at + int(rng.integers(0, 5))})
    return d


def draw_shape(rng, itemsize):
    most = 3_000_000 if rng.random() < 0.02 else 6_000
    shape = []
    for _ in range(min(rng.integers(0, 6), rng.integers(0, 6))):
        room = most // max(1, itemsize * int(np.prod(shape or [1])))
        n = int(rng.integers(1, max(2, min(room, 300 if most > 6000 else 40))))
        shape.append(0 if rng.random() < 0.02 else n)
    return tuple(shape)


def fill(rng, a):
    if a.dtype.names:
        for n in a.dtype.names:
            fill(rng, a[n])
    elif a.size:
        d = a.dtype
        a[...] = np.frombuffer(rng.bytes(a.size * d.itemsize), d).reshape(a.shape)


def opaque(a):
    """NumPy leaves out padding when it copies structures, but not in void."""
    return a.view(np.dtype((np.void, a.itemsize)))


def ordered(a, order):
    return np.array(opaque(a), order=order, copy=True).view(a.dtype)


def items_of(a, order):
    return opaque(a).tobytes(order)


def leaves(a):
    """All fields without the padding, which numpy.load of archives loses."""
    if not a.dtype.names:
        return [a]
    return [leaf for n in a.dtype.names for leaf in leaves(a[n])]


def pack(rng, name):
    """Writes the array by python-blosc2, which does not know every dtype and shape."""
    global kept
    kept = ordered(kept, "C")
    o = {"chunksize": kept.itemsize * int(rng.integers(1, 200))} if rng.random() < 0.7 else {}
    o["cparams"] = {"codec": blosc2.Codec(int(rng.choice([0, 1, 2, 4, 5]))), "clevel": int(rng.integers(0, 6))}
    write = [blosc2.save_array, blosc2.save_tensor, blosc2.pack_tensor][rng.integers(3)]
    try:
        if write is blosc2.pack_tensor:
            with open(name, "wb") as f:
                f.write(write(kept, **o))
        else:
            write(kept, name, mode="w", **o)
        same("packed", blosc2.load_tensor(name), kept)
    except Exception:
        return False
    return True


def draw(c):
    global kept, where
    rng = np.random.default_rng([c["seed"], c["case"]])
    where = c["dir"]
    path = lambda name: os.path.join(where, name)
    if rng.random() < 0.03:
        d = [np.dtype("O"), np.dtype([("a", "i4"), ("b", "O")]), np.dtypes.StringDType()][rng.integers(3)]
        np.save(path("x.npy"), np.zeros(3, d), allow_pickle=True)
        return {"objects": True}
    d = draw_dtype(rng)
    kept = np.zeros(draw_shape(rng, d.itemsize), d)
    fill(rng, kept)
    if rng.random() < 0.4:
        kept = ordered(kept, "F")
    kind = ["save", "savez", "savez_compressed", "v1", "v2", "v3", "raw", "packed"][rng.integers(8)]
    if kind == "packed" and not pack(rng, path("x.b2frame")):
        kind = "save"
    name = NAMES[rng.integers(len(NAMES))] or "arr_0"
    if kind == "packed":
        pass
    elif kind == "save":
        np.save(path("x.npy"), kept)
    elif kind.startswith("save"):
        more = {f"other{i}": np.arange(int(rng.integers(0, 50))) for i in range(rng.integers(0, 3))}
        getattr(np, kind)(path("x.npz"), **{name: kept}, **more)
    elif kind == "raw":
        with open(path("x.raw"), "wb") as f:
            f.write(items_of(kept, "A"))
    else:
        with open(path("x.npy"), "wb") as f:
            try:
                npy.write_array(f, kept, (int(kind[1]), 0))
            except (ValueError, UnicodeEncodeError):  # the header does not fit into this version
                f.seek(0)
                f.truncate()
                npy.write_array(f, kept)
    fortran = bool(kept.flags.f_contiguous and not kept.flags.c_contiguous)
    return {"dtype": repr(npy.dtype_to_descr(d)), "shape": kept.shape, "fortran": fortran, "kind": kind,
            "name": name, "data": base64.b64encode(items_of(kept, "C")).decode()}


def same(what, got, want):
    if got.dtype != want.dtype or str(got.dtype) != str(want.dtype):
        raise ValueError(f"{what}: dtype {got.dtype}, want {want.dtype}")
    if got.shape != want.shape:
        raise ValueError(f"{what}: shape {got.shape}, want {want.shape}")
    if any(leaf.tobytes() != other.tobytes() for leaf, other in zip(leaves(got), leaves(want), strict=True)):
        raise ValueError(f"{what}: other items")


def compare(c):
    """Compares the files of cairn with the array, and with NumPy's own files, byte for byte."""
    path = lambda name: os.path.join(where, name)
    for out, order in (("c.npy", "C"), ("f.npy", "F")):
        a = ordered(kept, order)
        own = path("own.npy")
        np.save(own, a)
        want = np.load(own)
        same(out, np.load(path(out)), want)
        if a.size and a.shape:
            same(out + " mapped", np.load(path(out), mmap_mode="r"), want)
        with open(own, "rb") as f, open(path(out), "rb") as g:
            if f.read() != g.read():
                raise ValueError(f"{out}: not the bytes of numpy.save")
    np.save(path("own.npy"), kept)
    want = np.load(path("own.npy"))
    for out in ("s.npz", "z.npz"):
        with np.load(path(out)) as z:
            if sorted(z.files) != sorted(c["names"]):
                raise ValueError(f"{out}: {z.files}, want {c['names']}")
            for n in z.files:
                same(f"{out} {n}", z[n], want)
    for out, order in (("c.raw", "C"), ("f.raw", "F")):
        with open(path(out), "rb") as f:
            if f.read() != items_of(kept, order):
                raise ValueError(f"{out}: other items")
    return {}


def hello(c):
    return {"versions": f"C-Blosc2 {blosc2.blosclib_version.split()[0]}, python-blosc2 {blosc2.__version__}, numpy {np.__version__}"}


OPS = {"hello": hello, "draw": draw, "compare": compare}

for line in sys.stdin:
    command = json.loads(line)
    try:
        answer = OPS[command["op"]](command)
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}", "trace": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
