"""Cut metalayers out of frames that python-blosc2 wrote, for golden_test.go.

Run with a Python that has blosc2:  python gen_frames.py > frames.json
"""

import json
import struct
import sys

import blosc2
import numpy as np
from blosc2.msgpack_utils import msgpack_packb

HEADER_LAYERS_AT = 0x57


def cut(frame):
    header_len = struct.unpack(">i", frame[0x0B:0x0F])[0]
    trailer_len = struct.unpack(">I", frame[-22:-18])[0]
    return frame[:header_len], frame[-trailer_len:]


def layer(header, name):
    """The content of a fixed metalayer, found by its name in the index."""
    key = bytes([0xA0 | len(name)]) + name.encode() + b"\xd2"
    at = header.index(key, HEADER_LAYERS_AT) + len(key)
    at = struct.unpack(">i", header[at : at + 4])[0]
    size = struct.unpack(">I", header[at + 1 : at + 5])[0]
    return header[at + 5 : at + 5 + size]


def frames():
    values = {
        "none": ({}, {}),
        "one fixed": ({"units": "K"}, {}),
        "three fixed": ({"a": 1, "bb": [1, 2, 3], "ccc": {"k": None}}, {}),
        "fifteen fixed": ({f"layer{i}": i * "x" for i in range(15)}, {}),
        "sixteen fixed": ({f"layer{i}": i for i in range(16)}, {}),
        "longest name": ({"n" * 31: b"\0\1\2"}, {"v" * 31: 1}),
        "one variable": ({}, {"history": "created"}),
        "three variable": ({}, {"a": 1, "bb": 300 * "text ", "ccc": list(range(100))}),
        "both": ({"units": "K"}, {"history": "created", "empty": ""}),
        "sixteen variable": ({}, {f"v{i}": i for i in range(16)}),
    }
    for name, (fixed, variable) in values.items():
        s = blosc2.SChunk(chunksize=4000, meta=fixed, cparams={"typesize": 4, "nthreads": 1}, dparams={"nthreads": 1})
        for key, value in variable.items():
            s.vlmeta[key] = value
        header, trailer = cut(s.to_cframe())
        yield {
            "name": name,
            "header": header.hex(),
            "trailer": trailer.hex(),
            "fixed": [[k, msgpack_packb(v).hex()] for k, v in fixed.items()],
            "variable": [[k, msgpack_packb(v).hex()] for k, v in variable.items()],
        }


def arrays():
    shapes = [
        ([], [], []),
        ([10], [4], [2]),
        ([0], [4], [2]),
        ([5, 7], [4, 5], [3, 2]),
        ([3, 4, 5], [3, 4, 5], [1, 2, 5]),
        ([1, 2, 3, 4], [1, 2, 3, 4], [1, 1, 1, 4]),
        ([2] * 5, [2] * 5, [1] * 5),
        ([2, 0, 2, 2, 2, 2], [1] * 6, [1] * 6),
        ([3] * 7, [2] * 7, [1] * 7),
        ([2] * 8, [2] * 8, [2] * 8),
        ([1] * 15, [1] * 15, [1] * 15),
        ([2] * 16, [1] * 16, [1] * 16),
    ]
    dtypes = ["u1", "<i4", ">f8", "?", "U3", "S7", "M8[25ns]", "c16", [("a", "<i4"), ("b", ">f8", (2,))], "V5"]
    for i, (shape, chunks, blocks) in enumerate(shapes):
        for dtype in (dtypes[i % len(dtypes)], dtypes[(i + 3) % len(dtypes)]):
            a = blosc2.empty(shape, dtype=np.dtype(dtype), chunks=chunks, blocks=blocks)
            header, _ = cut(a.to_cframe())
            yield {
                "shape": list(a.shape),
                "chunks": list(a.chunks),
                "blocks": list(a.blocks),
                "dtype": str(a.dtype) if a.dtype.kind == "V" else a.dtype.str,
                "typesize": a.schunk.typesize,
                "nchunks": a.schunk.nchunks,
                "chunksize": a.schunk.chunksize,
                "blocksize": a.schunk.blocksize,
                "content": layer(header, "b2nd").hex(),
            }


def packed():
    """Values that msgpack_test.go has under the same names."""
    values = {
        "nil": None,
        "true": True,
        "false": False,
        "ints": [0, 1, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1],
        "negative": [-1, -32, -33, -128, -129, -32768, -32769, -(2**31), -(2**31) - 1, -(2**63)],
        "floats": [0.0, 1.5, -2.25, 1e300, float("inf")],
        "strings": ["", "a", "x" * 31, "x" * 32, "x" * 255, "x" * 256, "\u00e9\u6f22"],
        "bytes": [b"", b"\0\xff", b"y" * 255, b"y" * 256],
        "arrays": [[], list(range(15)), list(range(16))],
        "maps": [{}, {"a": 1, "b": [True]}, {f"k{i:02}": i for i in range(16)}],
        "mixed keys": {1: "one", "two": 2, None: 3},
        "tuple": (1, "a", (2.5,), []),
        "nested": {"a": [{"b": (1, {"c": None})}]},
        "long string": "z" * 65536,
    }
    for name, value in values.items():
        yield {"name": name, "packed": msgpack_packb(value).hex() if len(str(value)) < 5000 else msgpack_packb(value)[:16].hex()}


def lines(rows):
    return "[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]"


sys.stdout.write(f'{{"library": "{blosc2.blosclib_version}", "frames": {lines(frames())},\n"arrays": {lines(arrays())},\n"packed": {lines(packed())}}}\n')
