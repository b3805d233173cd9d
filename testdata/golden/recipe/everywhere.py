"""What the other recipes have once, in every place where it can be: constants of every dtype and in every kind of frame, dictionaries, runs, filters."""

import ctypes
from dataclasses import asdict

import blosc2
import numpy as np
from blosc2 import blosc2_ext

from . import data
from .blocks import alike, cut
from .chunks import library
from .frames import CODECS, cparams, write

SV = blosc2.SpecialValue
PAIR = np.dtype([("a", "<i4"), ("b", "<f8")])
VALUES = {
    "i1": -7, "u1": 200, "i2": -3000, "u2": 50_000, "i4": -70_000, "u4": 4_000_000_000, "i8": -(2**40), "u8": 2**63 + 5, "f2": 1.5, "f4": 0.1, "f8": -2.25,
    "c8": 1 + 2j, "c16": -3 + 0.5j, "b1": True, "U3": "abc", "S300": b"cairn" * 60, "M8[s]": np.datetime64("2024-02-28T23:59", "s"),
    "m8[ms]": np.timedelta64(77, "ms"), "pair": np.array((7, 2.5), PAIR)[()], "V16": None,
}


def constant_arrays(rec):
    """blosc2.zeros, nans, full and uninit of every dtype, by turns in a file and in a directory; the last chunks of a row are not full."""
    shape = (7, 9)
    for i, (key, value) in enumerate(VALUES.items()):
        dtype = PAIR if key == "pair" else np.dtype(key)
        makes = {"zeros": (np.zeros(shape, dtype), lambda **kw: blosc2.zeros(shape, dtype=dtype, **kw)),
                 "uninit": (np.zeros(shape, dtype), lambda **kw: blosc2.uninit(shape, dtype=dtype, **kw))}
        if value is not None:
            makes["full"] = np.full(shape, value, dtype), lambda **kw: blosc2.full(shape, value, dtype=dtype, **kw)
        if key in ("f4", "f8", "c8"):  # of complex numbers the library sets eight bytes to one NaN
            nan = np.full(shape, np.nan, {4: "<f4", 8: "<f8"}[dtype.itemsize]).view(dtype)
            makes["nans"] = nan, lambda **kw: blosc2.nans(shape, dtype=dtype, **kw)
        for k, (what, (want, make)) in enumerate(makes.items()):
            is_sparse = (i + k) % 2 == 1
            name = f"every-{what}-{key.replace('[', '').replace(']', '')}{'-sparse' if is_sparse else ''}.b2nd"
            make(chunks=(4, 4), blocks=(2, 3), urlpath=rec.path(name), mode="w", contiguous=not is_sparse,
                 cparams=cparams("lz4", typesize=dtype.itemsize), dparams=blosc2.DParams(nthreads=1))
            rec.array(name, want, uninit=what == "uninit")
    for is_sparse in (False, True):
        name = f"every-arange{'-sparse' if is_sparse else ''}.b2nd"
        blosc2.arange(0, 630, 3, dtype="<i4", shape=(14, 15), chunks=(4, 10), blocks=(2, 4), urlpath=rec.path(name), mode="w", contiguous=not is_sparse,
                      cparams=cparams("zstd", typesize=4), dparams=blosc2.DParams(nthreads=1))
        rec.array(name, np.arange(0, 630, 3, dtype="<i4").reshape(14, 15))


def constant_frames(rec):
    """Constants as entries of the index and as chunks of their own, for items of any size; the last chunk is short."""
    for ts in (1, 2, 3, 16, 300):
        for kind, value in (("zeros", SV.ZERO), ("uninit", SV.UNINIT), ("value", SV.VALUE)):
            item = data.rng(f"item{ts}").bytes(ts) if kind == "value" else bytes(ts)
            for is_sparse in (False, True) if ts in (3, 300) else (False,):
                name = f"every-{kind}-t{ts}{'-sparse' if is_sparse else ''}.b2frame"
                sc = write(rec, name, [], cparams(typesize=ts), sparse=is_sparse, chunksize=20 * ts)
                sc.fill_special(70 - 13, value, item if kind == "value" else None)
                rec.frame(name, item * 57)
    name = "every-nan-t8-sparse.b2frame"
    sc = write(rec, name, [], cparams(typesize=8), sparse=True, chunksize=160)
    sc.fill_special(57, SV.NAN)
    rec.frame(name, np.full(57, np.nan).tobytes())


def constants_of_any_size(rec):
    """Chunks of one value in a frame whose chunks have sizes of their own. Of zeros and the like such a frame says no size, and the library cannot read it."""
    for is_sparse in (False, True):
        name = f"every-variable{'-sparse' if is_sparse else ''}.b2frame"
        parts = [b"\x01\x02\x03\x04" * 100, b"\x01\x02\x03\x04" * 50, data.make("noisy", 900, 4, data.rng("variable")), b"\xff\xff\x00\x7f" * 300]
        sc = write(rec, name, parts, cparams("lz4", typesize=4), sparse=is_sparse, chunksize=400)
        lib = library()
        p = lib.blosc2_get_blosc2_cparams_defaults()
        p.typesize = 4
        for item, count in ((b"\x09\x08\x07\x06", 70), (np.float32(np.nan).tobytes(), 33)):
            out = ctypes.create_string_buffer(64)
            if lib.blosc2_chunk_repeatval(p, 4 * count, out, len(out), item) < 0 or append_chunk(sc, out.raw) < 0:
                raise RuntimeError(name)
            parts.append(item * count)
        rec.frame(name, b"".join(parts), hostile=True)


def append_chunk(sc, chunk):
    lib = library()
    lib.blosc2_init()
    lib.blosc2_schunk_append_chunk.restype = ctypes.c_int64
    lib.blosc2_schunk_append_chunk.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_bool]
    return lib.blosc2_schunk_append_chunk(sc.c_schunk, chunk, True)


def runs(rec):
    """Chunks of which nothing is left but sizes: every block is of one byte, and no two of the same."""
    for codec in CODECS:
        for split in (1, 2):
            name = f"every-runs-{codec}-{split}.b2frame"
            parts = [b"".join(bytes([b]) * 400 for b in blocks) for blocks in ((0, 7, 255, 7), (1, 0, 0, 2), (128, 128, 128, 3))] + [bytes([5]) * 390 + bytes(10)]
            write(rec, name, parts, cparams(codec, filters="shuffle", typesize=4, split=split, blocksize=400))
            rec.frame(name, b"".join(parts), hostile=codec == "lz4")


def dictionaries(rec):
    for codec in ("zstd", "lz4", "lz4hc"):
        for is_sparse in (False, True):
            name = f"every-dict-{codec}{'-sparse' if is_sparse else ''}.b2nd"
            raw = data.make("text", 24_000, 1, data.rng("dict-array"))
            arr = np.frombuffer(raw, "|u1").reshape(150, 160)
            out = blosc2.asarray(arr, chunks=(100, 160), blocks=(10, 160), urlpath=rec.path(name), mode="w", contiguous=not is_sparse,
                                 cparams=cparams(codec, 5, "none", 1, use_dict=True), dparams=blosc2.DParams(nthreads=1))
            if not out.schunk.get_chunk(0)[31] & 1:
                raise RuntimeError(f"{name}: no dictionary was made")
            rec.array(name, arr)


def vl_frames(rec):
    """Blocks of variable length in frames of both kinds, with and without dictionaries."""
    for codec, use_dict in (("zstd", False), ("zstd", True), ("lz4", True), ("lz4hc", True), ("blosclz", False)):
        for is_sparse in (False, True) if use_dict else (False,):
            name = f"every-vl-{codec}{'-dict' if use_dict else ''}{'-sparse' if is_sparse else ''}.b2frame"
            p = cparams(codec, 5, "none", 1, use_dict=use_dict)
            parts = [alike(f"vl-frame{i}", 7500) for i in range(2)]
            sc = write(rec, name, [], p, sparse=is_sparse, chunksize=7500)
            for i, part in enumerate(parts):
                chunk = blosc2_ext.vlcompress(cut(part, f"{name}{i}"), **asdict(p))
                if bool(chunk[31] & 1) != use_dict or append_chunk(sc, chunk) < 0:
                    raise RuntimeError(name)
            rec.frame(name, b"".join(parts), hostile=is_sparse and codec == "zstd", handle=sc)


def truncations(rec):
    """int_trunc with the bits to keep, and with those to drop."""
    for ts in (1, 2, 4, 8):
        for keep in (6 * ts, -3):
            name = f"every-int-trunc-t{ts}{'-drop' if keep < 0 else ''}.b2frame"
            raw = data.make("noisy", 2000, ts, data.rng("int-trunc"))
            drop = -keep if keep < 0 else 8 * ts - keep
            want = (np.frombuffer(raw, f"<u{ts}") & np.array(2**(8 * ts) - 2**drop, f"<u{ts}")).tobytes()
            sc = write(rec, name, [raw[:1200], raw[1200:]], cparams("zstd", filters=[(36, keep & 0xFF), (1, 0)], typesize=ts))
            rec.frame(name, want, handle=sc, needs_filter=36)


def bytedeltas(rec):
    for ts in (2, 3, 8, 16):
        name = f"every-bytedelta-t{ts}.b2frame"
        raw = data.make("noisy", 240 * ts, ts, data.rng("bytedelta"))
        write(rec, name, [raw[:150 * ts], raw[150 * ts:]], cparams("lz4", filters=[(1, 0), (35, ts)], typesize=ts))
        rec.frame(name, raw, needs_filter=35)
    arr = np.cumsum(data.rng("bytedelta").integers(-9, 10, 600)).astype("<i4").reshape(20, 30)
    blosc2.asarray(arr, chunks=(8, 12), blocks=(4, 5), urlpath=rec.path("every-bytedelta.b2nd"), mode="w",
                   cparams=cparams("zstd", filters=[(1, 0), (35, 4)], typesize=4), dparams=blosc2.DParams(nthreads=1))
    rec.array("every-bytedelta.b2nd", arr, needs_filter=35)
    for ts in (4, 8):  # the one before 2.10.0, which python-blosc2 has no name for
        raw = data.make("noisy", 1000 * ts, ts, data.rng("bytedelta"))
        rec.chunk(f"every-old-bytedelta-t{ts}.chunk", compress(raw, 1, ts, ((1, 0), (34, ts))), raw, needs_filter=34)


def compress(raw, codec, typesize, filters, **more):
    """One chunk by the C interface, which knows more than python-blosc2."""
    lib = library()
    lib.blosc2_init()
    p = lib.blosc2_get_blosc2_cparams_defaults()
    p.compcode, p.typesize, p.nthreads = codec, typesize, 1
    for i, (f, m) in enumerate(filters):
        p.filters[6 - len(filters) + i], p.filters_meta[6 - len(filters) + i] = f, m
    for k, v in more.items():
        setattr(p, k, v)
    lib.blosc2_create_cctx.restype = ctypes.c_void_p
    lib.blosc2_create_cctx.argtypes = [type(p)]
    lib.blosc2_compress_ctx.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_char_p, ctypes.c_int32]
    out = ctypes.create_string_buffer(len(raw) + 1000)
    size = lib.blosc2_compress_ctx(lib.blosc2_create_cctx(p), raw, len(raw), out, len(out))
    if size <= 0:
        raise RuntimeError(f"compress: {size}")
    return out.raw[:size]


def instrumented(rec):
    """A chunk that holds what the library measured while it compressed, 32 bytes for each stream, instead of the data: no two are the same."""
    raw = data.make("noisy", 8000, 4, data.rng("instrumented"))
    chunk = compress(raw, 1, 4, ((1, 0),), instr_codec=True, blocksize=2000)
    if not chunk[31] & 0x80:
        raise RuntimeError("not instrumented")
    rec.chunk("every-instrumented.chunk", chunk, blosc2.decompress2(chunk))


def changed_midway(rec):
    """A frame whose chunks were written with other parameters than its header says."""
    for is_sparse in (False, True):
        name = f"every-codec{'-sparse' if is_sparse else ''}.b2frame"
        raw = data.make("noisy", 4000, 4, data.rng("midway"))
        parts = [raw[i:i + 500] for i in range(0, 4000, 500)]
        sc = write(rec, name, parts[:1], cparams("blosclz", typesize=4), sparse=is_sparse, chunksize=500)
        for part, codec, filters in zip(parts[1:], ("lz4", "zstd", "zlib", "lz4hc", "lz4", "zstd", "blosclz"),
                                        ("shuffle", "bitshuffle", "none", "delta", "delta-shuffle", "shuffle-twice", "none")):
            if append_chunk(sc, blosc2.compress2(part, cparams=cparams(codec, 5, filters, 4))) < 0:
                raise RuntimeError(name)
        rec.frame(name, raw)


def packed(rec):
    """What python-blosc2 makes of arrays that it packs whole: a frame with a metalayer that tells how."""
    arr = np.cumsum(data.rng("packed").integers(-9, 10, 600)).astype("<i4").reshape(20, 30)
    name = "every-packed-tensor.b2frame"
    blosc2.save_tensor(arr, rec.path(name), mode="w", cparams=cparams("zstd", typesize=4))
    rec.frame(name, arr.tobytes())


def run(rec):
    constant_arrays(rec)
    constant_frames(rec)
    constants_of_any_size(rec)
    runs(rec)
    dictionaries(rec)
    vl_frames(rec)
    truncations(rec)
    bytedeltas(rec)
    instrumented(rec)
    changed_midway(rec)
    packed(rec)
