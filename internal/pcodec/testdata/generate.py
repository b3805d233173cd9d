"""Writes files with the library pcodec, for the tests of this package: pip install pcodec numpy.

    python generate.py [VERSION]

Numbers come from a generator that the tests have too, so files need nothing beside them. Names say
it all: numbers of a type, their kind and count, mode, differences, level, and of wrapped ones, which
are a header, metadata and pages one behind the other, how many numbers each page has.
"""

import os
import sys

import numpy as np
from pcodec import ChunkConfig, DeltaSpec, ModeSpec, PagingSpec, standalone, wrapped


def words(n):
    """n numbers of 64 bits from a shift register."""
    out = np.empty(n, np.uint64)
    x = 88172645463325252
    for i in range(n):
        x ^= x << 13 & (1 << 64) - 1
        x ^= x >> 7
        x ^= x << 17 & (1 << 64) - 1
        out[i] = x
    return out


def numbers(t, kind, n):
    """Numbers that integer arithmetic gives, so that they are the same everywhere."""
    d = np.dtype(t)
    w = words(n)
    small = (w >> np.uint64(32)).astype(np.int64) % 50
    if kind == "noise":
        v = (w >> np.uint64(64 - 8 * d.itemsize)).astype(f"u{d.itemsize}")
        return v.view(d)
    if kind == "walk":
        v = np.cumsum(small - 24)
    elif kind == "steps":
        v = np.arange(n) // 7 * 3 + small % 2
    elif kind == "multiples":
        v = small * 7 + (np.arange(n) % 19 == 0)
    elif kind == "repeats":
        v = small[np.arange(n) % 37] * 3
    elif kind == "few":
        v = np.array([-90, 3, 17, 101, 55])[small % 5]
    if d.kind == "u":
        v = v & 127
    if d.itemsize == 1:
        v = v % 64
    if kind == "multiples" and d.kind == "f":
        return (v.astype(d) / d.type(8)).astype(d)
    return v.astype(d)


MODES = {
    "auto": ModeSpec.auto, "classic": ModeSpec.classic, "dict": ModeSpec.try_dict, "int7": lambda: ModeSpec.try_int_mult(7),
    "float": lambda: ModeSpec.try_float_mult(0.125), "quant": lambda: ModeSpec.try_float_quant(5)}
DELTAS = {
    "auto": DeltaSpec.auto, "none": DeltaSpec.no_op, "first": lambda: DeltaSpec.try_consecutive(1),
    "third": lambda: DeltaSpec.try_consecutive(3), "back": DeltaSpec.try_lookback, "conv": lambda: DeltaSpec.try_conv1(6),
    "conv3": lambda: DeltaSpec.try_conv1(3)}

CASES = [
    (t, kind, 700, "auto", "auto", 8)
    for t in "u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8".split() for kind in ("walk", "noise")] + [
    ("i4", "multiples", 600, "int7", "none", 8), ("u8", "multiples", 600, "int7", "first", 4),
    ("f4", "multiples", 600, "float", "none", 8), ("f8", "multiples", 600, "float", "auto", 12),
    ("f2", "multiples", 300, "float", "none", 8),
    ("f4", "few", 600, "quant", "none", 8), ("f8", "few", 600, "quant", "first", 8), ("f2", "few", 300, "quant", "none", 3),
    ("i8", "few", 600, "dict", "none", 8), ("f4", "few", 600, "dict", "none", 8), ("f4", "few", 600, "dict", "back", 8),
    ("i4", "repeats", 1000, "classic", "back", 8), ("u2", "repeats", 300, "classic", "back", 8),
    ("f8", "repeats", 700, "float", "back", 8),
    ("i4", "walk", 700, "classic", "conv", 8), ("u2", "walk", 300, "classic", "conv3", 8), ("i1", "steps", 300, "classic", "conv", 8),
    ("i8", "steps", 700, "classic", "third", 8), ("f4", "steps", 5, "classic", "third", 8), ("f4", "steps", 2, "classic", "third", 8),
    ("i4", "steps", 1, "auto", "auto", 8), ("i4", "steps", 0, "auto", "auto", 8),
    ("i4", "walk", 256, "auto", "auto", 0), ("i4", "walk", 257, "auto", "auto", 1), ("u4", "noise", 512, "auto", "auto", 12)]

WRAPPED = [(t, "walk", 300, "auto", "auto", 8, (44, 256)) for t in "u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8".split()] + [
    ("i4", "multiples", 600, "int7", "none", 8, (300, 1, 299)), ("f4", "multiples", 600, "float", "first", 5, (257, 343)),
    ("f8", "few", 600, "quant", "third", 8, (2, 598)), ("i8", "few", 600, "dict", "none", 8, (200, 200, 200)),
    ("i4", "repeats", 1000, "classic", "back", 8, (400, 1, 599)), ("u2", "walk", 300, "classic", "conv3", 8, (150, 150)),
    ("f4", "noise", 300, "classic", "none", 0, (100, 200)), ("u4", "steps", 700, "auto", "auto", 12, (700,))]

version = sys.argv[1] + "-" if len(sys.argv) > 1 else ""
for t, kind, n, mode, delta, level in CASES:
    config = ChunkConfig(compression_level=level, mode_spec=MODES[mode](), delta_spec=DELTAS[delta](),
                         paging_spec=PagingSpec.equal_pages_up_to(500), enable_8_bit=True)
    data = standalone.simple_compress(numbers(t, kind, n), config)
    with open(os.path.join(os.path.dirname(__file__), f"{version}{t}-{kind}-{n}-{mode}-{delta}-{level}.pco"), "wb") as f:
        f.write(data)

if not version:
    for t, kind, n, mode, delta, level, sizes in WRAPPED:
        config = ChunkConfig(compression_level=level, mode_spec=MODES[mode](), delta_spec=DELTAS[delta](),
                             paging_spec=PagingSpec.exact_page_sizes(list(sizes)), enable_8_bit=True)
        file = wrapped.FileCompressor()
        chunk = file.chunk_compressor(numbers(t, kind, n), config)
        parts = [file.write_header(), chunk.write_meta()] + [chunk.write_page(i) for i in range(len(sizes))]
        name = f"{t}-{kind}-{n}-{mode}-{delta}-{level}-{'.'.join(map(str, sizes))}.wrapped"
        with open(os.path.join(os.path.dirname(__file__), name), "wb") as f:
            f.write(b"".join(parts))
