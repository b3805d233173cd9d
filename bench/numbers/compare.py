#!/usr/bin/env python3
"""Compares the codec numeric with others on .npy files, such as those of numericdata.py.

    pip install numpy pcodec==1.1.0 fpzip==1.2.5 zfpy==1.0.1.post0 openzl==0.3.0 blosc2==4.14.1
    (cd bench && go build -o side ./numbers)
    compare.py -side side -out rows.csv [-time 0.1] [-peers] FILE.npy ...   adds rows to rows.csv
    compare.py -tables rows.csv

The Go side measures cairn: the codec numeric and Zstandard at level 5 on arrays as they are, with
one and two threads, and Zstandard with each of three filters in blocks of 64, 128 and 256 KiB.
Others are the libraries: Pcodec at level 8, fpzip and zfp where they take the array and lose
nothing, and of OpenZL the smallest of several graphs. What they write is decoded and compared. With
-peers, the speed of all that the chart shows is measured, on one thread.

The tables have a group for each split, and others for what numericdata.py derives: their bytes are
packed, rounded or cut.
"""

import argparse
import collections
import csv
import math
import os
import re
import subprocess
import sys
import time

import numpy as np

OPENZL = "OpenZL"
FIELDS = "array bytes codec threads stored encode decode".split()


def speeds(args, size, encode, decode):
    """GB/s of the fastest of several calls of each."""
    if not args.peers:
        return 0, 0
    out = []
    for do in (encode, decode):
        begin = time.perf_counter()
        best = math.inf
        while time.perf_counter() - begin < args.time:
            at = time.perf_counter()
            do()
            best = min(best, time.perf_counter() - at)
        out.append(size / best / 1e9)
    return out


def checked(what, got, a):
    if np.asarray(got).tobytes() != a.tobytes():
        sys.exit(f"{what} decodes other items")


def pcodec(a, args):
    from pcodec import ChunkConfig, standalone
    flat = a.reshape(-1)
    config = ChunkConfig(compression_level=8, enable_8_bit=True)
    stream = standalone.simple_compress(flat, config)
    out = np.empty_like(flat)
    standalone.simple_decompress_into(stream, out)
    checked("pcodec", out, a)
    return len(stream), *speeds(args, a.nbytes, lambda: standalone.simple_compress(flat, config),
                                lambda: standalone.simple_decompress_into(stream, out))


def fpzip(a, args):
    import fpzip
    if a.dtype.kind != "f":
        return None
    sides = [n for n in a.shape if n > 1]
    while len(sides) > 3:  # the slowest together
        sides[:2] = [sides[0] * sides[1]]
    b = a.reshape([1] * (3 - len(sides)) + sides)
    stream = fpzip.compress(b, precision=0, order="C")
    checked("fpzip", fpzip.decompress(stream, order="C"), a)
    return len(stream), 0, 0


def zfp(a, args):
    import zfpy
    if a.dtype.str[1:] not in ("f4", "f8", "i4", "i8"):
        return None
    sides = [n for n in a.shape if n > 1]
    stream = zfpy.compress_numpy(a.reshape(sides), write_header=True)
    got = zfpy.decompress_numpy(stream)
    if got.tobytes() != a.tobytes():
        return None  # special items, or negative zeros
    return len(stream), 0, 0


def openzl(a, args):
    import openzl.ext as zl
    from openzl.ext import graphs as g
    from openzl.ext import nodes as n

    def planes(c, then):
        return n.ConvertNumToStructLE()(c, n.TransposeSplit()(c, then))

    graphs = [
        lambda c: g.Compress()(c), lambda c: n.DeltaInt()(c, g.Compress()(c)), lambda c: planes(c, g.Zstd()(c)),
        lambda c: n.DeltaInt()(c, planes(c, g.Compress()(c))),
        lambda c: n.DeltaInt()(c, n.Zigzag()(c, planes(c, g.Compress()(c))))]
    if a.dtype.str[1:] == "f4":
        graphs.append(lambda c: n.Float32Deconstruct()(
            c, sign_frac=n.TransposeSplit()(c, g.Compress()(c)), exponent=g.Compress()(c)))

    items = zl.Input(zl.Type.Numeric, a.reshape(-1).view(f"u{a.itemsize}"))
    least = None
    for graph in graphs:
        c = zl.Compressor()
        c.set_parameter(zl.CParam.FormatVersion, zl.MAX_FORMAT_VERSION)
        c.select_starting_graph(graph(c))
        context = zl.CCtx()
        context.ref_compressor(c)
        stream = context.compress([items])
        checked(OPENZL, zl.DCtx().decompress(stream)[0].content.as_nparray(), a)
        least = min(least or len(stream), len(stream))
    return least, 0, 0


def blosc2(a, args):
    import blosc2
    if not args.peers:
        return None
    blosc2.set_nthreads(1)
    raw = a.tobytes()
    params = {"codec": blosc2.Codec.ZSTD, "clevel": 5, "filters": [blosc2.Filter.SHUFFLE], "filters_meta": [0],
              "typesize": a.itemsize, "nthreads": 1}
    stream = blosc2.compress2(raw, **params)
    out = np.empty_like(a)
    blosc2.decompress2(stream, dst=out, nthreads=1)
    checked("C-Blosc2", out, a)
    return len(stream), *speeds(args, a.nbytes, lambda: blosc2.compress2(raw, **params),
                                lambda: blosc2.decompress2(stream, dst=out, nthreads=1))


OTHERS = {"pcodec": pcodec, "fpzip": fpzip, "zfp": zfp, OPENZL: openzl, "C-Blosc2 zstd": blosc2}


def measure(args):
    new = not os.path.exists(args.out)
    command = [args.side, "-time", f"{args.time}s"] + ["-peers"] * args.peers + args.files
    ours = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    with open(args.out, "a") as f:
        if new:
            print(*FIELDS, sep=",", file=f)
        f.write(ours)
        for path in args.files:
            a = np.ascontiguousarray(np.load(path))
            for name, of in OTHERS.items():
                row = of(a, args)
                if row:
                    array = os.path.basename(path).removesuffix(".npy")
                    print(array, a.nbytes, name, 1, row[0], *(f"{v:.4f}" for v in row[1:]), sep=",", file=f)


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def group(name):
    split = name.split("-")[0]
    return split + (", with fewer digits" if re.search(r"-(rounded|within|bounded|bits|packed)$", name) else "")


def tables(path):
    """Of each group: for each array, sizes divided by that of numeric, and numeric's speed divided by
    that of Zstandard; then means and the number of arrays on which numeric is at least as good."""
    rows = collections.defaultdict(dict)
    with open(path) as f:
        for r in csv.DictReader(f):
            rows[r["array"]][r["codec"], int(r["threads"])] = r
    groups = collections.defaultdict(list)
    for name, of in rows.items():
        numeric, zstd = of["numeric", 1], of["zstd", 1]
        size = float(numeric["stored"])

        def ratio(codec):
            r = of.get((codec, 1))
            return float(r["stored"]) / size if r else math.nan

        def faster(what, threads):
            return float(of["numeric", threads][what]) / float(of["zstd", threads][what])

        best = min((ratio(c), c) for c, _ in of if c.startswith("zstd"))
        line = [int(numeric["bytes"]) / size, best[0]] + [ratio(c) for c in ("pcodec", "fpzip", "zfp", OPENZL)]
        line += [faster(what, threads) for threads in (1, 2) for what in ("encode", "decode")]
        line += [float(numeric[what]) for what in ("encode", "decode")]
        groups[group(name)].append((name, line))

    head = ["ratio", "Zstandard, best", "Pcodec", "fpzip", "zfp", "OpenZL", "encode", "decode", "encode, 2", "decode, 2",
            "encode GB/s", "decode GB/s"]
    for name, lines in groups.items():
        print(f"\n### {name}\n\n| | {' | '.join(head)} |\n|---|{'---:|' * len(head)}")
        for array, line in lines:
            print(f"| {array} |", *(f"{v:.2f} |" if v == v else "– |" for v in line))
        columns = [[v for v in column if v == v] for column in zip(*(line for _, line in lines))]
        print("| **mean** |", *(f"**{mean(c):.2f}** |" for c in columns))
        print("| worst |", *(f"{min(c):.2f} |" if c else "– |" for c in columns))
        wins = [f"{sum(v >= 1 for v in c)} of {len(c)} |" for c in columns]
        print("| at least 1 | |", *wins[1:10], "| |")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("files", nargs="*")
    p.add_argument("-side")
    p.add_argument("-out")
    p.add_argument("-tables")
    p.add_argument("-time", type=float, default=0.1)
    p.add_argument("-peers", action="store_true")
    args = p.parse_args()
    if args.tables:
        tables(args.tables)
    else:
        measure(args)


main()
