"""Writes filters.json: sha256 of what C-Blosc2 makes of pseudo-random bytes, for many filters, type sizes and lengths.

Run with a Python that has python-blosc2: python gen_filters.py > filters.json

Shuffle, bitshuffle and their inverses are called in the library itself. trunc_prec and int_trunc are seen by compressing and
decompressing, since decoding does not undo them. Delta and bytedelta are read from blocks that were stored because they did not
compress. So is ndcell, and ndmean is seen as trunc_prec is, both in arrays.
Bitshuffle of version 2 is what the library decodes from a hand-made chunk.
"""

import ctypes
import glob
import hashlib
import json
import os
import struct
import sys

import blosc2
import numpy as np

LIB = ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(blosc2.__file__), "lib", "libblosc2.so*"))[0])
INT_TRUNC = 36
TYPE_SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 20, 24, 31, 32, 64, 100, 255]


def lcg(size, seed):
    out, x = bytearray(size), seed
    for i in range(size):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
        out[i] = x >> 24
    return bytes(out)


SOURCE = lcg(80000, 1)


def finite(ts, size):
    """Pseudo-random floats: bytes without a bit of the exponent, so that none is NaN or infinite, which cairn keeps."""
    out = bytearray(SOURCE[:size])
    for i in range(ts - 1, size, ts):
        out[i] &= 0xBF
    return bytes(out)


def lengths(ts):
    items = (0, 1, 8, 15, 64, 135)
    return sorted({n * ts + extra for n in items for extra in (0, 1, ts - 1)} - {0})


def case(name, ts, size, data, **more):
    # "compared" bytes are what the library defines; it leaves the rest of the block as it finds it.
    return dict(filter=name, typesize=ts, size=size, compared=len(data), sha256=hashlib.sha256(data).hexdigest(), **more)


def call(function, ts, src):
    out = ctypes.create_string_buffer(b"\xee" * len(src), len(src))
    if LIB[function](ctypes.c_int32(ts), ctypes.c_int32(len(src)), src, out) < 0:
        raise SystemExit(f"{function}: error for type size {ts}, {len(src)} bytes")
    return out.raw


def shuffles():
    for ts in TYPE_SIZES:
        for size in lengths(ts):
            src = SOURCE[:size]
            for name in ("shuffle", "bitshuffle"):
                out = call("blosc2_" + name, ts, src)
                back = call("blosc2_" + name.replace("shuffle", "unshuffle"), ts, out)
                assert back == src, (name, ts, size)
                yield case(name, ts, size, out)


def compress(src, ts, blocksize, filters, meta):
    return blosc2.compress2(
        src, typesize=ts, blocksize=blocksize, clevel=1, codec=blosc2.Codec.LZ4, nthreads=1,
        splitmode=blosc2.SplitMode.NEVER_SPLIT, filters=filters + [blosc2.Filter.NOFILTER] * (6 - len(filters)),
        filters_meta=meta + [0] * (6 - len(meta)))


def trunc_prec():
    for ts, mantissa in ((4, 23), (8, 52)):
        for bits in (1, 2, 7, 10, mantissa - 1, mantissa, -1, -5, -(mantissa - 1)):
            size = 400 * ts
            # The zeros make the chunk compress: one that does not is stored unfiltered.
            chunk = compress(finite(ts, size) + bytes(size), ts, size, [blosc2.Filter.TRUNC_PREC], [bits])
            yield case("trunc_prec", ts, size, blosc2.decompress2(chunk)[:size], meta=bits & 0xFF)


def int_trunc():
    for ts in (1, 2, 4, 8):
        for bits in (1, 3, 8 * ts - 1, 8 * ts, -1, -5, -(8 * ts - 1)):
            size = 400 * ts
            chunk = compress(SOURCE[:size] + bytes(size), ts, size, [INT_TRUNC], [bits])
            yield case("int_trunc", ts, size, blosc2.decompress2(chunk)[:size], meta=bits & 0xFF)


def bytedelta():
    for name, number in (("bytedelta", 35), ("bytedelta_buggy", 34)):
        for planes in (1, 2, 3, 4, 7, 8, 12, 16, 100, 255):
            for length in (1, 15, 16, 17, 64, 100, 143):
                size = (length * planes + planes // 2) & ~1
                if size < 64:
                    continue  # the library would choose other blocks
                # The zeros make the chunk compress, as above. With a type size of 1 the library
                # leaves bytedelta out.
                chunk = compress(SOURCE[:size] + bytes(3 * size), 2, size, [number], [planes - 256 * (planes > 127)])
                raw = stored_blocks(chunk)[0]
                if len(raw) != size:
                    continue
                whole = size - size % planes
                assert blosc2.decompress2(chunk)[:whole] == SOURCE[:whole]
                yield case(name, planes, size, raw if number == 35 else raw[:whole], meta=planes)


CELLS = [((40,), 7), ((8, 12), 4), ((7, 9), 4), ((30, 5), 3), ((5, 6, 7), 3), ((6, 6, 6), 6), ((4, 5, 3, 6), 2), ((3, 3, 3, 3, 4), 2), ((2, 3, 2, 3, 2, 2, 1, 3), 2)]


def first_block(source, shape, ts, number, side):
    """A chunk of four blocks: pseudo-random bytes, and zeros that make the chunk compress."""
    size = int(np.prod(shape)) * ts
    whole = (4 * shape[0], *shape[1:])
    arr = np.frombuffer(source[:size] + bytes(3 * size), f"S{ts}" if ts not in (4, 8) else f"<f{ts}").reshape(whole)
    params = blosc2.CParams(codec=blosc2.Codec.LZ4, clevel=1, typesize=ts, nthreads=1, splitmode=blosc2.SplitMode.NEVER_SPLIT,
                            filters=[blosc2.Filter(number)], filters_meta=[side])
    out = blosc2.asarray(arr, chunks=whole, blocks=shape, cparams=params, dparams=blosc2.DParams(nthreads=1))
    return size, out.schunk.get_chunk(0), out.schunk.decompress_chunk(0)


def cells():
    for shape, side in CELLS:
        for ts in (3, 4, 8, 20):
            size, chunk, back = first_block(SOURCE, shape, ts, 32, side)
            raw = stored_blocks(chunk)[0]
            assert back[:size] == SOURCE[:size] and len(raw) == size, (shape, ts)
            yield case("ndcell", ts, size, raw, meta=side, shape=shape)
        for ts in (4, 8):
            for size_of_cell in (side, 1, min(shape)):
                size, _, back = first_block(finite(ts, len(SOURCE)), shape, ts, 33, size_of_cell)
                yield case("ndmean", ts, size, back[:size], meta=size_of_cell, shape=shape)


def delta():
    for ts in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 17, 20, 24, 32, 40, 100, 255):
        word = ts if ts in (1, 2, 4, 8) else 8 if ts % 8 == 0 else 1
        block = 64 * ts
        last = block // 2 + ts // 2
        # Copies of block 0 become zeros, so that the chunk as a whole compresses and is not stored
        # unfiltered.
        src = SOURCE[:2 * block] + SOURCE[:block] * 8 + SOURCE[:last][::-1]
        chunk = compress(src, ts, block, [blosc2.Filter.DELTA], [0])
        streams = stored_blocks(chunk)
        assert len(streams) == 11
        for index, size in ((0, block), (1, block), (10, last)):
            raw = streams[index]
            if len(raw) != size:
                continue  # it did compress
            yield case("delta", ts, size, raw[:size - size % word], block=index)


def stored_blocks(chunk):
    nbytes, blocksize, _ = struct.unpack_from("<iii", chunk, 4)
    count = -(-nbytes // blocksize)
    out = []
    for start in struct.unpack_from(f"<{count}i", chunk, 32):
        (size,) = struct.unpack_from("<i", chunk, start)
        out.append(chunk[start + 4:start + 4 + max(size, 0)])
    return out


def old_bitshuffle():
    for ts in (1, 2, 3, 4, 7, 8, 16, 17, 32):
        for items in (1, 7, 8, 9, 16, 63, 64, 65, 128):
            for extra in (0, ts - 1):
                size = items * ts + extra
                stored = SOURCE[:size]
                flags = 0x04 | 0x10  # bitshuffle, not split
                head = struct.pack("<BBBBiii", 2, 1, flags, ts, size, size, 16 + 4 + 4 + size)
                chunk = head + struct.pack("<ii", 20, size) + stored
                out = ctypes.create_string_buffer(size)
                got = LIB.blosc1_decompress(chunk, out, ctypes.c_size_t(size))
                if got != size:
                    raise SystemExit(f"version 2: {got} for type size {ts}, {size} bytes")
                whole = size - size % ts if items % 8 == 0 else size
                yield case("bitshuffle", ts, size, out.raw[:whole], version=2, decode=True)


def main():
    cases = [*shuffles(), *trunc_prec(), *int_trunc(), *delta(), *bytedelta(), *cells(), *old_bitshuffle()]
    LIB.blosc2_get_version_string.restype = ctypes.c_char_p
    out = sys.stdout
    out.write('{"library": "C-Blosc2 %s", "cases": [\n' % LIB.blosc2_get_version_string().decode())
    out.write(",\n".join(json.dumps(c, separators=(",", ":")) for c in cases))
    out.write("\n]}\n")


if __name__ == "__main__":
    main()
