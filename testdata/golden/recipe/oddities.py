"""Files that are legal, but not what one expects: what docs/support.md calls oddities."""

import ctypes
import os

import blosc2
import numpy as np

from . import data
from .chunks import CParams, library
from .frames import cparams, write


class Storage(ctypes.Structure):
    """blosc2_storage of the C library."""

    _fields_ = [("contiguous", ctypes.c_bool), ("urlpath", ctypes.c_char_p), ("cparams", ctypes.POINTER(CParams)),
                ("dparams", ctypes.c_void_p), ("io", ctypes.c_void_p)]


def dtypes(rec):
    """Arrays whose dtype has another size than their items, as C programs write them that do not care for NumPy."""
    lib = library()
    lib.blosc2_init()
    lib.b2nd_create_ctx.restype = ctypes.c_void_p
    lib.b2nd_create_ctx.argtypes = [ctypes.POINTER(Storage), ctypes.c_int8, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p,
                                    ctypes.c_int8, ctypes.c_void_p, ctypes.c_int32]
    lib.b2nd_from_cbuffer.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64]
    lib.b2nd_get_slice_cbuffer.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int64]
    for name, dtype, typesize in (("odd-dtype-narrow.b2nd", "|u1", 4), ("odd-dtype-wide.b2nd", "<f8", 2)):
        raw = data.make("ramp", 30 * 20 * typesize, typesize, data.rng(name))
        p = lib.blosc2_get_blosc2_cparams_defaults()
        p.typesize, p.nthreads = typesize, 1
        storage = Storage(True, os.fsencode(rec.path(name)), ctypes.pointer(p), None, None)
        shape, chunks, blocks = (ctypes.c_int64 * 2)(30, 20), (ctypes.c_int32 * 2)(16, 16), (ctypes.c_int32 * 2)(8, 4)
        ctx = lib.b2nd_create_ctx(ctypes.byref(storage), 2, shape, chunks, blocks, dtype.encode(), 0, None, 0)
        arr, got = ctypes.c_void_p(), ctypes.create_string_buffer(len(raw))
        if lib.b2nd_from_cbuffer(ctx, ctypes.byref(arr), raw, len(raw)):
            raise RuntimeError(name)
        lib.b2nd_free(arr)
        if lib.b2nd_open(os.fsencode(rec.path_of(name)), ctypes.byref(arr)) or lib.b2nd_get_slice_cbuffer(
                arr, (ctypes.c_int64 * 2)(0, 0), shape, got, shape, len(raw)) or got.raw != raw:
            raise RuntimeError(name)
        lib.b2nd_free(arr)
        # For NumPy the items are bytes: so python-blosc2 is asked for facts only.
        rec.array(name, np.frombuffer(raw, ("V", typesize)).reshape(30, 20), oracle=False, odd_dtype=True,
                  note="items have another size than the dtype")


def recut(rec):
    """An array one of whose chunks has other blocks than the metalayer says, as anybody can make it who replaces chunks."""
    name = "odd-recut.b2nd"
    raw = np.frombuffer(data.make("ramp", 4 * 24 * 20, 4, data.rng(name)), "<i4").reshape(24, 20)
    arr = blosc2.asarray(raw, chunks=(8, 20), blocks=(4, 5), urlpath=rec.path(name), mode="w", cparams=cparams("lz4", typesize=4),
                         dparams=blosc2.DParams(nthreads=1))
    old = arr.schunk.decompress_chunk(1)
    arr.schunk.update_chunk(1, blosc2.compress2(old, cparams=cparams("zstd", typesize=4, blocksize=140)))
    rec.array(name, raw, oracle=False, note="the library fails to read boxes of it")


def company(rec):
    """Frames with something behind them, or with other frames in the same file."""
    raw = data.make("ramp", 1000, 4, data.rng("company"))
    name = "odd-trailing.b2frame"
    write(rec, name, [raw[:600], raw[600:]], cparams("lz4", typesize=4))
    with open(rec.path_of(name), "ab") as f:
        f.write(b"and something else behind it, such as the end of a longer frame")
    rec.frame(name, raw)
    name = "odd-trailing.b2nd"
    arr = blosc2.asarray(np.frombuffer(raw, "<i4").reshape(10, 25), chunks=(4, 10), blocks=(2, 5), urlpath=rec.path(name), mode="w",
                         cparams=cparams("zstd", typesize=4), dparams=blosc2.DParams(nthreads=1))
    del arr
    with open(rec.path_of(name), "ab") as f:
        f.write(bytes(100))
    rec.array(name, np.frombuffer(raw, "<i4").reshape(10, 25))

    lib = library()
    lib.blosc2_init()
    lib.blosc2_schunk_append_file.restype = ctypes.c_int64
    lib.blosc2_schunk_append_file.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    for which in range(3):  # each of the three frames of one file is a case
        name = f"odd-several-{which}.b2frame"
        parts = [data.make(kind, 800, 4, data.rng(kind)) for kind in ("ramp", "text", "noisy")]
        path, at = rec.path(name), []
        for part in parts:
            sc = blosc2.SChunk(chunksize=400, cparams=cparams("lz4", typesize=4), dparams=blosc2.DParams(nthreads=1), contiguous=True)
            sc.append_data(part[:400])
            sc.append_data(part[400:])
            at.append(lib.blosc2_schunk_append_file(sc.c_schunk, os.fsencode(path)))
        rec.frame(name, parts[which], offset=at[which] or None)


def run(rec):
    dtypes(rec)
    recut(rec)
    company(rec)
