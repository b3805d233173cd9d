"""Files that show what the library gets wrong, each named by its number in docs/format/defects.md.

A defect that is mended stops the generator: then the document has to say so, and the file has to be kept as it is.
"""

import base64
import ctypes
import os
from dataclasses import asdict

import blosc2
import numpy as np
from blosc2 import blosc2_ext

from . import data
from .chunks import library
from .frames import cparams, write

UNREADABLE = "the library that wrote it cannot read it"
LOST = "the library loses its last bytes; what is recorded is what it stored in their place"


def wrong(number, right):
    """Stops where the library does not do what row `number` says."""
    if right:
        raise RuntimeError(f"defect {number} is mended")


def fails(call):
    try:
        call()
    except (RuntimeError, ValueError):
        return True
    return False


def reads(chunk, raw):
    return not fails(lambda: blosc2.decompress2(chunk)) and blosc2.decompress2(chunk) == raw


def dictionaries(rec):
    for codec in ("zstd", "lz4"):
        raw = data.make("random", 8000, 4, data.rng("stored"))
        chunk = blosc2.compress2(raw, cparams=cparams(codec, 5, "none", 4, 2, blocksize=400, use_dict=True))
        wrong(1, chunk[2] & 2 == 0 or chunk[31] & 1 == 0 or reads(chunk, raw))
        rec.chunk(f"defect-01-{codec}.chunk", chunk, raw, oracle=False, note=UNREADABLE)
    for codec, raw, typesize in (("zstd", b"ab" * 14, 4), ("lz4", b"abc" * 8, 1), ("lz4hc", b"ab" * 10, 1)):
        chunk = blosc2.compress2(raw, cparams=cparams(codec, 5, "shuffle", typesize, 1, use_dict=True))
        wrong(2, reads(chunk, raw) or len(chunk) == 32 + len(raw))
        rec.chunk(f"defect-02-{codec}.chunk", chunk, raw, oracle=False, note=UNREADABLE)
    # Compressed blocks that are as long as what they hold look like a stored chunk. Nothing
    # distinguishes them, and both libraries return them.
    raw = b"ab" * 12
    chunk = blosc2.compress2(raw, cparams=cparams("zstd", 5, "shuffle", 4, 1, use_dict=True))
    wrong(2, reads(chunk, raw))
    rec.chunk("defect-02-alike.chunk", chunk, chunk[32:], note="what was meant is 12 times ab; the library stored this, and reads it")


def sizes(rec):
    """Block sizes that are no whole number of items: errors, and short counts that pass for success."""
    raw = data.make("ramp", 10_010, 4, data.rng("unrounded"))
    chunk = blosc2.compress2(raw, cparams=cparams("lz4", 5, "shuffle", 4, 2, blocksize=1001))
    wrong(3, reads(chunk, raw))
    rec.chunk("defect-03.chunk", chunk, raw, oracle=False, note=UNREADABLE)
    raw = data.make("ramp", 75, 2, data.rng("u"))
    chunk = blosc2.compress2(raw, cparams=cparams("lz4", 5, "shuffle", 2, 1, blocksize=101))
    dst = ctypes.create_string_buffer(75)
    wrong(26, library().blosc2_decompress(chunk, len(chunk), dst, 75) != 74)
    rec.chunk("defect-26.chunk", chunk, raw, oracle=False, note="the library says that it has 74 bytes of 75, and that all is well")
    raw = data.make("noisy", 4000, 4, data.rng("delta"))
    write(rec, "defect-14.b2frame", [raw[:40], raw[40:]], cparams("lz4", typesize=4), chunksize=40)
    rec.frame("defect-14.b2frame", raw)


def filters(rec):
    base = data.rng("delta").bytes(400)
    raw = base * 20
    p = cparams("lz4", 5, "delta", 4, 2, blocksize=400)
    chunk = blosc2.compress2(raw, cparams=p)
    part = ctypes.create_string_buffer(400)
    wrong(4, library().blosc2_getitem(chunk, len(chunk), 700, 100, part, 400) == 400 and part.raw == raw[2800:3200])
    rec.chunk("defect-04.chunk", chunk, raw, note="the library reads all of it right, and items of later blocks wrong")

    raw = base * 10 + data.rng("last").bytes(203)
    chunk = blosc2.compress2(raw, cparams=cparams("lz4", 5, "delta", 8, 2, blocksize=400))
    got = blosc2.decompress2(chunk)
    wrong(5, got == raw or got[:-3] != raw[:-3])
    rec.chunk("defect-05.chunk", chunk, got, note=LOST)

    floats = data.make("float", 400, 4, data.rng("f")) * 10 + data.make("float", 200, 4, data.rng("g")) + b"xyz"
    chunk = blosc2.compress2(floats, cparams=cparams("lz4", 5, [(4, 9), (1, 0)], 4, 2, blocksize=400))
    got = blosc2.decompress2(chunk)
    wrong(16, got[-3:] == b"xyz" or got[:-3] != data.truncate(floats[:-3], 4, 9))
    rec.chunk("defect-16-trunc.chunk", chunk, got, note=LOST)
    ints = data.make("noisy", 400, 4, data.rng("f")) * 10 + data.make("noisy", 200, 4, data.rng("g")) + b"xyz"
    chunk = blosc2.compress2(ints, cparams=cparams("lz4", 5, [(36, -4), (1, 0)], 4, 2, blocksize=400))
    got = blosc2.decompress2(chunk)
    wrong(16, got[-3:] == b"xyz" or got[:-3] != (np.frombuffer(ints[:-3], "<u4") & 0xFFFFFFF0).astype("<u4").tobytes())
    rec.chunk("defect-16-int.chunk", chunk, got, note=LOST, needs_filter=36)

    # The third filter writes into the source, which then does not compress and is stored: what was
    # meant is gone.
    meant = data.rng("three").bytes(1000)
    source = bytes(bytearray(meant))
    chunk = blosc2.compress2(source, cparams=cparams("lz4", 5, [(1, 0), (2, 0), (1, 0)], 4, 2))
    got = blosc2.decompress2(chunk)
    wrong(21, got == meant)
    rec.chunk("defect-21.chunk", chunk, got, note="the library overwrote the source before it stored it")

    # By C-Blosc 1.21.7: blosc.compress(raw, typesize=8, clevel=5, shuffle=blosc.BITSHUFFLE,
    # cname="lz4") of python-blosc 1.11.4.
    chunk = base64.b64decode("AgE0CMMAAADAAAAASQAAABgAAABCAAAAJgAAAP8LqqqqZmZmtLS0OMc4wAc/APg/AADAAAAAAAAFAI1g////AAAAAwAAAHh5eg==")
    raw = bytes((i // 8 * (3 if i % 8 == 0 else 0) + (i % 8 == 7) * 64) % 256 for i in range(192)) + b"xyz"
    dst = ctypes.create_string_buffer(b"\xee" * 195, 195)
    wrong(25, library().blosc2_decompress(chunk, len(chunk), dst, 195) != 195 or dst.raw != raw[:-3] + b"\xee\xee\xee")
    rec.chunk("defect-25.chunk", chunk, raw, oracle=False, note="by C-Blosc 1.21.7; C-Blosc2 does not write the last bytes when it reads it")


def variable(rec):
    raw = data.make("noisy", 4000, 4, data.rng("delta"))
    blocks = [raw[i:i + 400] for i in range(0, 4000, 400)]
    chunk = blosc2_ext.vlcompress(blocks, **asdict(cparams("lz4", 5, "delta", 4)))
    wrong(6, reads(chunk, raw) or blosc2_ext.vldecompress(chunk) != blocks)
    rec.chunk("defect-06.chunk", chunk, raw, oracle=False, note="the library decodes the whole chunk to something else")

    raw = data.make("ramp", 1400, 4, data.rng("sizes"))
    sc = write(rec, "defect-07.b2frame", [raw[:400], raw[400:600], raw[600:]], cparams("lz4", typesize=4), chunksize=400)
    lib, out = library(), ctypes.create_string_buffer(32)
    p = lib.blosc2_get_blosc2_cparams_defaults()
    p.typesize = 4
    lib.blosc2_chunk_zeros(p, 120, out, 32)
    sc.append_chunk(out.raw)
    sc.append_data(raw[:100])
    wrong(7, not fails(lambda: sc.decompress_chunk(3)))
    rec.add({"kind": "broken", **rec.files("defect-07.b2frame")}, note="the size of chunk 3, zeros, is not in the file; up to 3.3.4 the library reads 0 bytes")


def frames(rec):
    lib = library()
    lib.blosc2_init()
    call = {name: getattr(lib, "blosc2_meta_" + name) for name in ("add", "update")}
    for f in call.values():
        f.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int32]

    parts = [bytes([i]) * 399 + b"x" for i in range(200)]
    sc = write(rec, "defect-08.b2frame", parts, cparams("lz4", typesize=4), sparse=True)
    for _ in range(197):
        sc.delete_chunk(0)
    wrong(8, not fails(lambda: blosc2.open(rec.path_of("defect-08.b2frame"), mode="r")))
    rec.frame("defect-08.b2frame", b"".join(parts[197:]), handle=sc, note="the library takes the numbers of the chunk files for offsets, and does not open it")

    sc = write(rec, "defect-09.b2frame", [], cparams(typesize=4), chunksize=400)
    sc.fill_special(1000, blosc2.SpecialValue.ZERO)
    call["add"](sc.c_schunk, b"late", b"hello", 5)
    del sc
    wrong(9, not fails(lambda: blosc2.open(rec.path_of("defect-09.b2frame"), mode="r")))
    rec.add({"kind": "broken", **rec.files("defect-09.b2frame")}, note="ten chunks of zeros, until a metalayer was added that took the place of the index")

    raw = data.make("ramp", 1000, 4, data.rng("layers"))
    sc = write(rec, "defect-17.b2frame", [raw], cparams("lz4", typesize=4), meta={"tag": b"0123456789"})
    wrong(17, call["update"](sc.c_schunk, b"tag", b"ABC", 3) < 0 or call["update"](sc.c_schunk, b"tag", b"x" * 40, 40) < 0)
    del sc
    wrong(17, blosc2_ext.meta__getitem__(blosc2.open(rec.path_of("defect-17.b2frame")), "tag") != b"ABC123456789")
    rec.frame("defect-17.b2frame", raw, note="shorter content left the end of the old one; longer content was ignored")

    sc = write(rec, "defect-22.b2frame", [raw[:400], raw[400:500]], cparams("lz4", typesize=4))
    sc.delete_chunk(0)
    wrong(22, not fails(lambda: sc.append_data(raw[500:600])))
    fails(lambda: sc.vlmeta.__setitem__("a", 1))
    del sc
    wrong(22, not fails(lambda: blosc2.open(rec.path_of("defect-22.b2frame"), mode="r")))
    rec.add({"kind": "broken", **rec.files("defect-22.b2frame")}, note="the header counts a chunk that was not appended")

    sc = write(rec, "defect-23.b2frame", [raw[:400], raw[400:800], raw[800:900]], cparams("lz4", typesize=4))
    sc.reorder_offsets([2, 0, 1])
    sc.append_data(raw[900:])
    wrong(23, not fails(lambda: blosc2.open(rec.path_of("defect-23.b2frame"), mode="r")))
    rec.frame("defect-23.b2frame", raw[800:900] + raw[:800] + raw[900:], handle=sc, oracle=False, note=UNREADABLE)
    sc = write(rec, "defect-23-special.b2frame", [raw[:400], bytes(400), raw[800:900]], cparams("lz4", typesize=4))
    sc.reorder_offsets([2, 0, 1])
    del sc
    rec.add({"kind": "broken", **rec.files("defect-23-special.b2frame")}, note="the last chunk was 400 zeros; it is stored so that it reads as 100")

    # By C-Blosc2 3.3.3, the last one that cut files off in this place: 24 bytes, a frame of two
    # chunks to which a third is appended.
    with open(rec.path("defect-11.b2frame"), "wb") as f:
        f.write(base64.b64decode(CUT))
    rec.add({"kind": "broken", **rec.files("defect-11.b2frame")}, offset=24, note="by C-Blosc2 3.3.3; its end is missing")


def arrays(rec):
    """b2nd_append takes a buffer of one chunk for the next chunk of the grid."""
    lib = library()
    lib.blosc2_init()
    for name, shape, chunks, more in (("defect-20.b2nd", (4, 8), (4, 4), (2, 8)), ("defect-20-row.b2nd", (5,), (4,), (4,))):
        raw = np.arange(1, np.prod(shape) + 1, dtype="u1").reshape(shape)
        blosc2.asarray(raw, chunks=chunks, blocks=chunks, urlpath=rec.path(name), mode="w", cparams=cparams("lz4", typesize=1), dparams=blosc2.DParams(nthreads=1))
        arr = ctypes.c_void_p()
        extra = np.full(more, 99, dtype="u1")
        if lib.b2nd_open(os.fsencode(rec.path_of(name)), ctypes.byref(arr)) or lib.b2nd_append(arr, extra.tobytes(), ctypes.c_int64(extra.size), ctypes.c_int8(0)):
            raise RuntimeError("append fails")
        lib.b2nd_free(arr)
        got = blosc2.open(rec.path_of(name), mode="r")[...]
        wrong(20, np.array_equal(got, np.concatenate([raw, extra])))
        rec.array(name, got, note="the library misplaced what it appended; it reads the same")


# 24 bytes, and what C-Blosc2 3.3.3 makes of a frame behind them.
CUT = (
    "Ynl0ZXMgb2Ygc29tZXRoaW5nIGVsc2UgnqhiMmZyYW1lANIAAABhzwAAAAAAAAKzpBIAUQLTAAAAAAAABLDTAAAAAAAAAffSAAAABNIAAAAA0gAAAZDRAAHR"
    "AAHC2AYAAAAAAAEBAAAAAAAAAAAAk80AB94AANwAAAUBJQSQAQAAkAEAAKgAAAAAAAAAAAEBAAAAAAAAAAAAJAAAAGQAAADo6+7x9Pf6/QADBgkMDxIVGBse"
    "ISQnKi0wMzY5PD9CRUhLTlFUV1pdYGNmaWxvcnV4e36BhIeKjZCTlpmcn6KlqKuusbS3ur3Aw8bJzM/S1djb3uHk5+rt8PP2+fz/AgUICw4REAAAABMDAQAf"
    "BAEAQmAFBQUFBQUAAAAAAAAAAAUBJQSQAQAAkAEAAKcAAAAAAAAAAAEBAAAAAAAAAAAAJAAAAGQAAAAUFxodICMmKSwvMjU4Oz5BREdKTVBTVllcX2JlaGtu"
    "cXR3en2Ag4aJjI+SlZibnqGkp6qtsLO2uby/wsXIy87R1Nfa3eDj5uns7/L1+Pv+AQQHCg0QExYZHB8iJSgrLjE0Nzo9DwAAAB8FAQA7GwYBAFAGBgYGBgAA"
    "AAAAAAAABQElBJABAACQAQAAqAAAAAAAAAAAAQEAAAAAAAAAAAAkAAAAZAAAAEBDRklMT1JVWFteYWRnam1wc3Z5fH+ChYiLjpGUl5qdoKOmqayvsrW4u77B"
    "xMfKzdDT1tnc3+Ll6Ovu8fT3+v0AAwYJDA8SFRgbHiEkJyotMDM2OTw/QkVIS05RVFdaXWBjZmkQAAAAHwYBACwfBwEAC1AHBwcHBwAAAAAAAAAABQEHCBgA"
    "AAAYAAAAOAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAKgAAAAAAAAATwEAAAAAAACUAZPNAAbeAADcAA=="
)


def run(rec):
    dictionaries(rec)
    sizes(rec)
    filters(rec)
    variable(rec)
    frames(rec)
    arrays(rec)
