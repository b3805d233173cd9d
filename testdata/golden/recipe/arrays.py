"""Arrays: dimensions 0 to 16, edges, dtypes, special fills, and arrays that grew and shrank."""

import glob
import os

import blosc2
import numpy as np

from . import data
from .frames import cparams


def params(codec="zstd", level=5, filters="shuffle", typesize=1):
    p = cparams(codec, level, filters, typesize)
    return {"cparams": p, "dparams": blosc2.DParams(nthreads=1)}


def write(rec, name, arr, chunks=None, blocks=None, codec="zstd", level=5, filters="shuffle", sparse=False, **extra):
    path = rec.path(name)
    out = blosc2.asarray(arr, chunks=chunks, blocks=blocks, urlpath=path, mode="w", contiguous=not sparse,
                         **params(codec, level, filters, arr.dtype.itemsize))
    rec.array(name, arr, **extra)
    return out


def values(name, shape, dtype="<i4"):
    """Small smooth numbers of any simple dtype."""
    gen = data.rng(name)
    n = int(np.prod(shape, dtype=np.int64))
    v = np.cumsum(gen.integers(-9, 10, n)) if n else np.zeros(0, np.int64)
    return v.astype(dtype).reshape(shape)


def shapes(rec):
    plan = [
        ((), (), ()), ((1,), (1,), (1,)), ((1000,), (300,), (64,)), ((1000,), (1000,), (1000,)), ((7,), (10,), (3,)),
        ((5, 7), (4, 5), (3, 2)), ((33, 47), (10, 20), (4, 7)), ((64, 64), (32, 32), (16, 16)), ((1, 500), (1, 120), (1, 50)), ((500, 1), (100, 1), (7, 1)),
        ((13, 17, 19), (6, 8, 10), (3, 3, 5)), ((8, 8, 8), (8, 8, 8), (8, 8, 8)), ((9, 10, 11, 12), (4, 5, 6, 7), (2, 3, 3, 4)),
        ((5, 4, 6, 5, 7), (2, 3, 4, 3, 5), (2, 2, 2, 2, 3)), ((3, 4, 5, 3, 4, 5), (2, 2, 3, 2, 2, 3), (1, 2, 2, 1, 2, 2)),
        ((2, 3, 4, 2, 3, 2, 4), (2, 2, 3, 2, 2, 1, 3), (1, 2, 2, 1, 2, 1, 2)), ((3, 2, 3, 2, 3, 2, 3, 2), (2, 2, 2, 1, 2, 2, 2, 2), (1, 2, 2, 1, 1, 2, 2, 1)),
        ((2,) * 12, (2,) * 12, (1, 2) * 6), ((2, 1) * 8, (2, 1) * 8, (1, 1) * 8),
    ]
    for i, (shape, chunks, blocks) in enumerate(plan):
        codec = ("zstd", "lz4", "blosclz", "zlib", "lz4hc")[i % 5]
        name = f"nd{len(shape)}-{i:02d}-{codec}.b2nd"
        write(rec, name, values(name, shape), chunks, blocks, codec=codec, hostile=i in (0, 3, 5, 10, 12, 16))
    for i, shape in enumerate([(0,), (0, 5), (5, 0, 3), (0, 0)]):
        name = f"zero-{i}.b2nd"
        out = blosc2.zeros(shape, dtype="<i4", urlpath=rec.path(name), mode="w", **params(typesize=4))
        del out
        rec.array(name, np.zeros(shape, "<i4"), hostile=i == 1)
    name = "sparse.b2nd"
    write(rec, name, values(name, (40, 30)), (16, 16), (8, 4), sparse=True)
    name = "default-partition.b2nd"
    write(rec, name, values(name, (200, 300), "<i2") % 7)
    name = "level0.b2nd"
    write(rec, name, values(name, (20, 30)), (8, 8), (4, 4), level=0)
    for filters in ("bitshuffle", "delta", "none", "delta-shuffle"):
        name = f"filter-{filters}.b2nd"
        write(rec, name, values(name, (40, 30), "<i8"), (16, 16), (8, 4), codec="lz4", filters=filters, oracle="delta" not in filters,
              note="the library itself misreads slices of delta arrays, so it was not asked" if "delta" in filters else None)


def dtypes(rec):
    n = 300
    ints = np.arange(n)
    simple = ["|i1", "|u1", "<i2", "<u2", "<i8", "<u8", "<f4", "<f8", "<f2", "<c8", "<c16", "|b1", ">i2", ">i4", ">f8", ">u8", ">c16"]
    for i, dt in enumerate(simple):
        name = f"dtype-{dt.strip('<>|')}{'-big' if dt[0] == '>' else ''}.b2nd"
        arr = (ints % 2).astype(dt) if dt == "|b1" else (ints * 7 % 120).astype(dt)
        if dt.endswith(("c8", "c16")):
            arr = (ints - 1j * (ints % 5)).astype(dt)
        write(rec, name, arr.reshape(20, 15), (8, 8), (3, 4), hostile=dt == ">f8")
    words = np.array([data.WORDS[i % len(data.WORDS)].decode() for i in range(n)])
    dates = np.datetime64("2024-02-28T23:59", "s") + ints * np.timedelta64(3601, "s")
    point = np.zeros(n, dtype=[("a", "<i4"), ("b", "<f8"), ("name", "S5")])
    point["a"], point["b"], point["name"] = ints, ints / 4, words.astype("S5")
    nested = np.zeros(n, dtype=[("id", "<u2"), ("pos", [("x", "<f4"), ("y", "<f4")]), ("m", "<i2", (2, 3))])
    nested["id"], nested["pos"]["x"], nested["m"] = ints, ints / 2, ints[:, None, None]
    aligned = np.zeros(n, dtype=np.dtype([("a", "|u1"), ("b", "<i8"), ("c", "<i2")], align=True))
    aligned["a"], aligned["b"], aligned["c"] = ints % 200, ints * 10**9, -ints
    wide = np.zeros(40, dtype=[("k", "<i4"), ("pad", "S296")])
    wide["k"], wide["pad"] = np.arange(40), words[:40].astype("S296")
    more = {
        "str-U10": words.astype("<U10"), "str-S7": words.astype("|S7"), "str-U-big": words.astype(">U6"),
        "datetime-s": dates, "datetime-ns": dates.astype("<M8[ns]"), "datetime-D-big": dates.astype(">M8[D]"), "timedelta-ms": dates - dates[0],
        "struct": point, "struct-nested": nested, "struct-aligned": aligned, "struct-wide": wide, "void": np.frombuffer(bytes(range(250)) * 6, "|V5"),
    }
    for key, arr in more.items():
        write(rec, f"dtype-{key}.b2nd", arr, (len(arr) // 3,), (max(len(arr) // 11, 1),), hostile=key in ("struct", "str-U10"))
    # python-blosc2 shuffles <U by characters: shuffle with a stride of 4.
    arr = words.astype("<U10")
    out = blosc2.asarray(arr, urlpath=rec.path("dtype-str-default.b2nd"), mode="w")
    del out
    rec.array("dtype-str-default.b2nd", arr)


def filled(rec):
    kw = dict(chunks=(8, 8), blocks=(4, 4), mode="w")
    for dt in ("<f4", "<f8"):
        ts = np.dtype(dt).itemsize
        name = f"nans-{dt[1:]}.b2nd"
        arr = blosc2.nans((20, 20), dtype=dt, urlpath=rec.path(name), **kw, **params(typesize=ts))
        want = np.full((20, 20), np.nan, dt)
        del arr
        rec.array(name, want)
    arr = blosc2.zeros((20, 20), dtype="<i4", urlpath=rec.path("zeros.b2nd"), **kw, **params(typesize=4))
    rec.array("zeros.b2nd", np.zeros((20, 20), "<i4"))
    arr = blosc2.uninit((20, 20), dtype="<i4", urlpath=rec.path("uninit.b2nd"), **kw, **params(typesize=4))
    rec.array("uninit.b2nd", np.zeros((20, 20), "<i4"), uninit=True, note="uninitialised chunks read as zeros")
    arr = blosc2.full((20, 20), 7, dtype="<i2", urlpath=rec.path("full.b2nd"), **kw, **params(typesize=2))
    rec.array("full.b2nd", np.full((20, 20), 7, "<i2"))
    arr = blosc2.full((20, 20), b"abcde", dtype="S5", urlpath=rec.path("full-S5.b2nd"), **kw, **params(typesize=5))
    rec.array("full-S5.b2nd", np.full((20, 20), b"abcde", "S5"))
    arr = blosc2.zeros((30, 20), dtype="<f8", urlpath=rec.path("partly-written.b2nd"), **kw, **params(typesize=8))
    want = np.zeros((30, 20))
    want[5:17, 3:9] = values("partly", (12, 6), "<f8")
    arr[5:17, 3:9] = want[5:17, 3:9].copy()
    arr.schunk.vlmeta["units"] = "m"
    rec.array("partly-written.b2nd", want, hostile=True)


def resized(rec):
    for is_sparse in (False, True):
        tag = "-sparse" if is_sparse else ""
        kw = dict(chunks=(8, 8), blocks=(4, 4), mode="w", contiguous=not is_sparse)
        want = values("grow", (13, 10))
        arr = blosc2.asarray(want, urlpath=rec.path(f"grown{tag}.b2nd"), **kw, **params(typesize=4))
        arr.resize((20, 30))
        grown = np.zeros((20, 30), "<i4")
        grown[:13, :10] = want
        grown[15:, 20:] = values("corner", (5, 10))
        arr[15:, 20:] = grown[15:, 20:].copy()
        rec.array(f"grown{tag}.b2nd", grown)

        want = values("shrink", (30, 30))
        arr = blosc2.asarray(want, urlpath=rec.path(f"shrunk{tag}.b2nd"), **kw, **params(typesize=4))
        arr.resize((11, 20))
        rec.array(f"shrunk{tag}.b2nd", want[:11, :20])
    # Not by exactly one chunk: for that the library has a shortcut that misplaces the data.
    want = values("append", (230,))
    arr = blosc2.asarray(want[:160], urlpath=rec.path("appended.b2nd"), chunks=(64,), blocks=(16,), mode="w", **params(typesize=4))
    arr.append(want[160:])
    rec.array("appended.b2nd", want)
    want = values("meta", (10, 10))
    arr = blosc2.asarray(want, urlpath=rec.path("extra-meta.b2nd"), chunks=(5, 5), blocks=(5, 5), mode="w", meta={"origin": [1, 2], "crs": "EPSG:4326"},
                         **params(typesize=4))
    rec.array("extra-meta.b2nd", want)


def indexed(rec):
    """Structures with an index of every kind, one of them of an expression, and one that is stale. The files that the indexes are in are left out."""
    want = np.zeros(200, dtype=[(name, "i4") for name in "abcdefg"])
    for name in want.dtype.names:
        want[name] = values("indexed " + name, (200,))
    here = os.getcwd()
    os.chdir(rec.root)  # they are found by paths that may be relative
    try:
        arr = blosc2.asarray(want, urlpath=os.path.basename(rec.path("indexed.b2nd")), chunks=(50,), blocks=(10,), mode="w", **params(typesize=28))
        for name, kind in zip("bcdefg", ("SUMMARY", "FULL", "BUCKET", "PARTIAL", "OPSI", "BUCKET")):
            arr.create_index(name, kind=blosc2.IndexKind[kind])
        arr.create_index(expression="a + b", operands=arr.fields, kind=blosc2.IndexKind.BUCKET)
        indexes = arr.schunk.vlmeta["blosc2_indexes"]
        indexes["indexes"]["g"]["stale"] = True
        arr.schunk.vlmeta["blosc2_indexes"] = indexes
        arr.schunk.vlmeta["_blosc2_query_cache"] = {"version": 1}
        arr.schunk.vlmeta["other"] = "stays"
        for name in glob.glob("indexed.__*"):
            os.remove(name)
    finally:
        os.chdir(here)
    rec.array("indexed.b2nd", want)


def run(rec):
    indexed(rec)
    shapes(rec)
    dtypes(rec)
    filled(rec)
    resized(rec)
