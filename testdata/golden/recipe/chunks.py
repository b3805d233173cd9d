"""Bare chunks: special ones, dictionaries, and the 16-byte headers of Blosc1."""

import ctypes
import glob
import os

import blosc2
import numpy as np

from . import data
from .frames import cparams


class CParams(ctypes.Structure):
    """blosc2_cparams of the C library."""

    _fields_ = [
        ("compcode", ctypes.c_uint8), ("compcode_meta", ctypes.c_uint8), ("clevel", ctypes.c_uint8), ("use_dict", ctypes.c_int),
        ("typesize", ctypes.c_int32), ("nthreads", ctypes.c_int16), ("blocksize", ctypes.c_int32), ("splitmode", ctypes.c_int32),
        ("schunk", ctypes.c_void_p), ("filters", ctypes.c_uint8 * 6), ("filters_meta", ctypes.c_uint8 * 6), ("prefilter", ctypes.c_void_p),
        ("preparams", ctypes.c_void_p), ("tuner_params", ctypes.c_void_p), ("tuner_id", ctypes.c_int), ("instr_codec", ctypes.c_bool),
        ("codec_params", ctypes.c_void_p), ("filter_params", ctypes.c_void_p * 6),
    ]


def library():
    """The C library beside the wheel's extension module."""
    lib = ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(blosc2.__file__), "lib", "libblosc2.so"))[0])
    lib.blosc2_get_blosc2_cparams_defaults.restype = CParams
    for f in (lib.blosc2_chunk_zeros, lib.blosc2_chunk_nans, lib.blosc2_chunk_uninit):
        f.argtypes = [CParams, ctypes.c_int32, ctypes.c_char_p, ctypes.c_int32]
    lib.blosc2_chunk_repeatval.argtypes = [CParams, ctypes.c_int32, ctypes.c_char_p, ctypes.c_int32, ctypes.c_char_p]
    return lib


def special(rec):
    """Special chunks as bytes of their own."""
    lib = library()

    def make(fn, typesize, nbytes, *args):
        p = lib.blosc2_get_blosc2_cparams_defaults()
        p.typesize = typesize
        out = ctypes.create_string_buffer(32 + typesize)
        size = fn(p, nbytes, out, len(out), *args)
        if size < 0:
            raise RuntimeError(f"special chunk: {size}")
        return out.raw[:size]

    rec.chunk("special-zeros.chunk", make(lib.blosc2_chunk_zeros, 4, 4000), bytes(4000), hostile=True)
    rec.chunk("compressed-zeros-tail.chunk", blosc2.compress2(bytes(1001), cparams=cparams("lz4", typesize=8)), bytes(1001))
    rec.chunk("special-nan4.chunk", make(lib.blosc2_chunk_nans, 4, 400), np.full(100, np.nan, "<f4").tobytes(), hostile=True)
    rec.chunk("special-nan8.chunk", make(lib.blosc2_chunk_nans, 8, 800), np.full(100, np.nan, "<f8").tobytes())
    rec.chunk("special-uninit.chunk", make(lib.blosc2_chunk_uninit, 8, 800), bytes(800), oracle=False, note="uninitialised, reads as zeros")
    for ts in (1, 3, 8, 255, 300):
        item = data.rng(f"item{ts}").bytes(ts)
        rec.chunk(f"special-value-{ts}.chunk", make(lib.blosc2_chunk_repeatval, ts, ts * 50, item), item * 50, hostile=ts == 3)
    rec.chunk("compressed-zeros.chunk", blosc2.compress2(bytes(5000), cparams=cparams("lz4", typesize=4)), bytes(5000))


def plain(rec):
    for n in (1, 31, 32, 33, 4095, 4096, 4097, 8192, 8193):
        raw = data.make("noisy", n, 1, data.rng(f"plain{n}"))
        rec.chunk(f"plain-{n}.chunk", blosc2.compress2(raw, cparams=cparams("zstd", blocksize=4096 if n > 4000 else 0)), raw, hostile=n in (33, 8193))
    raw = data.make("random", 6000, 4, data.rng("random"))
    rec.chunk("stored-fallback.chunk", blosc2.compress2(raw, cparams=cparams("zstd", typesize=4)), raw, hostile=True)
    same = b"\x2a" * 3000
    rec.chunk("run.chunk", blosc2.compress2(same, cparams=cparams("lz4", filters="none")), same, hostile=True)
    halves = b"\x2a" * 2048 + bytes(2048)
    rec.chunk("run-and-zeros.chunk", blosc2.compress2(halves, cparams=cparams("lz4", filters="none", blocksize=2048)), halves, hostile=True)


def dictionaries(rec):
    for codec in ("zstd", "lz4", "lz4hc"):
        for split in (1, 2):
            raw = data.make("text", 48_000, 4, data.rng("dict"))
            p = cparams(codec, 5, "shuffle" if split == 1 else "none", 4, split, blocksize=2400, use_dict=True)
            chunk = blosc2.compress2(raw, cparams=p)
            if not chunk[31] & 1:
                raise RuntimeError("no dictionary was made")
            rec.chunk(f"dict-{codec}-{split}.chunk", chunk, raw, needs_feature="dictionary")


def blosc1(rec):
    """16-byte headers, through the old interface with BLOSC_BLOSC1_COMPAT set."""
    os.environ["BLOSC_BLOSC1_COMPAT"] = "1"
    try:
        for codec in (blosc2.Codec.BLOSCLZ, blosc2.Codec.LZ4, blosc2.Codec.ZLIB, blosc2.Codec.ZSTD):
            for f in (blosc2.Filter.NOFILTER, blosc2.Filter.SHUFFLE, blosc2.Filter.BITSHUFFLE):
                for ts in (1, 4, 8):
                    if ts == 1 and f != blosc2.Filter.NOFILTER:
                        continue
                    raw = data.make("noisy", 4000, ts, data.rng("blosc1"))
                    chunk = blosc2.compress(raw, typesize=ts, clevel=5, filter=f, codec=codec)
                    if chunk[2] & 5 == 5:
                        raise RuntimeError("the header is not that of Blosc1")
                    name = f"blosc1-{codec.name.lower()}-{f.name.lower()}-t{ts}.chunk"
                    rec.chunk(name, chunk, raw, hostile=ts == 4)
        raw = data.make("random", 4000, 4, data.rng("blosc1"))
        rec.chunk("blosc1-stored.chunk", blosc2.compress(raw, typesize=4, clevel=0), raw)
    finally:
        del os.environ["BLOSC_BLOSC1_COMPAT"]


def run(rec):
    special(rec)
    plain(rec)
    dictionaries(rec)
    blosc1(rec)
