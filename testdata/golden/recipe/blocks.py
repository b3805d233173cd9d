"""Blocks of variable length, and dictionaries in frames."""

import blosc2
from blosc2 import blosc2_ext
from dataclasses import asdict

from . import data
from .frames import cparams, write


def alike(name, nbytes):
    """Pieces out of a few hundred, so that small blocks have much in common with each other."""
    gen = data.rng(name)
    pool = gen.integers(0, 40, 6000, dtype="uint8").tobytes()
    out = b""
    while len(out) < nbytes:
        at = int(gen.integers(0, 5900))
        out += pool[at:at + int(gen.integers(16, 60))]
    return out[:nbytes]


def cut(raw, name):
    gen = data.rng(name)
    out, at = [], 0
    while at < len(raw):
        n = int(gen.integers(1, 700))
        out.append(raw[at:at + n])
        at += n
    return out


def vl_chunks(rec):
    """oracle: the library's function for VL chunks has to give the blocks back."""
    for codec, level, filters, ts, use_dict in (
            ("blosclz", 5, "shuffle", 4, False), ("lz4", 5, "none", 1, False), ("lz4hc", 9, "bitshuffle", 8, False), ("zlib", 5, "shuffle", 2, False),
            ("zstd", 1, "shuffle", 7, False), ("zstd", 0, "none", 1, False), ("lz4", 0, "none", 1, False),
            ("zstd", 5, "none", 1, True), ("lz4", 5, "none", 1, True), ("lz4hc", 5, "none", 1, True)):
        name = f"vl-{codec}{level}-{filters}-t{ts}{'-dict' if use_dict else ''}.chunk"
        raw = alike("vl", 20_000) if use_dict else data.make("text", 4000, ts, data.rng("vl"))
        blocks = cut(raw, name)
        chunk = blosc2_ext.vlcompress(blocks, **asdict(cparams(codec, level, filters, ts, use_dict=use_dict)))
        if blosc2_ext.vldecompress(chunk) != blocks or bool(chunk[31] & 1) != use_dict:
            raise RuntimeError(f"{name}: other blocks, or no dictionary")
        rec.chunk(name, chunk, raw, hostile=True)


def dict_frames(rec):
    for codec in ("zstd", "lz4", "lz4hc"):
        for is_sparse in (False, True) if codec == "lz4" else (False,):
            name = f"dict-{codec}{'-sparse' if is_sparse else ''}.b2frame"
            raw = data.make("text", 40_000, 4, data.rng(name))
            write(rec, name, [raw[:16_000], raw[16_000:32_000], raw[32_000:]], cparams(codec, 5, "none", 4, 2, blocksize=1600, use_dict=True), sparse=is_sparse)
            rec.frame(name, raw)


def run(rec):
    vl_chunks(rec)
    dict_frames(rec)
