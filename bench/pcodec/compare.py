"""Compares package internal/pcodec with the library pcodec: pip install pcodec==1.1.0 numpy.

    go build -o side ./bench/pcodec && python bench/pcodec/compare.py ./side [-sizes] [-only TEXT] [FILE.npy ...]

Both work by turns on one thread, at level 8, on arrays by seed and those in files. Figures are of
the library's time over ours: more than 1 is faster than the library. With -sizes there are many
more, shorter arrays, in one turn, and each whose size is more than 1.005 of the library's is named.
What ours encodes, the library decodes, and the other way round.
"""

import argparse
import collections
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from pcodec import ChunkConfig, standalone

TYPES = "u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8".split()
CONFIG = ChunkConfig(compression_level=8, enable_8_bit=True)


def floats(r, n):
    """Arrays as they are measured, from a generator."""
    t = np.arange(n)
    return {
        "walk": np.cumsum(np.round(r.normal(0, 3, n))), "smooth": np.sin(t / 500) * 1000 + np.sin(t / 37) * 20,
        "noisy": np.sin(t / 500) * 1000 + r.normal(0, 1, n), "normal": r.normal(0, 1, n),
        "lognormal": np.exp(r.normal(3, 2, n)), "decimals": r.integers(0, 100000, n) / 100,
        "multiples": r.integers(0, 1000, n) * 35.0, "sparse": np.where(r.random(n) < 0.9, 0, r.integers(0, 50, n)),
        "steps": np.repeat(r.integers(0, 1000, n // 10 + 1), 10)[:n], "few": r.normal(0, 1e3, 60)[r.integers(0, 60, n)],
        "times": np.cumsum(r.integers(0, 100, n) ** 2 // 50), "period": np.tile(r.normal(0, 1e4, 37), n // 37 + 1)[:n],
        "auto": filtered(r.normal(0, 100, n)), "square": t * (t / 8.0), "constant": np.full(n, 17.0)}


def filtered(noise):
    """Numbers that depend on the two before them."""
    out = np.empty_like(noise)
    a = b = 0.0
    for i, e in enumerate(noise.tolist()):
        a, b = 1.6 * a - 0.7 * b + e, a
        out[i] = a
    return out


def arrays(n, seed):
    """Names and arrays of all types."""
    base = floats(np.random.default_rng(seed), n)
    for t in TYPES:
        d = np.dtype(t)
        for name, v in base.items():
            if d.kind == "f":
                v = np.clip(v, -6e4, 6e4) if t == "f2" else v
            else:
                info = np.iinfo(d)
                v = np.clip(np.abs(v) if d.kind == "u" else v, max(info.min, -2.0**62), min(info.max, 2.0**62))
            yield f"{t} {name}", v.astype(d)
        yield f"{t} noise", np.frombuffer(np.random.default_rng(seed).bytes(n * d.itemsize), d)


class Ours:
    """The other process."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def do(self, *command):
        print(*command, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"no answer to {command}")
        return [int(word) for word in answer.split() if word.isdigit()]


def timed(f, *args):
    begin = time.perf_counter_ns()
    f(*args)
    return time.perf_counter_ns() - begin


def compared(ours, a, turns, folder):
    """The library's time over ours, encoding and decoding, and our size over the library's."""
    stream = standalone.simple_compress(a, CONFIG)
    paths = os.path.join(folder, "numbers"), os.path.join(folder, "stream"), os.path.join(folder, "encoded")
    a.tofile(paths[0])
    with open(paths[1], "wb") as f:
        f.write(stream)
    ours.do("load", a.dtype.str[1:], *paths[:2])
    ours.do("save", paths[2])
    with open(paths[2], "rb") as f:
        back = standalone.simple_decompress(f.read())
    if back.tobytes() != a.tobytes():
        sys.exit("the library decodes other numbers")

    out = np.empty_like(a)
    times = collections.defaultdict(list)
    for _ in range(turns):
        times["encode"].append(timed(standalone.simple_compress, a, CONFIG))
        times["our encode"].append(ours.do("encode")[0])
        for _ in range(3):
            times["decode"].append(timed(standalone.simple_decompress_into, stream, out))
            times["our decode"].append(ours.do("decode")[0])
    t = {name: statistics.median(of) for name, of in times.items()}
    size = ours.do("encode")[1]
    return (t["encode"] / t["our encode"], t["decode"] / t["our decode"], size / len(stream), a.nbytes / t["our encode"],
            a.nbytes / t["our decode"])


def mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("side")
    p.add_argument("files", nargs="*")
    p.add_argument("-sizes", action="store_true")
    p.add_argument("-only", default="")
    p.add_argument("-turns", type=int, default=5)
    p.add_argument("-n", type=int, default=1 << 16)
    args = p.parse_intermixed_args()

    todo = []
    for n in (200, 3000, 50000, 300000) if args.sizes else (args.n,):
        todo += [(f"{name} {n}" if args.sizes else name, a) for name, a in arrays(n, n)]
    todo += [(os.path.basename(f), np.load(f).reshape(-1)[: 1 << 19]) for f in args.files]

    ours = Ours(args.side)
    rows = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for name, a in todo:
            if args.only not in name:
                continue
            row = compared(ours, a, 1 if args.sizes else args.turns, folder)
            for key in ("all", a.dtype.str[1:], name.split()[1] if " " in name else "files"):
                rows[key].append(row)
            if not args.sizes or row[2] > 1.005:
                print(f"{name:24} encode {row[0]:.2f} decode {row[1]:.2f} size {row[2]:.4f} GB/s {row[3]:.2f} {row[4]:.2f}", flush=True)
    for key, of in rows.items():
        e, d, s, _, _ = zip(*of)
        print(f"{key:10} {len(of):4} encode {mean(e):.2f} decode {mean(d):.2f} size {mean(s):.4f} worst {max(s):.4f}, "
              f"{sum(x > 1.005 for x in s)} above 1.005")


main()
