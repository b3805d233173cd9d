"""Deterministic test data: a few kinds of bytes that exercise different paths of codecs and filters."""

import random
import zlib

import numpy as np

KINDS = ("ramp", "noisy", "text", "runs", "planes", "random", "mixed")

WORDS = b"cairn stone path ridge valley north marker summit weather drift fog snow mile ".split()


def rng(name):
    """A generator whose stream depends on the name of the case only."""
    return np.random.Generator(np.random.PCG64(zlib.crc32(name.encode())))


def make(kind, nbytes, typesize, gen):
    """nbytes of the given kind; items are typesize bytes, little endian, where that means anything."""
    count = nbytes // typesize + 1
    if kind == "ramp":
        out = items(np.arange(count, dtype=np.uint64) * 3 + 1000, typesize)
    elif kind == "noisy":
        walk = np.cumsum(gen.integers(-40, 41, count)).astype(np.int64)
        out = items(walk.astype(np.uint64), typesize)
    elif kind == "text":
        picks = gen.integers(0, len(WORDS), nbytes // 4 + 8)
        out = b" ".join(WORDS[i] for i in picks)
    elif kind == "runs":
        lengths = gen.integers(1, 700, nbytes // 100 + 8)
        values = gen.integers(0, 256, len(lengths), dtype=np.uint8)
        out = np.repeat(values, lengths).tobytes()
    elif kind == "planes":
        block = np.zeros((count, typesize), dtype=np.uint8)
        block[:, 0] = gen.integers(0, 256, count, dtype=np.uint8)
        block[:, typesize - 1] = 0x3F
        out = block.tobytes()
    elif kind == "random":
        out = gen.bytes(nbytes)
    elif kind == "mixed":
        out = gen.bytes(nbytes // 3) + bytes(nbytes // 3) + make("ramp", nbytes // 3 + 3, typesize, gen)
    elif kind == "float":
        dtype = {4: "<f4", 8: "<f8"}[typesize]
        out = (np.sin(np.arange(count) / 37.0) * 100 + gen.standard_normal(count) / 16).astype(dtype).tobytes()
    else:
        raise ValueError(kind)
    while len(out) < nbytes:
        out += out
    return out[:nbytes]


def items(values, typesize):
    """The low typesize bytes of unsigned 64-bit values, padded with the item number where items are wider."""
    raw = np.zeros((len(values), typesize), dtype=np.uint8)
    wide = values.astype("<u8").view(np.uint8).reshape(-1, 8)
    width = min(8, typesize)
    raw[:, :width] = wide[:, :width]
    if typesize > 8:
        raw[:, 8:] = (np.arange(typesize - 8, dtype=np.uint8))[None, :]
        raw[:, typesize - 1] = wide[:, 1]
    return raw.tobytes()


def truncate(raw, typesize, bits):
    """What trunc_prec leaves of floats: the mantissa bits beyond the first `bits` are zero."""
    mantissa, word = {4: (23, "<u4"), 8: (52, "<u8")}[typesize]
    zeroed = mantissa - bits if bits >= 0 else -bits
    words = np.frombuffer(raw, dtype=word)
    mask = np.array(~((1 << zeroed) - 1) & ((1 << (8 * typesize)) - 1), dtype=word)
    return (words & mask).tobytes()


def pairwise(factors, allowed, seed):
    """A small list of dicts in which every allowed pair of values of every two factors occurs."""
    draw = random.Random(seed)
    names = list(factors)
    todo = set()
    for i, a in enumerate(names):
        for b in names[i + 1:]:
            for x in range(len(factors[a])):
                for y in range(len(factors[b])):
                    todo.add((a, x, b, y))
    rows = []
    while todo:
        best, gain = None, 0
        seeds = sorted(todo)
        for _ in range(60):
            row = {n: draw.randrange(len(factors[n])) for n in names}
            a, x, b, y = seeds[draw.randrange(len(seeds))]
            row[a], row[b] = x, y
            if not allowed({n: factors[n][v] for n, v in row.items()}):
                continue
            covers = sum((p, row[p], q, row[q]) in todo for i, p in enumerate(names) for q in names[i + 1:])
            if covers > gain:
                best, gain = row, covers
        if best is None:  # what is left is not allowed by itself
            break
        rows.append({n: factors[n][v] for n, v in best.items()})
        todo -= {(p, best[p], q, best[q]) for i, p in enumerate(names) for q in names[i + 1:]}
    return rows
